"""`bendcoder eval`: small tasks, run like any delegation, judged by a hidden check; the one way to know what helped.

`task` a folder as a task · `attempt` one run of it, in a process of its own · `hidden` the check the run never sees ·
`running` many attempts, each in its process · `results` rows, intervals and comparison · `table` what a person reads ·
`command` the command line. Nothing here decides how the loop works; it must use the same session as `delegate`.
"""
