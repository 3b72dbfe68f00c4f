"""The one loop: mask, ask, offer, decide, perform, advance, record; must do no IO but through the ports.

`runner` the whole story of a run · `context` what its parts are handed · `notebook`, `meter` memory and cost · `state`
what Classify sees · `listing` the files offered · `questions`, `proposal`, `picking` asking and reading ·
`rules` the guards' driver, `recording` its decisions · `looking`, `editing`, `writing`, `trying`, `suites` effects ·
`suspects` where the fault may lie · `ending` the last suite, the verdict, the result.
"""
