"""Runs check and suite, and is the only maker of a verdict; knows no loop, no model, no forge.

`command` what the verify command is · `frameworks` how each kind of suite is run and read · `suites` runs them on clean
checkouts · `evidence execution judging` gather the facts of a verdict · `verdict` the pure rules over them.
"""
