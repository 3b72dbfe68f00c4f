"""Test frameworks: how each is run so that it tells of every test, and how what it said is read. No IO, no judgement.

`protocol` what a verdict asks of one · `choosing` which one a command is · `npm` what stands behind a script · `python`
command lines of Python · `record` reports of runners of our own · `reading` what every report is asked · and one module
each for the frameworks: `pytests unittests nodetests jests cargo golang plain`.
"""
