"""Packs a bounded prompt: goal, anchor and last failure are pinned, the rest fills what is left; sends nothing.

Ten times the observations give the same size. Nothing is summarised or paraphrased; what does not fit is dropped whole,
oldest first, and the prompt says how many were.
"""

from collections.abc import Sequence

from agent.domain.action import Observation
from agent.domain.edit import Anchor
from agent.prompts.material import Role
from agent.prompts.packing import rules

GOAL_CHARS = 16_384  # issue text is untrusted and may be huge
FILE_CHARS = 24_000
FAILURE_CHARS = 6_000
OBSERVATION_CHARS = 6_000
OBSERVATIONS_CHARS = 32_768  # bounds of the loop's own state, so that Generate sees no more than Classify


def _rules(name: str) -> str:
    return rules(Role(name))


def messages_for_edit(
    *, goal: str, anchor: Anchor, source: bytes, failure: str, observations: Sequence[Observation]
) -> tuple[tuple[str, str], ...]:
    """System and user message for one replacement; `failure` is the last red output, cut to its end."""
    parts = [
        _section("issue", clip_head(goal, GOAL_CHARS)),
        _section(f"file {anchor.path}, around the anchor", _around(source, anchor)),
        _section(f"anchor: lines {anchor.begin} to {anchor.end}", anchor.old.decode("utf-8", "replace")),
    ]
    if failure:
        parts.append(_section("what fails now", clip_tail(failure, FAILURE_CHARS)))
    parts.append(_section("seen so far", bounded(observations)))
    return (("system", _rules("edit")), ("user", "\n".join(parts)))


def messages_for_search(*, goal: str, observations: Sequence[Observation]) -> tuple[tuple[str, str], ...]:
    """Messages that ask for one literal search text."""
    user = _section("issue", clip_head(goal, GOAL_CHARS)) + "\n" + _section("seen so far", bounded(observations))
    return (("system", _rules("search")), ("user", user))


def messages_for_answer(*, goal: str, observations: Sequence[Observation]) -> tuple[tuple[str, str], ...]:
    """Messages that ask for a prose answer."""
    user = _section("issue", clip_head(goal, GOAL_CHARS)) + "\n" + _section("seen so far", bounded(observations))
    return (("system", _rules("answer")), ("user", user))


def bounded(observations: Sequence[Observation]) -> str:
    """The newest observations that fit, oldest first, each clipped; a first line says how many were dropped."""
    kept: list[str] = []
    room = OBSERVATIONS_CHARS
    for observation in reversed(observations):
        text = f"[{observation.label}]:\n{clip_head(observation.text, OBSERVATION_CHARS)}"
        if len(text) > room:
            break
        room -= len(text)
        kept.append(text)
    dropped = len(observations) - len(kept)
    if dropped:
        kept.append(f"({dropped} earlier observations dropped)")
    return "\n".join(reversed(kept)) or "nothing"


def clip_head(text: str, limit: int) -> str:
    """The beginning of a text with a marker where it was cut."""
    return text if len(text) <= limit else text[:limit] + f"\n... ({len(text) - limit} characters cut)"


def clip_tail(text: str, limit: int) -> str:
    """The end of a text, where test runners put what failed."""
    return text if len(text) <= limit else f"({len(text) - limit} characters cut) ...\n" + text[-limit:]


def _around(source: bytes, anchor: Anchor) -> str:
    """As many whole lines either side of the anchor as fit."""
    lines = source.decode("utf-8", "replace").split("\n")
    begin, end = max(anchor.begin - 1, 0), min(anchor.end, len(lines))
    size = sum(len(line) + 1 for line in lines[begin:end])
    while size < FILE_CHARS and (begin > 0 or end < len(lines)):
        if begin > 0:
            begin -= 1
            size += len(lines[begin]) + 1
        if end < len(lines):
            size += len(lines[end]) + 1
            end += 1
    return clip_head("\n".join(lines[begin:end]), FILE_CHARS)


def _section(title: str, body: str) -> str:
    return f"## {title}\n{body}\n"
