"""The effect of an edit: Generate writes, the first draft that passes stands; must not keep anything."""

from agent.domain.edit import Anchor, Draft
from agent.domain.thresholds import REPAIR_LIMIT
from agent.edits.anchor import anchor_at
from agent.errors import GuardError
from agent.guards.events import APPLIED, FAILED, FREE, Event
from agent.guards.paths import protected
from agent.loop.context import Context
from agent.loop.notebook import Standing
from agent.loop.prompting import attempt
from agent.loop.standing import left_for_repair, provisional, restore
from agent.loop.trying import Tried, try_draft
from agent.loop.writing import repairs_in_place, write

Place = tuple[str, str]
"""Path and spot: what guards, trace and notebook call an edit by."""


def edit(context: Context, path: str, spot: str) -> tuple[Event, ...]:
    """Perform one `apply_edit`; returns what to tell the guards. `spot` is `begin-end`, or `free` without an anchor."""
    place = path, spot
    _enforce(context, place)
    standing = context.book.standing
    broken = standing if standing is not None and standing.broken else None
    anchor = broken.anchor if broken else _anchor(context, place)
    tried, note = _attempts(context, place, anchor, broken)
    passed = next((one for one in tried if one.passed), None)
    if passed is not None:
        provisional(context, place, anchor, passed, note)
        fixed = f"; it fixes {', '.join(passed.fixed[:5])}" if passed.fixed else ""
        events = context.note(_label(place), f"a draft passed check and reaching tests and is provisional{fixed}")
        return (*events, Event(APPLIED, {"path": path, "spot": spot}))
    return _failed(context, place, anchor, tried, note)


def _label(place: Place) -> str:
    return f"edit {place[0] or 'files of its own choice'}:{place[1]}"


def _enforce(context: Context, place: Place) -> None:
    """The guards explain, the effect enforces: if they ever disagree it is a fault of ours.

    An edit that names no file yet is held to the same rules file by file, when its draft is tried.
    """
    path = place[0]
    if not path and place[1] == FREE and context.book.reading:
        return
    why = protected(path, context.paths, exists=True)
    if why is None and path not in context.book.reading:
        why = "it was not read in this run"
    if why is not None:
        raise GuardError(f"an edit of {path} got past the guards: {why}")


def _anchor(context: Context, place: Place) -> Anchor | None:
    if place[1] == FREE:
        return None
    begin, _, end = place[1].partition("-")
    return anchor_at(place[0], context.ports.workspace.read(place[0]), int(begin), int(end))


def _attempts(
    context: Context, place: Place, anchor: Anchor | None, broken: Standing | None
) -> tuple[list[Tried], str]:
    """Try drafts until one passes; what is left over stays for later. Also Generate's note.

    A search is asked again for as long as it brings what was not tried yet and can still be paid for.
    """
    queue, note = context.book.waiting.pop(place, []), ""
    tried: list[Tried] = []
    asked = False
    while context.meter.loop_left > 0 and not (tried and tried[-1].passed):
        if not queue:
            if asked and (repairs_in_place(context) or not context.meter.can_pay):
                break
            written, note = write(context, place, anchor, broken)
            known = [one.draft for one in tried]
            queue = [draft for draft in written if draft not in known]
            asked = True
        if not queue:
            break
        tried.append(try_draft(context, anchor, queue.pop(0)))
    if queue:
        context.book.waiting[place] = queue
    return tried, note


def _failed(context: Context, place: Place, anchor: Anchor | None, tried: list[Tried], note: str) -> tuple[Event, ...]:
    """No draft passed: it is written again, left for repair, or given up."""
    best = next((one for one in tried if one.files), None)
    output = best.output if best else "; ".join(dict.fromkeys(one.output for one in tried))
    if tried and best is None and _may_write_again(context, place):
        return context.note(_label(place), f"the draft could not be applied, and nothing was changed: {output}")
    for one in tried:
        attempt(context, place, shown(one.draft), one.output)
    repairs = context.book.tried.count(place)
    context.book.tried.append(place)
    if best is not None and repairs_in_place(context) and repairs < REPAIR_LIMIT:
        left_for_repair(context, place, anchor, best)
        told = f"the draft failed and was left for repair; until then everything fails:\n{output}"
        return (*context.note(_label(place), told), _failure(place, standing=True))
    what = f"{len(tried)} drafts were tried, none passed" if tried else "Generate wrote no draft"
    return _given_up(context, place, f"{what}. {note}\n{output}".strip())


def _given_up(context: Context, place: Place, told: str) -> tuple[Event, ...]:
    """Nothing of this edit stands any more; the guards hear of it unless the place gets a second look."""
    book = context.book
    broken = book.standing
    events = context.note(_label(place), told)
    if place in book.second and not book.narrowing:
        return (*events, *_second_looks(context))
    failed = _failure(place, standing=False)
    return (failed, *restore(context)) if broken else (failed, *events, *_second_looks(context))


def _failure(place: Place, *, standing: bool) -> Event:
    return Event(FAILED, {"path": place[0], "spot": place[1], "standing": standing})


def _may_write_again(context: Context, place: Place) -> bool:
    """Whether an author whose draft could not even be applied is told so and asked once more."""
    book = context.book
    book.unusable[place] = book.unusable.get(place, 0) + 1
    return repairs_in_place(context) and not book.standing and book.unusable[place] <= REPAIR_LIMIT


def shown(draft: Draft) -> bytes:
    """A draft in one piece, for people and prompts."""
    parts = [f"{hunk.path}: {'deleted' if hunk.delete else hunk.new}" for hunk in draft.hunks]
    return "\n".join(parts).encode(errors="replace") if parts else draft.text


def _second_looks(context: Context) -> tuple[Event, ...]:
    """When every suspect was tried in vain, give the places that deserve it a second look."""
    book = context.book
    if book.untried or book.narrowing or not book.second:
        return ()
    book.narrowing = True
    book.tried = [place for place in book.tried if place not in book.second]
    return context.note("search", "every suspect was tried in vain: a second look, for the goal's own tests alone")
