"""What the tracer wrote to a spectrum; hostile input, read line by line within limits. No IO."""

import json
from collections.abc import Iterator

from agent.domain.suite import Spectrum
from agent.verify.ids import unique_ids

TRACE_LIMIT = 64 * 1024**2
"""Bytes of a trace that are read."""
_FILES = 5_000
_LINES = 50_000
"""Files of one test and lines of one file that are kept."""


def read_trace(content: bytes | None) -> Spectrum:
    """One spectrum; a damaged last line (the run was killed) is left out, anything else damaged makes it unusable."""
    if content is None:
        return Spectrum(problem="the tracer left no record")
    raw: dict[str, dict[str, frozenset[int]]] = {}
    for line in content.splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break
        found = _read_line(line)
        if found is None:
            return Spectrum(problem="the tracer's record could not be read")
        test, files = found
        known = raw.setdefault(test, {})
        for path, lines in files.items():
            known[path] = known.get(path, frozenset()) | lines
    if not any(raw):
        return Spectrum(problem="the tracer saw no test")
    names = unique_ids(raw)
    return Spectrum(lines={names[test]: files for test, files in raw.items()})


def _read_line(line: bytes) -> tuple[str, dict[str, frozenset[int]]] | None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    test, files = data.get("id"), data.get("files")
    if not isinstance(test, str) or not isinstance(files, dict):
        return None
    return test, dict(_files(files))


def _files(files: dict[object, object]) -> Iterator[tuple[str, frozenset[int]]]:
    for path, lines in list(files.items())[:_FILES]:
        if isinstance(path, str) and isinstance(lines, list):
            yield path, frozenset(line for line in lines[:_LINES] if type(line) is int and line > 0)
