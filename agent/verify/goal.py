"""Which tests and exceptions a goal names; the goal is somebody's text, read for words alone. No IO."""

import re
from collections.abc import Iterable

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NODE = re.compile(r"[\w./-]+\.py(?:::\w+)+(?:\[[^\]\n]*\])?")
_QUOTED = re.compile(r"([`\"'])([^`\"'\n]{3,200})\1")
_EXCEPTION = re.compile(r"^[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Iteration)$")
_ASSERTION = re.compile(
    r"^(?:assert\b|assertion (?:`|failed: )|AssertionError\b|Failed: DID NOT (?:RAISE|WARN)|Failed: )"
)


def named_tests(goal: str, ids: Iterable[str]) -> tuple[str, ...]:
    """Ids of tests the goal names: by node id, `test_…` function, `Test…` class, or title in quotes; sorted."""
    nodes = [match.group(0) for match in _NODE.finditer(goal)]
    prose = _NODE.sub(" ", goal)
    modules = {match.group(1) for match in re.finditer(r"(\w+)\.py\b", prose)}
    # a module's name is no test's name: `test_shapes.py` names none
    words = {match.group(0) for match in _WORD.finditer(prose)} - modules
    quoted = {match.group(2) for match in _QUOTED.finditer(goal)}
    return tuple(sorted(one for one in ids if _is_named(one, nodes, words) or _titles(one) & quoted))


def _titles(test_id: str) -> set[str]:
    """What a test of a framework without `test_…` names is called: its title with and without what stands around it."""
    file, _, inner = test_id.partition("::")
    return set() if file.endswith(".py") else {inner, inner.rpartition(" > ")[2], inner.rpartition("::")[2]} - {""}


def _is_named(test_id: str, nodes: list[str], words: set[str]) -> bool:
    plain = test_id.split("[", 1)[0]
    for node in nodes:
        shorter = node.removeprefix("./")
        if test_id == shorter or plain == shorter or test_id.startswith((f"{shorter}::", f"{shorter}[")):
            return True
        if test_id.endswith(f"/{shorter}") or plain.endswith(f"/{shorter}"):
            return True
    inner = [part.split("/", 1)[0] for part in plain.split("::")[1:]]
    return any(part in words and part.lower().startswith("test") and len(part) > len("test_") for part in inner)


def failed_for_the_reason(message: str, goal: str) -> bool:
    """A failure by assertion, or by an exception whose name stands in the goal."""
    first = message.lstrip().split("\n", 1)[0]
    first = re.sub(r'^failed on (?:setup|teardown) with "', "", first)
    if _ASSERTION.match(first):
        return True
    name = first.split(":", 1)[0].strip().rsplit(".", 1)[-1]
    return bool(_EXCEPTION.match(name)) and name in {match.group(0) for match in _WORD.finditer(goal)}
