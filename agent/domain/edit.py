"""Bytes and where they go: anchors, hunks, drafts, changes. No disk: only the Workspace port writes."""

from dataclasses import dataclass
from typing import ClassVar

_PLAIN_BYTES = {"ser_json_bytes": "base64", "val_json_bytes": "base64"}
"""How a codec is to write these bytes down: they are a repository's, and need not be text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """The exact bytes an edit replaces: whole lines `begin`..`end` of `path` (1-based, inclusive)."""

    __pydantic_config__: ClassVar[dict[str, str]] = _PLAIN_BYTES

    path: str
    begin: int
    end: int
    old: bytes
    """Those lines with their own line endings, the last one's included when the file has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """One replacement in one file, named by its text: what a model may write where no anchor was picked."""

    path: str
    old: str = ""
    """Text that stands in the file exactly once; empty for a file that is to be created."""
    new: str = ""
    delete: bool = False
    """The file is to go; `old` and `new` are empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One proposed change; nothing is claimed of it until it has run."""

    __pydantic_config__: ClassVar[dict[str, str]] = _PLAIN_BYTES

    text: bytes = b""
    """What replaces the anchor's bytes; not used when there are hunks."""
    hunks: tuple[Hunk, ...] = ()
    """Replacements in one or several files that belong together: all of them are applied, or none."""
    problem: str = ""
    """Why a reply cannot be used, in words its author can act on; such a draft is never applied."""
    note: str = ""
    """What the author says it does, e.g. the repair operator's name; shown in the trace."""
    rivals: int = 0
    """Other candidates of the same search that passed the same tests as this one."""
    differ: int = 0
    """In how many other ways these behave, on calls the tests make; above 0 the suite does not tell them apart."""
    probe: bool = False
    """Screened only to learn what the tests can tell apart: its passing ends no search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a run did to one file: from the base's bytes to the present ones."""

    __pydantic_config__: ClassVar[dict[str, str]] = _PLAIN_BYTES

    path: str
    """Relative posix path inside the tree."""
    before: bytes | None
    """None: the file is new."""
    after: bytes | None
    """None: the file is deleted."""
    mode: int = 0o100644
    """Git file mode of the result; an existing file keeps its own."""
