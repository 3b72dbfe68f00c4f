"""Tries one draft: applied, checked, run on the tests that reach it, undone when it fails; must not keep it."""

from collections.abc import Iterable
from dataclasses import dataclass

from agent.domain.edit import Anchor, Draft
from agent.domain.suite import Status, SuiteRun
from agent.edits.anchor import apply
from agent.errors import WorkspaceError
from agent.guards.paths import protected
from agent.loop.context import Context

_PASSING = 50  # green tests run beside the red ones before the full suite: the quickest that reach the file


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of one draft; applied and standing when `passed`, undone otherwise."""

    draft: Draft
    passed: bool
    applied: bool
    output: str = ""
    fixed: tuple[str, ...] = ()


def try_draft(context: Context, anchor: Anchor, draft: Draft) -> Tried:
    """Apply a draft and look whether it stands check and tests; one with a path that cannot be is a failed draft."""
    workspace = context.ports.workspace
    try:
        contents = _contents(context, anchor, draft)
    except ValueError as error:
        return _told(context, Tried(draft=draft, passed=False, applied=False, output=str(error)))
    token = workspace.checkpoint()
    try:
        for path, content in contents.items():
            workspace.write(path, content)
    except WorkspaceError as error:
        workspace.restore(token)
        return _told(context, Tried(draft=draft, passed=False, applied=False, output=f"it cannot be applied: {error}"))
    tried = _run(context, anchor, draft)
    if not tried.passed:
        workspace.restore(token)
    return _told(context, tried)


def _contents(context: Context, anchor: Anchor, draft: Draft) -> dict[str, bytes]:
    """Every file of the draft's transaction with its new bytes; ValueError when one of them may not be written."""
    source = context.ports.workspace.read(anchor.path)
    if not draft.files:
        return {anchor.path: apply(source, anchor, draft)}
    present = {entry.path for entry in context.ports.workspace.entries()}
    for path, _content in draft.files:
        why = protected(path, context.paths, exists=path in present)
        if why is None and path != anchor.path and path in present:
            why = "it exists and was not read"
        if why is not None:
            raise ValueError(f"the draft may not write {path}: {why}")
    if dict(draft.files).get(anchor.path) == source:
        raise ValueError("the draft changes nothing")
    return dict(draft.files)


def reaching(context: Context, anchor: Anchor) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Red tests that reach the anchor (all red ones when none is known), green ones of the file, quickest first."""
    book = context.book
    reach = book.spectrum.of_file(anchor.path)
    span = range(anchor.begin, anchor.end + 1)
    red = sorted(test for test in book.red if any(line in span for line in reach.get(test, ())))
    green = [test for test in reach if test in book.good]
    if not reach:
        modules = {test.split("::")[0] for test in book.red}
        green = [test for test in book.good if test.split("::")[0] in modules]
    green.sort(key=lambda test: (book.seconds.get(test, 0.0), test))
    return tuple(red or sorted(book.red)), tuple(green)


def _run(context: Context, anchor: Anchor, draft: Draft) -> Tried:
    changes = context.ports.workspace.changes()
    limits = context.options.timeouts
    check = context.verifier.check(changes, anchor.path, min(limits.check, context.meter.loop_left))
    if check is not None and check.exit_code != 0:
        return Tried(draft=draft, passed=False, applied=True, output=check.output)
    red, green = reaching(context, anchor)
    ids = (*red, *green[:_PASSING])
    if not ids:
        return Tried(draft=draft, passed=True, applied=True)  # nothing narrower than the suite can tell
    run = context.verifier.tests(changes, ids, min(limits.suite, context.meter.loop_left))
    return _judged(draft, run, red, green[:_PASSING])


def fixed_by(run: SuiteRun, red: Iterable[str]) -> tuple[str, ...]:
    """Red tests that pass now, sorted; an uncollectable file is fixed when its tests run and none of them is red."""
    status = run.status()

    def fixed(test: str) -> bool:
        if test in status:
            return status[test] is Status.PASSED
        inner = [now for name, now in status.items() if name.startswith(f"{test}::")]
        return bool(inner) and not any(now.red for now in inner)

    return tuple(sorted(test for test in red if fixed(test)))


def _judged(draft: Draft, run: SuiteRun, red: tuple[str, ...], green: tuple[str, ...]) -> Tried:
    passed = run.passed()
    fixed = fixed_by(run, red)
    broken = tuple(test for test in green if test not in passed)
    good = run.finished and not broken and bool(fixed or not red)
    output = run.output
    if not good:
        lines = [f"{case.id}: {case.message}" for case in run.cases or () if case.id not in passed]
        output = "\n".join(lines) or run.output
    return Tried(draft=draft, passed=good, applied=True, output=output, fixed=fixed)


def _told(context: Context, tried: Tried) -> Tried:
    context.trace(
        "draft",
        text=tried.draft.text,
        files=[path for path, _ in tried.draft.files],
        note=tried.draft.note,
        passed=tried.passed,
        applied=tried.applied,
        fixed=tried.fixed,
        output=tried.output[-2000:],
    )
    return tried
