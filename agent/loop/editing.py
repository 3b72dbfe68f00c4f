"""The effect of an edit: Generate writes for an anchor, the first draft that passes stands; must not keep anything."""

from agent.domain.edit import Anchor
from agent.domain.thresholds import REPAIR_LIMIT
from agent.edits.anchor import after, anchor_at, apply
from agent.errors import GuardError
from agent.guards.events import APPLIED, FAILED, RESTORED, Event
from agent.guards.paths import protected
from agent.loop.context import Context
from agent.loop.notebook import Standing
from agent.loop.trying import Tried, try_draft
from agent.loop.writing import repairs_in_place, write


def edit(context: Context, path: str, spot: str) -> tuple[Event, ...]:
    """Perform one `apply_edit`; returns what to tell the guards."""
    _enforce(context, path)
    standing = context.book.standing
    broken = standing if standing is not None and standing.broken else None
    anchor = broken.anchor if broken else _anchor(context, path, spot)
    tried, note = _attempts(context, anchor, spot, broken)
    passed = next((one for one in tried if one.passed), None)
    if passed is not None:
        return _applied(context, spot, anchor, passed, broken, note)
    return _failed(context, path, spot, anchor, tried, note, broken)


def _enforce(context: Context, path: str) -> None:
    """The guards explain, the effect enforces: if they ever disagree it is a fault of ours."""
    why = protected(path, context.paths, exists=True)
    if why is None and path not in context.book.reading:
        why = "it was not read in this run"
    if why is not None:
        raise GuardError(f"an edit of {path} got past the guards: {why}")


def _anchor(context: Context, path: str, spot: str) -> Anchor:
    begin, _, end = spot.partition("-")
    return anchor_at(path, context.ports.workspace.read(path), int(begin), int(end))


def _attempts(context: Context, anchor: Anchor, spot: str, broken: Standing | None) -> tuple[list[Tried], str]:
    """Try drafts until one passes; what is left over stays for later. Also Generate's note."""
    key = (anchor.path, spot)
    queue, note = context.book.waiting.pop(key, []), ""
    tried: list[Tried] = []
    asked = False
    while context.meter.loop_left > 0 and not (tried and tried[-1].passed):
        if not queue:
            if asked and repairs_in_place(context):
                break
            queue, note = write(context, anchor, broken)
            asked = True
        if not queue:
            break
        tried.append(try_draft(context, anchor, queue.pop(0)))
    if queue:
        context.book.waiting[key] = queue
    return tried, note


def _applied(
    context: Context, spot: str, anchor: Anchor, passed: Tried, broken: Standing | None, note: str
) -> tuple[Event, ...]:
    path = anchor.path
    context.book.standing = Standing(
        path=path,
        spot=spot,
        anchor=after(anchor, passed.draft) if passed.draft.text else anchor,
        original=broken.original if broken else anchor,
        broken=False,
        note=note,
        whole=bool(passed.draft.files),
    )
    _changed(context, path)
    fixed = f"; it fixes {', '.join(passed.fixed[:5])}" if passed.fixed else ""
    label = f"edit {path}:{spot}"
    events = context.note(label, f"a draft passed check and reaching tests and is provisional{fixed}")
    return (*events, Event(APPLIED, {"path": path, "spot": spot}))


def _failed(
    context: Context,
    path: str,
    spot: str,
    anchor: Anchor,
    tried: list[Tried],
    note: str,
    broken: Standing | None,
) -> tuple[Event, ...]:
    best = next((one for one in tried if one.applied and one.draft.text and not one.draft.files), None)
    repairs = sum(1 for done in context.book.tried if done == (path, spot))
    output = best.output if best else "; ".join(dict.fromkeys(one.output for one in tried))
    label = f"edit {path}:{spot}"
    if best is not None and repairs_in_place(context) and repairs < REPAIR_LIMIT:
        context.book.tried.append((path, spot))
        workspace = context.ports.workspace
        workspace.write(path, apply(workspace.read(path), anchor, best.draft))
        _changed(context, path)
        original = broken.original if broken else anchor
        stands = after(anchor, best.draft)
        context.book.standing = Standing(
            path=path, spot=spot, anchor=stands, original=original, broken=True, output=output
        )
        context.book.verification = "failed"
        events = context.note(
            label, f"the draft failed and was left for repair; until then everything fails:\n{output}"
        )
        return (*events, Event(FAILED, {"path": path, "spot": spot, "standing": True}))
    context.book.tried.append((path, spot))
    what = f"{len(tried)} drafts were tried, none passed" if tried else "Generate wrote no draft"
    events = context.note(label, f"{what}. {note}\n{output}".strip())
    if (path, spot) in context.book.second and not context.book.narrowing:
        return (*events, *_second_looks(context))  # not over yet, so no guard need hear of a failure
    failed = Event(FAILED, {"path": path, "spot": spot, "standing": False})
    return (failed, *restore(context)) if broken else (failed, *_second_looks(context))


def _second_looks(context: Context) -> tuple[Event, ...]:
    """When every suspect was tried in vain, give the places that deserve it a second look."""
    book = context.book
    left = [one for one in book.suspects if (one.path, f"{one.begin}-{one.end}") not in book.tried]
    if left or book.narrowing or not book.second:
        return ()
    book.narrowing = True
    book.tried = [place for place in book.tried if place not in book.second]
    return context.note("search", "every suspect was tried in vain: a second look, for the goal's own tests alone")


def restore(context: Context) -> tuple[Event, ...]:
    """Bring the last kept bytes back; returns what to tell the guards."""
    standing = context.book.standing
    if standing is None:
        return ()
    context.ports.workspace.restore(context.book.last_good)
    context.book.standing = None
    context.book.verification = "passed" if context.book.kept else "unknown"
    _changed(context, standing.path)
    return (Event(RESTORED, {"path": standing.path}),)


def _changed(context: Context, path: str) -> None:
    """The file differs from what was read: it may be read again, from its start."""
    context.book.changed.append(path)
    context.book.finished.discard(path)
    context.book.reading[path] = 1
