"""Every container of this package."""

NAMES = ["Stack"]
