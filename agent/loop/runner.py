"""The story of one run, from baseline to result; must not ask a model before the baseline, nor perform effects."""

import hashlib

from agent.domain.action import Action
from agent.domain.environment import Environment
from agent.domain.result import Outcome, RunResult
from agent.domain.task import Options, Setting, Task
from agent.errors import GuardError, ModelError
from agent.guards.events import BASELINE, DECLINED, STOP, Event
from agent.guards.paths import PathRules, asks_for_tests
from agent.loop.context import Context
from agent.loop.editing import edit
from agent.loop.ending import End, finish
from agent.loop.listing import Listing
from agent.loop.looking import answer, read_file, search
from agent.loop.meter import Meter
from agent.loop.notebook import Notebook
from agent.loop.planning import make_plan
from agent.loop.proposal import Proposed, propose
from agent.loop.recording import record, stop, stopped
from agent.loop.reproducing import reproduce
from agent.loop.rules import Rules, described
from agent.loop.suites import run_suite
from agent.loop.suspects import find_suspects
from agent.ports import Entry, Ports
from agent.records import written_down
from agent.verify.goal import named_tests
from agent.verify.verifier import Verifier

_SUBMODULE = 0o160000


def run(task: Task, options: Options, environment: Environment, ports: Ports) -> RunResult:
    """Work on a task until it is done, refused or out of budget, and hand back what was kept with its verdict.

    Raises `agent.errors` only for what could not be done at all: sandbox, workspace, trace, or a guard that broke.
    """
    context = _prepared(task, options, environment, ports)
    ports.trace.emit("run_started", 0, _started(context, environment))
    try:
        end = _baseline(context) or _loop(context)
    except GuardError as error:
        context.trace("guard_error", reason=str(error))
        raise
    return finish(context, end)


def _prepared(task: Task, options: Options, environment: Environment, ports: Ports) -> Context:
    meter = Meter(budget=options.budget, clock=ports.clock)
    book = Notebook()
    entries = ports.workspace.entries()
    paths = PathRules(
        extra=options.protected,
        verify=(*options.commands.verify, *(options.commands.check or ())),
        tests_asked=asks_for_tests(task.goal),
        submodules=frozenset(entry.path for entry in entries if entry.mode == _SUBMODULE),
    )
    verifier = Verifier(
        sandbox=ports.sandbox,
        checkouts=ports.checkouts,
        environment=environment,
        options=options,
        clock=ports.clock,
        trace=ports.trace,
    )
    return Context(
        task=task,
        options=options,
        ports=ports,
        verifier=verifier,
        paths=paths,
        rules=Rules(paths, ports.classifier.profile),
        meter=meter,
        book=book,
        listing=Listing(ports.workspace, task.goal, book, ports.memory),
    )


def _started(context: Context, environment: Environment) -> dict[str, object]:
    budget = context.options.budget
    return {
        "goal": context.task.goal,
        "base": _fingerprint(context.ports.workspace.entries()),
        "verify": context.options.commands.verify,
        "steps": budget.steps,
        "seconds": budget.seconds,
        "classify": context.ports.classifier.label,
        "floors": context.ports.classifier.profile.name,
        "floors_warning": context.ports.classifier.profile.warning,
        "generate": context.ports.generator.label,
        "sandbox": context.ports.sandbox.name,
        "record": written_down(_setting(context, environment)),
    }


def _setting(context: Context, environment: Environment) -> Setting:
    classifier, generator = context.ports.classifier, context.ports.generator
    return Setting(
        title=context.task.title,
        body=context.task.body,
        options=context.options,
        python=environment.python,
        classify=classifier.label,
        floors=classifier.profile.name,
        generate=generator.label,
        repairs=generator.repairs,
        prose=generator.prose,
        room=generator.room,
        sandbox=context.ports.sandbox.name,
    )


