"""Finds likely places: functions of a file, fault localisation, lexical ranking. Pure; reads no file itself.

`symbols` functions and their lines, `grammars` in ten languages · `localise` suspects from a spectrum · `rank` words
against words · `terms` what a goal asks for · `tally` words of texts · `kinds`, `lexical` files against a goal ·
`outline` what a file is described by.
"""
