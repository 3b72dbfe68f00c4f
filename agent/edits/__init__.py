"""Computes edits as bytes; must not touch a disk: only the Workspace port writes.

`anchor` which bytes are replaced and by what · `diff` changes as a unified diff · `reply` a model's text as bytes.
"""
