"""Works on the files of a run through its Workspace alone; must not raise for what it was asked, and runs nothing.

`read` pages of numbered lines · `write` a whole file · `edit` a quoted text · `grep` literal search with near misses ·
`glob` paths by pattern. Each answers with one of a closed set of values; `render()` is the text a model sees, and
`Refused` says that nothing was done and why.
"""
