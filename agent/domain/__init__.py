"""Values of the agent: frozen, no IO, no clock. Must not import any other room but `agent.errors`.

`task` what is asked · `environment` where a repository's code runs · `suite` what a test command reported ·
`edit` bytes and where they go · `action` what the loop can do · `answers` typed questions and answers ·
`result` how a run ended · `thresholds` every number a decision hangs on.
"""
