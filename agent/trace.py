"""Keeps a run's events as JSON Lines, each flushed before the next step; must not know what the events mean."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from agent.errors import TraceError

ABOUT = "about"
"""The field that says which call an outcome belongs to: two calls with the same words here are the same call."""
VERSION = 2
"""2: every outcome of a model or of the suite is kept whole as `record`, so that a run can be resumed and replayed."""
RECORD = "record"
"""The field with an outcome whole, as `agent.records` writes it; empty when it could not be kept."""
KINDS = frozenset(
    {
        "run_started", "baseline", "suite", "mask", "classify", "decision", "effect", "generate", "draft", "verify",
        "kept", "verdict", "context_packed", "context_compacted", "retry", "guard_error", "waiting", "resumed",
        "run_ended",
    }
)  # fmt: skip
"""What a reader of this version understands."""
LARGE = 8_192
"""Characters from which a text lies beside the trace, under its sha256."""
HEAD = 400
"""Characters of such a text that stay in the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One line of a trace; `at` is wall-clock seconds since the epoch."""

    v: int
    run: str
    seq: int
    at: float
    step: int
    kind: str
    data: Mapping[str, object]


class JsonLines:
    """Appends events to one file; `seq` counts from 0 without gaps, also when the file is continued."""

    def __init__(
        self, path: Path, run: str, now: Callable[[], float], redact: Callable[[str], str] = lambda text: text
    ) -> None:
        """`now` gives wall-clock seconds; `redact` sees every text before it is written."""
        self.path = path
        self._run, self._now, self._redact = run, now, redact
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._seq = sum(1 for _ in read_trace(path, every_kind=True)) if path.exists() else 0
            self._file = path.open("a", encoding="utf-8", newline="\n")
            self._file.truncate(_whole(path))
        except OSError as error:
            raise TraceError(f"the trace {path} cannot be written: {error.strerror}") from error

    def emit(self, kind: str, step: int, data: Mapping[str, object]) -> None:
        """Append one event and flush it; TraceError when the disk refuses."""
        line = {"v": VERSION, "run": self._run, "seq": self._seq, "at": round(self._now(), 3), "step": step}
        try:
            text = json.dumps({**line, "kind": kind, "data": self.plain(data)}, ensure_ascii=False)
            self._file.write(text.encode("utf-8", "backslashreplace").decode() + "\n")
            self._file.flush()
        except (OSError, ValueError) as error:
            raise TraceError(f"the trace {self.path} cannot be written: {error}") from error
        self._seq += 1

    def recall(self, kind: str, about: str) -> str | None:  # noqa: ARG002 - the port
        """Nothing: this run has no earlier life."""
        return None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def plain(self, data: Mapping[str, object]) -> dict[str, object]:
        """An event's data as written: redacted, large texts as digests; a redacted record would lie, so it goes."""
        kept = data.get(RECORD)
        if isinstance(kept, str) and self._redact(kept) != kept:
            data = {**data, RECORD: ""}
        return {str(key): self._plain(value) for key, value in data.items()}

    def _plain(self, value: object) -> object:
        if isinstance(value, str):
            return self._text(self._redact(value))
        if isinstance(value, float) and not isfinite(value):
            return str(value)  # JSON has no word for it, and other readers than ours are strict
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, bytes):
            return self._text(self._redact(value.decode(errors="backslashreplace")))
        if isinstance(value, Mapping):
            return {str(key): self._plain(one) for key, one in value.items()}
        if isinstance(value, frozenset | set):
            return [self._plain(one) for one in sorted(value, key=repr)]
        if isinstance(value, tuple | list):
            return [self._plain(one) for one in value]
        return self._text(self._redact(str(value)))

    def _text(self, text: str) -> object:
        if len(text) <= LARGE:
            return text
        content = text.encode(errors="backslashreplace")
        digest = hashlib.sha256(content).hexdigest()
        beside(self.path).mkdir(exist_ok=True)
        target = beside(self.path) / digest
        if not target.exists():
            half = target.with_suffix(f".{os.getpid()}")
            half.write_bytes(content)
            half.rename(target)  # a crash leaves no half text under a whole one's name
        return {"sha256": digest, "bytes": len(content), "head": text[:HEAD]}


def beside(path: Path) -> Path:
    """The folder of a trace's large texts."""
    return path.with_name(f"{path.name}.d")


def whole_text(path: Path, value: object) -> str | None:
    """A text of a trace whole, also where it lies beside it; None when it is no text or does not match its digest."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        return None
    digest = str(value.get("sha256", ""))
    if len(digest) != len(hashlib.sha256().hexdigest()) or not digest.isalnum():
        return None  # a name made of anything else would lead out of the folder
    try:
        content = (beside(path) / digest).read_bytes()
    except OSError:
        return None
    return content.decode(errors="replace") if hashlib.sha256(content).hexdigest() == digest else None


def read_trace(path: Path, *, every_kind: bool = False) -> Iterator[Record]:
    """The records of a trace in order; unknown kinds are left out unless `every_kind`.

    A last line cut short by a crash is left out; a gap in `seq` or any other unreadable line is a TraceError.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise TraceError(f"the trace {path} cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines[:-1]):  # what follows the last newline was never finished
        record = _record(path, number, line)
        if every_kind or record.kind in KINDS:
            yield record


def _whole(path: Path) -> int:
    """Bytes up to the last finished line: what a crash left of a line after it is cut off before going on."""
    return path.read_bytes().rfind(b"\n") + 1


def _record(path: Path, number: int, line: str) -> Record:
    try:
        raw = json.loads(line)
        names = ("v", "run", "seq", "at", "step", "kind", "data")
        record = Record(**{name: raw[name] for name in names})
    except (ValueError, KeyError, TypeError) as error:
        raise TraceError(f"line {number + 1} of the trace {path} cannot be read") from error
    if record.seq != number:
        raise TraceError(f"line {number + 1} of the trace {path} has seq {record.seq}: events are missing")
    return record
