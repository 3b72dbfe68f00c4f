"""Finds likely places: functions of a file, fault localisation, lexical ranking. Pure; reads no file itself.

`symbols` functions and their lines · `localise` suspects from a spectrum · `rank` words against words.
"""
