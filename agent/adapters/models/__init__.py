"""Model backends behind the Classifier and Generator ports; the one room that may import httpx and the vendor SDK.

`registry` by name, from `options` · `embedded` no key, no network · `cassette` record and replay · `nothing` · `served`
makes those on a server, `systemone`, `llm` and `chat` · `closing` after a run; under them `sendable`, `reach`, `http`,
`bounded` (one reply), `retrying`, `price`, `completions`, `speaking` (chat servers), `fitting`, `shortlist`,
`verbalised` (what a Classify model can take), `reading` and `replies` (what came back).
"""

from agent.adapters.models.options import ModelOptions
from agent.adapters.models.registry import classifier_named, generator_named, opened

__all__ = ["ModelOptions", "classifier_named", "generator_named", "opened"]
