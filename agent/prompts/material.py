"""Values of the packer: for what a prompt is made, of what, and what came of it; must hold no text of a prompt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from agent.domain.action import Observation
from agent.domain.edit import Anchor
from agent.prompts.fence import one_line


class Role(StrEnum):
    """What Generate is asked for; each has its rules in a file of the same name beside this one."""

    EDIT = "edit"
    """The replacement for an anchor."""
    REPAIR = "repair"
    """The replacement for a draft that stands and failed."""
    DRAFT = "draft"
    """A change in sentinel form, where no anchor was picked."""
    SEARCH = "search"
    """One literal text to look for."""
    PLAN = "plan"
    """One item per line, each naming its file."""
    REPRODUCE = "reproduce"
    """One new test file that fails now."""
    ANSWER = "answer"
    """Prose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A draft that came to nothing: where, what it said, and what the check or the tests printed."""

    place: str
    """`path:begin-end`."""
    text: bytes
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Everything a prompt may be made of. All of it but paths chosen by code is hostile text."""

    goal: str
    languages: tuple[str, ...] = ()
    """Of the repository, the commonest first."""
    anchor: Anchor | None = None
    source: bytes = b""
    """The whole present file of the anchor."""
    original: bytes | None = None
    """Repair: what stood at the anchor before the failed draft."""
    files: tuple[tuple[str, bytes], ...] = ()
    """Further files with their present bytes, the best first: those a draft may change, or a test to imitate."""
    failure: str = ""
    """What the last red check or tests printed."""
    observations: Sequence[Observation] = ()
    """Oldest first."""
    changed: Mapping[str, int] = field(default_factory=dict)
    """Path -> how many observations there were when it last changed: earlier ones of that file are stale."""
    attempts: tuple[Attempt, ...] = ()
    """Earlier drafts that failed, oldest first."""
    plan: tuple[str, ...] = ()
    """`[ ] text` or `[x] text`, in order."""
    paths: tuple[str, ...] = ()
    """Tracked files, the likeliest first: shown to roles that name files, as many as fit."""
    test_path: str = ""
    """Reproduce: where the new test file will lie."""
    runner: str = ""
    """Reproduce: what runs the tests, e.g. `pytest`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A prompt that fits, with the names of what is in it and of what is not."""

    messages: tuple[tuple[str, str], ...]
    """Role and text, as `WriteRequest.messages`."""
    kept: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    """Observations that are not shown: stale, repeated, or without room."""
    clipped: tuple[str, ...] = ()
    """Pinned parts of which a piece is missing; a marker stands where."""

    @property
    def characters(self) -> int:
        """Size of all messages together."""
        return sum(len(text) for _, text in self.messages)

    def record(self) -> dict[str, object]:
        """For the trace (`context_packed`): counts are whole, lists end after forty names of one line each."""
        return {
            "kept": [one_line(name) for name in self.kept[:_NAMES]],
            "dropped": [one_line(name) for name in self.dropped[:_NAMES]],
            "dropped_count": len(self.dropped),
            "clipped": self.clipped,
            "characters": self.characters,
        }


_NAMES = 40  # a trace line is read by people
