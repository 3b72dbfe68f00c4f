"""The worker: takes jobs off the queue, hands them to the agent and publishes what it made; receives no webhooks."""
