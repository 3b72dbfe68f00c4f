"""Test ids that mean the same on both sides: normalised, unique, and comparable across collection errors. No IO."""

import re
from collections.abc import Iterable, Mapping, Sequence

from agent.domain.suite import Status, SuiteRun

MESSAGE_LIMIT = 2_000
"""Characters of a failure message that are kept."""

CUT = "…"
"""How a message ends that was longer."""

_UNSTABLE = (
    (re.compile(r"0x[0-9a-fA-F]{4,}"), "<address>"),
    (re.compile(r"(?:/private)?(?:/var)?/(?:tmp|folders)/[^\s\]\"',:;()]*"), "<tmp>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\b"), "<time>"),
    (re.compile(r"\b\d\d:\d\d:\d\d(?:\.\d+)?\b"), "<time>"),
)
_PLACEHOLDER = re.compile(r"<(?:address|tmp|time)>")
_NUMBERED = re.compile(r" #\d+$")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


def normalise(raw: str) -> str:
    """A node id without what changes from run to run: addresses, times, temporary paths."""
    for pattern, placeholder in _UNSTABLE:
        raw = pattern.sub(placeholder, raw)
    return raw


def unique_ids(raw: Iterable[str]) -> Mapping[str, str]:
    """Raw node id to its normalised one; those that would collide are numbered in the order of their raw text.

    `test_at[10:30:00]` and `test_at[11:00:00]` are stable and stay two tests; with addresses in them the numbers follow
    the addresses, which is as good as anything: nobody can tell such tests apart.
    """
    groups: dict[str, list[str]] = {}
    for one in dict.fromkeys(raw):
        groups.setdefault(normalise(one), []).append(one)
    result: dict[str, str] = {}
    for plain, members in groups.items():
        for number, one in enumerate(sorted(members), start=1):
            result[one] = plain if len(members) == 1 else f"{plain} #{number}"
    return result


def interchangeable(test_id: str) -> bool:
    """One of several tests told apart by addresses or temporary paths alone: in the next run it may be another one."""
    return bool(_NUMBERED.search(test_id)) and any(one in test_id for one in ("<address>", "<tmp>"))


def selectors(ids: Iterable[str]) -> tuple[str, ...]:
    """What the node-id plugin is asked to keep for these ids: unstable ones by their function, with all parameters."""
    wanted = {one.split("[", 1)[0] if _PLACEHOLDER.search(one) else one for one in ids}
    return tuple(sorted(wanted))


def file_of(test_id: str) -> str:
    """The path part of a node id."""
    return test_id.split("::", 1)[0]


def ancestors(test_id: str) -> Sequence[str]:
    """Node ids of what must be collected before this test: its file and classes, outermost first."""
    parts = test_id.split("[", 1)[0].split("::")
    return ["::".join(parts[:size]) for size in range(1, len(parts))]


def status_of(run: SuiteRun | None, test_id: str) -> Status | None:
    """How a test ended in a run; ERROR when its file or class could not be collected; None when it was not there."""
    if run is None:
        return None
    return lookup(run.status(), test_id)


def lookup(table: Mapping[str, Status], test_id: str) -> Status | None:
    """`status_of` over a table that was built once."""
    found = table.get(test_id)
    if found is not None:
        return found
    broken = any((above := table.get(one)) is not None and above.red for one in ancestors(test_id))
    return Status.ERROR if broken else None


def clean_message(text: str) -> str:
    """A failure message without escape sequences and control characters, cut to its limit."""
    text = _CONTROL.sub("", text)
    return text if len(text) <= MESSAGE_LIMIT else text[: MESSAGE_LIMIT - 1] + CUT