def _fingerprint(entries: tuple[Entry, ...]) -> str:
    """One word for exactly these files: a run may only go on where it began."""
    digest = hashlib.sha256()
    for entry in entries:
        digest.update(f"{entry.path}\0{entry.blob}\0{entry.mode}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _baseline(context: Context) -> End | None:
    """Run the suite on the base; an end when nothing can be judged by it."""
    book = context.book
    base = context.verifier.baseline(min(context.options.timeouts.suite, context.meter.loop_left))
    unusable = context.verifier.unusable(base)
    book.baseline, book.red, book.good = base, base.red(), base.passed()
    book.seconds = {case.id: case.seconds for case in base.cases or ()}
    book.failures = {case.id: case.message for case in base.cases or () if case.status.red}
    book.last_good = context.ports.workspace.checkpoint()
    context.trace(
        "baseline", exit_code=base.exit_code, seconds=base.seconds, red=base.red(), passed=len(base.passed()),
        output=base.output, unusable=unusable,
    )  # fmt: skip
    if unusable:
        return End(outcome=Outcome.SUITE_UNUSABLE, reason=unusable)
    messages = [f"{case.id}: {case.message}" for case in base.cases or () if case.status.red]
    head = f"{len(base.red())} red, {len(base.passed())} passed, exit code {base.exit_code}"
    context.note(
        "suite before any change", "\n".join([head, *messages]) if messages else f"{head}\n{base.output[-3000:]}"
    )
    find_suspects(context)
    prose = context.ports.generator.prose
    writable = prose and base.cases is not None and bool(context.verifier.runner)
    told = {"red": len(base.red()), "named": len(named_tests(context.task.goal, base.red()))}
    context.rules.tell(Event(BASELINE, {**told, "prose": prose, "writable": writable}))
    return None


def _loop(context: Context) -> End:
    while True:
        end = _step(context)
        if end is not None:
            return end


def _step(context: Context) -> End | None:
    """One turn: what a guard wants, else mask, ask, decide; then perform and tell the guards."""
    rules = context.rules
    stepped = rules.begin(context.meter.left(_reserve(context)), cancelled=context.ports.cancelled())
    proposed = Proposed(event=None)
    if stepped.selected is None:
        try:
            proposed = propose(context)
        except ModelError as error:
            proposed = Proposed(event=None, reason=f"Classify cannot be used: {error}")
        if proposed.event is None:
            return stopped(context, proposed.reason)
        stepped = rules.decide(proposed.event)
    decision = record(context, stepped, proposed)
    event = stepped.selected
    if event is None or event.type == STOP:
        return stop(context, event, decision)
    if event.type == Action.TASK_COMPLETE:
        return End(outcome=Outcome.COMPLETED, reason=_completed(context))
    return _perform(context, event, proposed)


def _reserve(context: Context) -> float:
    """A search is over once what is left does not pay for its find's suite; who writes prose can still answer."""
    idle = context.book.standing is None and not context.ports.generator.prose
    return context.book.reserve if idle else 0.0


def _perform(context: Context, event: Event, proposed: Proposed) -> End | None:
    events = [Event(DECLINED)] if proposed.declined else []
    try:
        events += _effect(context, event)
    except ModelError as error:
        context.rules.settle(*events)
        return stopped(context, f"Generate cannot be used: {error}")
    context.book.done.append(event.type)
    context.trace("effect", action=event.type, events=[described(one) for one in events])
    context.rules.settle(*events)
    context.meter.steps += 1
    if context.book.answer:
        return End(outcome=Outcome.ANSWERED, reason="the goal asked for an answer")
    return None


def _effect(context: Context, event: Event) -> tuple[Event, ...]:
    match Action(event.type):
        case Action.READ_CODE:
            return read_file(context, event.text("path"))
        case Action.SEARCH_CODE:
            return search(context, event.text("pattern"))
        case Action.APPLY_EDIT:
            return edit(context, event.text("path"), event.text("spot"))
        case Action.RUN_SUITE:
            return run_suite(context, context.meter.loop_left)
        case Action.GENERATE_ANSWER:
            return answer(context)
        case Action.PLAN:
            return make_plan(context)
        case Action.REPRODUCE:
            return reproduce(context)
        case Action.TASK_COMPLETE:
            raise GuardError(f"`{event.type}` was chosen though it was not offered")


def _completed(context: Context) -> str:
    kept = len(context.book.kept)
    return f"{kept} {'edit' if kept == 1 else 'edits'} kept on a green suite" if kept else "nothing had to be changed"
