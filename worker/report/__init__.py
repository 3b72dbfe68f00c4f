"""Every text a person reads on GitHub: comments, pull requests, checks; pure functions over facts, no IO.

`words` neutralises foreign text · `render` fills `templates/` and prints nothing else · `status` the one
comment and the answers · `evidence` and `pull_request` the draft · `markers` how we find our own texts again ·
`redact` the last filter before anything leaves.
"""
