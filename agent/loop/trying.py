"""Tries one draft: applied, checked, run on the tests that reach it, undone when it fails; must not keep it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agent.domain.edit import Anchor, Draft
from agent.domain.suite import Status, SuiteRun
from agent.edits.transaction import contents
from agent.errors import WorkspaceError
from agent.guards.paths import protected
from agent.loop.context import Context
from agent.loop.plan import next_open, ticked
from agent.ports import Workspace
from agent.tools.locate import locate, new_name, shown
from agent.tools.refused import Refused

_PASSING = 50  # green tests run beside the red ones before the full suite: the quickest that reach the file


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of one draft; applied and standing when `passed`, undone otherwise."""

    draft: Draft
    passed: bool
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    """What it made of every file it touches; empty when it could not be applied."""
    output: str = ""
    fixed: tuple[str, ...] = ()


def try_draft(context: Context, anchor: Anchor | None, draft: Draft) -> Tried:
    """Apply a draft and look whether it stands check and tests; one that cannot be applied is a failed draft."""
    workspace = context.ports.workspace
    try:
        files = contents(draft, anchor, lambda path: present(context, path))
        _allowed(context, files)
    except ValueError as error:
        return _told(context, Tried(draft=draft, passed=False, output=str(error)))
    token = workspace.checkpoint()
    try:
        put(workspace, files)
    except WorkspaceError as error:
        workspace.restore(token)
        return _told(context, Tried(draft=draft, passed=False, output=f"it cannot be applied: {error}"))
    tried = _run(context, anchor, draft, files)
    if not tried.passed:
        workspace.restore(token)
    return _told(context, tried)


def put(workspace: Workspace, files: Mapping[str, bytes | None]) -> None:
    """Write a transaction's files; WorkspaceError when one of them cannot be written."""
    for path, content in files.items():
        if content is None:
            workspace.delete(path)
        else:
            workspace.write(path, content)


def present(context: Context, path: str) -> bytes | None:
    """The file's bytes now; None when it is not tracked. ValueError for a path that cannot be one of the tree's."""
    if not context.listing.exists(path):
        return None
    try:
        return context.ports.workspace.read(path)
    except WorkspaceError as error:
        raise ValueError(str(error)) from None


def _allowed(context: Context, files: Mapping[str, bytes | None]) -> None:
    """The guards explain, the effect enforces: every file of a transaction, not only the one it was proposed for."""
    for path in files:
        tracked = context.listing.exists(path)
        why = protected(path, context.paths, exists=tracked)
        if path in context.book.written:
            why = "this run wrote it as evidence before its first edit"
        if why is None and tracked and path not in context.book.reading:
            context.book.want = path
            why = "it was not read in this run; read it first"
        if why is None and not tracked:
            why = _odd_name(context.ports.workspace, path)
        if why is not None:
            raise ValueError(f"the draft may not touch {path}: {why}")


def _odd_name(workspace: Workspace, path: str) -> str | None:
    """Why a file of this name was hardly meant to be made; None when it was."""
    place = locate(workspace, path)
    if isinstance(place, Refused):
        return place.reason
    if place.entry is not None:
        return f"there is {shown(place.path)}, so name that one"
    odd = new_name(workspace, path)
    return odd.reason if odd else None


def reaching(
    context: Context, anchor: Anchor | None, paths: Iterable[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Red tests that reach the anchor (all red ones when none is known), green ones of the files, quickest first."""
    book = context.book
    named = dict.fromkeys((*([anchor.path] if anchor else []), *paths))
    reach = [(path, test, lines) for path in named for test, lines in book.spectrum.of_file(path).items()]
    span = range(anchor.begin, anchor.end + 1) if anchor else range(0)
    red = {
        test
        for path, test, lines in reach
        if test in book.red and (anchor is None or path != anchor.path or any(line in span for line in lines))
    }
    green = {test for _, test, _ in reach if test in book.good}
    if not reach:
        modules = {test.split("::")[0] for test in book.red}
        green = {test for test in book.good if test.split("::")[0] in modules}
    quickest = sorted(green, key=lambda test: (book.seconds.get(test, 0.0), test))
    return tuple(sorted(red or book.red)), tuple(quickest)


def _run(context: Context, anchor: Anchor | None, draft: Draft, files: Mapping[str, bytes | None]) -> Tried:
    changes = context.ports.workspace.changes()
    limits = context.options.timeouts
    for path, content in files.items():
        if content is None:
            continue
        check = context.verifier.check(changes, path, min(limits.check, context.meter.loop_left))
        if check is not None and check.exit_code != 0:
            return Tried(draft=draft, passed=False, files=files, output=check.output)
    red, green = reaching(context, anchor, files)
    ids = (*red, *green[:_PASSING])
    if not ids:
        return Tried(draft=draft, passed=True, files=files)  # nothing narrower than the suite can tell
    run = context.verifier.tests(changes, ids, min(limits.suite, context.meter.loop_left))
    return _judged(draft, files, run, () if _more_is_planned(context, files) else red, green[:_PASSING])


def _more_is_planned(context: Context, files: Iterable[str]) -> bool:
    """Whether the plan has places left after this one: then nothing need be fixed yet, only nothing broken."""
    return bool(next_open(ticked(context.book.plan, files), context.listing.exists))


def fixed_by(run: SuiteRun, red: Iterable[str]) -> tuple[str, ...]:
    """Red tests that pass now, sorted; an uncollectable file is fixed when its tests run and none of them is red."""
    status = run.status()

    def fixed(test: str) -> bool:
        if test in status:
            return status[test] is Status.PASSED
        inner = [now for name, now in status.items() if name.startswith(f"{test}::")]
        return bool(inner) and not any(now.red for now in inner)

    return tuple(sorted(test for test in red if fixed(test)))


def _judged(
    draft: Draft, files: Mapping[str, bytes | None], run: SuiteRun, red: tuple[str, ...], green: tuple[str, ...]
) -> Tried:
    passed = run.passed()
    fixed = fixed_by(run, red)
    broken = tuple(test for test in green if test not in passed)
    good = run.finished and not broken and bool(fixed or not red)
    output = run.output
    if not good:
        lines = [f"{case.id}: {case.message}" for case in run.cases or () if case.id not in passed]
        output = "\n".join(lines) or run.output
    return Tried(draft=draft, passed=good, files=files, output=output, fixed=fixed)


def _told(context: Context, tried: Tried) -> Tried:
    context.trace(
        "draft",
        text=tried.draft.text,
        files=sorted(tried.files),
        note=tried.draft.note,
        passed=tried.passed,
        applied=bool(tried.files),
        fixed=tried.fixed,
        output=tried.output[-2000:],
    )
    return tried
