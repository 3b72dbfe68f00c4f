"""Model backends behind the Classifier and Generator ports; the one room that may import httpx and the vendor SDK.

`registry` by name · `systemone` · `llm` · `chat` · `embedded` no key, no network · `cassette` record and replay ·
`nothing`; under them `sendable`, `http`, `bounded` (one reply), `retrying`, `completions`, `speaking` (chat servers),
`fitting`, `shortlist`, `verbalised` (what a Classify model can take), `reading` and `replies` (what came back).
"""

from agent.adapters.models.registry import ModelOptions, classifier_named, generator_named, opened

__all__ = ["ModelOptions", "classifier_named", "generator_named", "opened"]
