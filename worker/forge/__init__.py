"""GitHub through githubkit, the one door: `client` opens it, `github` is the port, `calls` retries, `trouble` explains.

No exception and no model of githubkit leaves this room; answers are read through `payloads`.
"""
