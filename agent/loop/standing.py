"""What an edit leaves on disk until the suite has spoken: put there, taken back; must not run or judge anything."""

from collections.abc import Iterable

from agent.domain.edit import Anchor, Draft
from agent.edits.anchor import after
from agent.guards.events import RESTORED, Event
from agent.loop.context import Context
from agent.loop.notebook import Standing
from agent.loop.trying import Tried, put


def provisional(context: Context, place: tuple[str, str], anchor: Anchor | None, tried: Tried, note: str) -> None:
    """The draft that passed is already on disk: remember where it stands and what it replaced."""
    book = context.book
    broken = book.standing
    book.standing = Standing(
        path=place[0],
        spot=place[1],
        anchor=_moved(anchor, tried.draft),
        original=broken.original if broken else anchor,
        broken=False,
        note=note,
        files=tuple(tried.files),
        rivals=tried.draft.rivals,
        differ=tried.draft.differ,
    )
    changed(context, tried.files)


def left_for_repair(context: Context, place: tuple[str, str], anchor: Anchor | None, tried: Tried) -> None:
    """Write the best failed draft again, so that its author can work on it."""
    book = context.book
    broken = book.standing
    put(context.ports.workspace, tried.files)
    book.standing = Standing(
        path=place[0],
        spot=place[1],
        anchor=_moved(anchor, tried.draft),
        original=broken.original if broken else anchor,
        broken=True,
        output=tried.output,
        files=tuple(tried.files),
    )
    book.verification = "failed"
    changed(context, tried.files)


def restore(context: Context) -> tuple[Event, ...]:
    """Bring the last kept bytes back; returns what to tell the guards."""
    standing = context.book.standing
    if standing is None:
        return ()
    different = {change.path for change in context.ports.workspace.changes()}
    context.ports.workspace.restore(context.book.last_good)
    context.book.standing = None
    context.book.verification = "passed" if context.book.kept else "unknown"
    changed(context, sorted(different | {change.path for change in context.ports.workspace.changes()}))
    return (Event(RESTORED, {"path": standing.path}),)


def changed(context: Context, paths: Iterable[str]) -> None:
    """These files differ from what was read: they may be read again, from their start."""
    for path in paths:
        context.book.changed.append(path)
        context.book.finished.discard(path)
        context.book.reading[path] = 1
        context.book.stale[path] = len(context.book.observations)


def _moved(anchor: Anchor | None, draft: Draft) -> Anchor | None:
    """Where the draft's bytes stand now; None when that is not one place, or nothing is left there."""
    if anchor is None or draft.hunks or not draft.text:
        return None
    return after(anchor, draft)
