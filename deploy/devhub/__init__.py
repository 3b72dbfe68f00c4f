"""A GitHub stand-in for tests, the demo and development: REST, git over HTTP, webhooks, pages and a control API.

It must not be reachable from outside the machine: whoever reaches its control API owns it. `server.serve` starts it,
`client.DevhubClient` acts on it as people would.
"""
