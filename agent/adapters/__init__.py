"""Doors of the agent to the world: models, sandboxes, files. The one room of the agent that starts processes."""
