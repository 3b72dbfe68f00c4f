"""Looks at the files of a run: pages and literal searches over a Workspace. Never writes and never runs anything.

`read` pages of numbered lines · `grep` literal search with near misses.
"""
