"""Asks Generate for the text of an anchor, within the time it may take; must not apply what comes back."""

from agent.domain.edit import Anchor, Draft
from agent.domain.thresholds import DRAFTS, GENERATE_SECONDS
from agent.loop.context import Context
from agent.loop.notebook import Standing
from agent.loop.prompting import for_draft
from agent.loop.trying import reaching
from agent.ports import OUT_OF_TIME, WriteRequest

_RIVAL = 0.5  # of this place's suspicion, from which another place deserves part of the time
_FIRST, _SECOND = 0.15, 0.5  # least shares of the time left for one of several places, at its first and second look
_LOOK = 12.0  # seconds below which a look is not worth its start: collecting tests took 3 to 8 of them on busy machines
_LONE = 0.35  # the share of a place without rivals, while others are left: likely candidates come first everywhere


def write(
    context: Context, place: tuple[str, str], anchor: Anchor | None, broken: Standing | None
) -> tuple[list[Draft], str]:
    """The drafts, best first, and Generate's own note. `broken`: the failed draft that is to be repaired.

    A search must first satisfy every red test that reaches the anchor: more tests leave fewer accidents. Only when that
    was in vain everywhere must the goal's own tests be enough, for another fault may hold the others back.
    """
    book = context.book
    failing, passing = reaching(context, anchor, [place[0]] if place[0] else [])
    own = tuple(test for test in failing if test in book.focus)
    fewer = bool(own) and own != failing and not repairs_in_place(context)
    wanted = own if fewer and book.narrowing else failing
    request = _request(context, place, anchor, broken, wanted, passing)
    written = context.write(request, DRAFTS, path=place[0], lines=place[1])
    if not written.drafts and not book.narrowing and (fewer or written.stop == OUT_OF_TIME):
        book.second.append(place)
    return list(written.drafts), written.note


def _request(
    context: Context,
    place: tuple[str, str],
    anchor: Anchor | None,
    broken: Standing | None,
    failing: tuple[str, ...],
    passing: tuple[str, ...],
) -> WriteRequest:
    book, workspace = context.book, context.ports.workspace
    heat = book.heat.get(place[0], {})
    source = workspace.read(place[0]) if place[0] and context.listing.exists(place[0]) else b""
    left = context.meter.loop_left - book.reserve
    share = _share(context, anchor) if anchor else 1.0
    failures = _first_failures(context, failing)
    return WriteRequest(
        anchor=anchor,
        role="draft",
        source=source,
        failing=failing,
        passing=passing,
        suspicion=tuple((line, heat[line]) for line in sorted(heat) if anchor and anchor.begin <= line <= anchor.end),
        changes=workspace.changes(),
        messages=for_draft(context, place, anchor, broken, failures),
        told=f"{context.task.goal}\n{failures}",
        seconds=max(1.0, min(GENERATE_SECONDS, max(left * share, min(_LOOK, left)))),
    )


def _share(context: Context, anchor: Anchor) -> float:
    """Of the time left, what one Generate call may take: less while other places are nearly as suspect as this one.

    A second look goes on where the first one stopped.
    """
    scores = {one.begin: one.score for one in context.book.suspects if one.path == anchor.path}
    mine = scores.get(anchor.begin, 1.0)
    others = [one for one in context.book.untried if (one.path, one.begin) != (anchor.path, anchor.begin)]
    rivals = [one for one in others if one.score >= _RIVAL * mine]
    if not rivals:
        return _LONE if others else 1.0
    return _SECOND if context.book.narrowing else max(_FIRST, 1 / (len(rivals) + 1))


def _first_failures(context: Context, failing: tuple[str, ...]) -> str:
    told = [(test, context.book.failures.get(test, "")) for test in failing]
    return "\n\n".join(f"{test}\n{message}" for test, message in told if message)


def repairs_in_place(context: Context) -> bool:
    """Whether Generate can work on its own failed draft: a search cannot, it goes on with the next suspect."""
    return context.ports.generator.repairs
