"""Test frameworks: how each is run so that it tells of every test, and how what it said is read. No IO, no judgement.

`protocol` what a verdict asks of one · `choosing` which one a command is · `record` reports of runners of our own ·
`pytests unittests nodetests cargo golang plain` one framework each.
"""
