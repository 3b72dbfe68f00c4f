"""Runs check and suite, and is the only maker of a verdict; knows no loop, no model, no forge.

`suite` runs a command in a box and reads its report · `reports` JUnit XML to cases · `baseline` the suite on the base ·
`spectrum` which lines each test executes · `judge` gathers the facts of a verdict · `verdict` the pure rules over them.
"""
