"""The letter-box between bot and worker: the one room of the worker the bot may import. Imports nothing else of ours.

`job` what crosses (versioned models) · `queue` names, producer, the claim-and-enqueue script · `runs` records, leases,
event streams in Redis.
"""
