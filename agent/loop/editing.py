"""The effect of an edit: Generate writes for an anchor, the first draft that passes stands; must not keep anything."""

from agent.domain.edit import Anchor, Draft
from agent.domain.thresholds import DRAFTS, GENERATE_SECONDS, REPAIR_LIMIT
from agent.edits.anchor import after, anchor_at, apply
from agent.errors import GuardError
from agent.guards.events import APPLIED, FAILED, RESTORED, Event
from agent.guards.paths import protected
from agent.loop.context import Context
from agent.loop.notebook import Standing
from agent.loop.trying import Tried, reaching, try_draft
from agent.ports import WriteRequest
from agent.prompts.pack import messages_for_edit

_RIVAL = 0.5  # of this place's suspicion, from which another place deserves part of the time
_SUITE_RESERVE = 1.2  # of the baseline's seconds, kept back for the suite an edit needs before it is kept


def edit(context: Context, path: str, spot: str) -> tuple[Event, ...]:
    """Perform one `apply_edit`; returns what to tell the guards."""
    _enforce(context, path)
    standing = context.book.standing
    broken = standing if standing is not None and standing.broken else None
    anchor = broken.anchor if broken else _anchor(context, path, spot)
    tried, note = _attempts(context, anchor, spot, broken)
    passed = next((one for one in tried if one.passed), None)
    if passed is not None:
        return _applied(context, path, spot, anchor, passed, broken)
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
            queue, note = _write(context, anchor, broken)
            asked = True
        if not queue:
            break
        tried.append(try_draft(context, anchor, queue.pop(0)))
    if queue:
        context.book.waiting[key] = queue
    return tried, note


def _write(context: Context, anchor: Anchor, broken: Standing | None) -> tuple[list[Draft], str]:
    book, workspace = context.book, context.ports.workspace
    failing, passing = reaching(context, anchor)
    heat = book.heat.get(anchor.path, {})
    source = workspace.read(anchor.path)
    reserve = _SUITE_RESERVE * (book.baseline.seconds if book.baseline else 0.0)
    request = WriteRequest(
        anchor=anchor,
        source=source,
        failing=failing,
        passing=passing,
        suspicion=tuple((line, heat[line]) for line in sorted(heat) if anchor.begin <= line <= anchor.end),
        changes=workspace.changes(),
        messages=messages_for_edit(
            goal=context.task.goal,
            anchor=anchor,
            source=source,
            failure=broken.output if broken else _first_failures(context, failing),
            observations=book.observations,
        ),
        seconds=max(1.0, min(GENERATE_SECONDS, (context.meter.loop_left - reserve) * _share(context, anchor))),
    )
    written = context.ports.generator.write(request, DRAFTS)
    context.meter.generate_calls += 1
    context.meter.pay(written.tokens, written.money)
    context.trace(
        "generate",
        path=anchor.path,
        lines=f"{anchor.begin}-{anchor.end}",
        model=written.model,
        drafts=len(written.drafts),
        tokens=written.tokens,
        seconds=written.seconds,
        stop=written.stop,
        note=written.note,
    )
    return list(written.drafts), written.note


def _share(context: Context, anchor: Anchor) -> float:
    """Of the time left, what one Generate call may take: half while another place is nearly as suspect as this one."""
    scores = {one.begin: one.score for one in context.book.suspects if one.path == anchor.path}
    mine = scores.get(anchor.begin, 1.0)
    tried = {(path, spot.partition("-")[0]) for path, spot in context.book.tried}
    rivals = [
        one
        for one in context.book.suspects
        if (one.path, one.begin) != (anchor.path, anchor.begin)
        and (one.path, str(one.begin)) not in tried
        and one.score >= _RIVAL * mine
    ]
    return 0.5 if rivals else 1.0


def _first_failures(context: Context, failing: tuple[str, ...]) -> str:
    base = context.book.baseline
    cases = [case for case in (base.cases or () if base else ()) if case.id in failing]
    return "\n\n".join(f"{case.id}\n{case.message}" for case in cases[:5])


def _applied(
    context: Context, path: str, spot: str, anchor: Anchor, passed: Tried, broken: Standing | None
) -> tuple[Event, ...]:
    book = context.book
    original = broken.original if broken else anchor
    stands = after(anchor, passed.draft) if passed.draft.text else anchor
    book.standing = Standing(path=path, spot=spot, anchor=stands, original=original, broken=False)
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
    best = next((one for one in tried if one.applied and one.draft.text), None)
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
    context.note(label, f"{what}. {note}\n{output}".strip())
    failed = Event(FAILED, {"path": path, "spot": spot, "standing": False})
    return (failed, *restore(context)) if broken else (failed,)


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


def repairs_in_place(context: Context) -> bool:
    """Whether Generate can work on its own failed draft: a search cannot, it goes on with the next suspect."""
    return not context.ports.generator.label.startswith("embedded")


def _changed(context: Context, path: str) -> None:
    """The file differs from what was read: it may be read again, from its start."""
    context.book.changed.append(path)
    context.book.finished.discard(path)
    context.book.reading[path] = 1
