"""The pipeline's single steps, each told what it needs: no step knows the next.

`talk` the one status comment · `desk` who asked, and answers to commands · `goal` what the agent is told ·
`publish` commit, push, draft · `endings` how a job ends, and what is said of it · `patience` waits for GitHub.
"""
