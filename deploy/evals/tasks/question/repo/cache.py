"""Remembers results for a while."""

KEEP_SECONDS = 60 * 60


def fresh(entry, now):
    """Whether an entry may still be used."""
    return now - entry["at"] < KEEP_SECONDS
