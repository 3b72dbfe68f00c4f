"""Bytes and where they go: anchors, drafts, changes. No disk: only the Workspace port writes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """The exact bytes an edit replaces: whole lines `begin`..`end` of `path` (1-based, inclusive)."""

    path: str
    begin: int
    end: int
    old: bytes
    """Those lines with their own line endings, the last one's included when the file has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One proposed replacement for an anchor's bytes; nothing is claimed of it until it has run."""

    text: bytes
    files: tuple[tuple[str, bytes], ...] = ()
    """Further files of the same transaction, path and whole content: files to create, or the anchor's own file (then
    `text` is not used)."""
    note: str = ""
    """What the author says it does, e.g. the repair operator's name; shown in the trace."""
    probe: bool = False
    """Screened only to learn what the tests can tell apart: its passing ends no search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a run did to one file: from the base's bytes to the present ones."""

    path: str
    """Relative posix path inside the tree."""
    before: bytes | None
    """None: the file is new."""
    after: bytes | None
    """None: the file is deleted."""
    mode: int = 0o100644
    """Git file mode of the result; an existing file keeps its own."""
