"""Model backends behind the Classifier and Generator ports; the one room that may import httpx and the vendor SDK.

`registry` by name · `systemone` · `chat` · `embedded` no key, no network · `cassette` record and replay · `nothing`.
"""

from agent.adapters.models.registry import ModelOptions, classifier_named, generator_named

__all__ = ["ModelOptions", "classifier_named", "generator_named"]
