"""The pipeline's single steps, each told what it needs: no step knows the next.

`desk` who asked, and answers to commands · `plan` what is settled before the run · `goal` what the agent is told ·
`talk` the one status comment · `publish` commit, push, draft · `checks` starts held Actions · `endings` how a job ends,
and what is said of it · `patience` waits for GitHub.
"""
