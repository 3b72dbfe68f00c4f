"""Shows a run from its trace, and runs it again along it; must not ask a model or run a repository's code.

`table` the run as a table · `again` the loop once more, every outcome from the trace · `showing` both for a person ·
`command` the `replay` command.
"""
