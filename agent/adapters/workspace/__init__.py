"""Where a run's files lie: path checks, a workspace and checkouts on a plain folder. Never runs foreign code."""
