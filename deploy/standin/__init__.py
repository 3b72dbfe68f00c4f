"""A scripted stand-in for other people's models, over real HTTP: it says what a file tells it to, and decides nothing.

`script` what it may be told, as data · `classify` one answer per question · `generate` which reply is next ·
`reply` faults on the way out · `server` both wires on one loopback port, and a record of what was asked.
"""
