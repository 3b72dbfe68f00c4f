"""`python -m deploy.bench`: the bars of the design, measured on this machine, each against its budget with slack.

`measure` what a bar is and when it holds · `repositories` generated ones to measure on · `receiver`, `git`, `index`,
`loop`, `prompts`, `searching`, `task` one file per family of bars · `__main__` runs them all and prints the table.
"""
