"""The effect of reproducing: one new test that fails for the reported reason, or none at all; must not touch a source.

Code chooses the path, beside the tests the suite collects already; a test that passes, or fails for another reason, is
taken back. What stays is this run's evidence and may not change any more.
"""

import re
from collections import Counter
from dataclasses import replace
from pathlib import PurePosixPath

from agent.domain.suite import Case, SuiteRun
from agent.domain.thresholds import GENERATE_SECONDS
from agent.edits.reply import unfenced
from agent.errors import WorkspaceError
from agent.guards.events import REPRODUCED, UNREPRODUCED, Event
from agent.guards.paths import protected
from agent.loop.context import Context
from agent.loop.prompting import material_of, present_files, prompt
from agent.loop.suspects import find_suspects
from agent.ports import WriteRequest
from agent.prompts.material import Role
from agent.verify.goal import failed_for_the_reason

_SLUG_WORDS = 5


def reproduce(context: Context) -> tuple[Event, ...]:
    """Have a failing test written and run it; returns what to tell the guards."""
    path = test_path(context)
    content = _written(context, path)
    if not content.strip():
        return _in_vain(context, "Generate wrote no test")
    workspace = context.ports.workspace
    why = protected(path, context.paths, exists=False)
    if why is not None:
        return _in_vain(context, f"a test at {path} may not be written: {why}")
    token = workspace.checkpoint()
    try:
        workspace.write(path, content)
    except WorkspaceError as error:
        workspace.restore(token)
        return _in_vain(context, f"the test cannot be written: {error}")
    limit = min(context.options.timeouts.suite, context.meter.loop_left)
    run = context.verifier.tests(workspace.changes(), (path,), limit)
    problem = unfit(run, path, context.task.goal)
    if problem:
        workspace.restore(token)
        return _in_vain(context, f"{problem}; it was taken back:\n{content.decode(errors='replace')}")
    return _keep(context, path, run)


def _written(context: Context, path: str) -> bytes:
    examples = present_files(context, [*reversed(context.book.reading), *_tests_like(context)])
    material = replace(material_of(context), files=examples, test_path=path, runner=context.verifier.runner)
    request = WriteRequest(
        anchor=None,
        role="reproduce",
        messages=prompt(context, Role.REPRODUCE, material),
        seconds=max(1.0, min(GENERATE_SECONDS, context.meter.loop_left)),
    )
    written = context.write(request, 1, path=path)
    text = unfenced(written.drafts[0].text.decode(errors="replace")) if written.drafts else ""
    return (text.replace("\r\n", "\n").rstrip("\n") + "\n").encode(errors="replace")


def unfit(run: SuiteRun, path: str, goal: str) -> str:
    """Why the written test shows nothing; empty when it fails, wholly and only, for the reported reason."""
    mine = [case for case in run.cases or () if case.id == path or case.id.startswith(f"{path}::")]
    red = [case for case in mine if case.status.red]
    if not run.finished or not mine:
        return f"the suite did not run the test ({run.report_problem or 'it was not collected, or did not end'})"
    if not red:
        return "the test passes already, so it does not show what is reported"
    stray = next((case for case in red if not failed_for_the_reason(case.message, goal)), None)
    if stray is not None:
        first = stray.message.strip().split("\n", 1)[0][:300]
        return f"the test fails, but neither by an assertion nor by an exception the issue names: {first}"
    return ""


def _keep(context: Context, path: str, run: SuiteRun) -> tuple[Event, ...]:
    book = context.book
    cases = [case for case in run.cases or () if case.id.startswith(f"{path}::")]
    red = frozenset(case.id for case in cases if case.status.red)
    book.written = (*book.written, path)
    book.red |= red
    book.focus = red
    book.failures.update({case.id: case.message for case in cases if case.status.red})
    book.changed.append(path)
    book.last_good = context.ports.workspace.checkpoint()
    find_suspects(context)
    events = context.note("reproduce", f"{path} fails for the reported reason:\n{_messages(cases)}")
    return (*events, Event(REPRODUCED, {"path": path}))


def _in_vain(context: Context, why: str) -> tuple[Event, ...]:
    return (*context.note("reproduce", why), Event(UNREPRODUCED))


def _messages(cases: list[Case]) -> str:
    return "\n".join(f"{case.id}: {case.message}" for case in cases if case.status.red)


def test_path(context: Context) -> str:
    """A new file beside most of the suite's tests, named after the issue's title."""
    words = re.findall(r"[a-z0-9]+", context.task.title.lower())[:_SLUG_WORDS]
    stem = f"test_{'_'.join(words) or 'issue'}"[:60]
    folder = _folder(context)
    names = (f"{stem}.py", *(f"{stem}_{number}.py" for number in range(2, 100)))
    paths = (str(folder / name) if str(folder) != "." else name for name in names)
    return next(path for path in paths if not context.listing.exists(path))


def _folder(context: Context) -> PurePosixPath:
    folders = Counter(PurePosixPath(path).parent for path in _collected(context))
    return min(folders, key=lambda one: (-folders[one], len(one.parts), str(one)), default=PurePosixPath("."))


def _collected(context: Context) -> frozenset[str]:
    """Files the suite collects tests from; only those a new one can stand beside."""
    cases = context.book.baseline.cases if context.book.baseline else None
    files = {case.id.split("::", 1)[0] for case in cases or ()}
    return frozenset(path for path in files if path.endswith(".py") and context.listing.exists(path))


def _tests_like(context: Context) -> list[str]:
    """Collected test files, those most like the goal first: what a new test should look like."""
    collected = _collected(context)
    ranked = [path for path in context.listing.ranked() if path in collected]
    return ranked or sorted(collected)
