"""The backends without a model: search-based repair for Generate, explicit rules for Classify. No key, no network."""
