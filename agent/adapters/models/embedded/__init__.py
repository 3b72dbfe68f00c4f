"""The backends without a model: search-based repair for Generate, explicit rules for Classify. No key, no network."""

from agent.adapters.models.embedded.classify import EmbeddedClassifier
from agent.adapters.models.embedded.generate import EmbeddedGenerator

__all__ = ["EmbeddedClassifier", "EmbeddedGenerator"]
