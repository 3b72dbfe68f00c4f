"""The effect of a full suite run: green makes a provisional edit kept, else it is undone; must not judge a run."""

from agent.domain.suite import SuiteRun
from agent.domain.thresholds import REPAIR_LIMIT
from agent.guards.events import FAILED, SUITE_GREEN, SUITE_RED, Event
from agent.loop.context import Context
from agent.loop.planning import tick
from agent.loop.prompting import attempt
from agent.loop.standing import restore
from agent.loop.suspects import find_suspects
from agent.loop.trying import fixed_by


def run_suite(context: Context, seconds: float) -> tuple[Event, ...]:
    """Run the whole suite on the present changes; returns what to tell the guards. `seconds` is its limit."""
    changes = context.ports.workspace.changes()
    limit = max(1.0, min(context.options.timeouts.suite, seconds))
    run = context.verifier.suite(changes, limit)
    reasons = missing_or_red(context.book.good, run)
    context.trace("verify", exit_code=run.exit_code, seconds=run.seconds, red=run.red(), reasons=reasons)
    return _green(context, run) if not reasons else _red(context, run, reasons)


def missing_or_red(good: frozenset[str], run: SuiteRun) -> tuple[str, ...]:
    """Why a run is not green: none of the `good` tests may fail or be missing, and the run must be whole."""
    if run.timed_out or run.exit_code is None:
        return ("the suite did not end within its limit",)
    if run.report_problem:
        return (run.report_problem,)
    if run.cases is None:
        return () if run.exit_code == 0 else (f"the suite ended with exit code {run.exit_code}",)
    status = run.status()
    passed = run.passed()
    return tuple(
        f"{test} {status[test].value if test in status else 'did not run'}"
        for test in sorted(good)
        if test not in passed
    )


def _green(context: Context, run: SuiteRun) -> tuple[Event, ...]:
    book = context.book
    standing = book.standing
    fixed = fixed_by(run, book.red)
    book.verification = "passed"
    text = f"green: nothing fails that passed before; fixed: {', '.join(fixed[:20]) or 'none'}"
    events: tuple[Event, ...] = ()
    if standing is not None and not standing.broken:
        book.kept.append(f"{standing.path}:{standing.spot}")
        both = standing.original, standing.anchor
        before, after = (one.old if one and all(both) else b"" for one in both)
        book.swaps.append((standing.path, before, after))
        book.undecided = max(book.undecided, standing.differ + 1 if standing.differ else 0)
        if standing.note:
            book.notes.append(f"how {standing.path}:{standing.spot} was found: {standing.note}")
        if standing.rivals:
            alike = f"{standing.differ} of them behave otherwise" if standing.differ else "they behave alike"
            book.notes.append(f"{standing.rivals} other candidates passed the same tests; on what these run {alike}")
        book.standing = None
        book.last_good = context.ports.workspace.checkpoint()
        book.good |= run.passed()
        book.red -= frozenset(fixed)
        events = (*events, *tick(context, standing.files))
        book.failures = {test: message for test, message in book.failures.items() if test not in fixed}
        book.tried.clear()
        book.attempts.clear()
        book.waiting.clear()
        book.reds.clear()
        book.unusable.clear()
        book.second.clear()
        book.narrowing = False
        context.trace("kept", path=standing.path, spot=standing.spot, fixed=fixed, red_left=book.red)
        find_suspects(context)
    return (*context.note("suite", text), Event(SUITE_GREEN, {"fixed": len(fixed)}), *events)


def _red(context: Context, run: SuiteRun, reasons: tuple[str, ...]) -> tuple[Event, ...]:
    book = context.book
    book.verification = "failed"
    messages = [f"{case.id}: {case.message}" for case in run.cases or () if case.id in book.good and case.status.red]
    text = "red: " + "; ".join(reasons[:20]) + "\n" + ("\n".join(messages) or run.output)[-4000:]
    standing = book.standing
    if standing is None or standing.broken:
        return (*context.note("suite", text), Event(SUITE_RED))
    key = (standing.path, standing.spot)
    attempt(context, key, standing.anchor.old if standing.anchor else b"", text)
    book.reds[key] = book.reds.get(key, 0) + 1
    events = context.note("suite", f"{text}\nedit {standing.path}:{standing.spot} number {book.reds[key]} was undone")
    if book.reds[key] <= REPAIR_LIMIT:
        return (*events, Event(SUITE_RED), *restore(context))
    book.tried.append(key)
    failed = Event(FAILED, {"path": standing.path, "spot": standing.spot, "standing": False})
    return (*events, Event(SUITE_RED), failed, *restore(context))
