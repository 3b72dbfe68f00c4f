"""The agent's way to run a repository's suite and to have a change judged. Must not touch the tree that is edited."""

from collections.abc import Iterable, Sequence

from agent.domain.edit import Change
from agent.domain.environment import Environment
from agent.domain.result import Judgement
from agent.domain.suite import Spectrum, Status, SuiteRun
from agent.domain.task import Options
from agent.ports import Checkouts, Clock, Sandbox, TraceSink
from agent.verify.bench import Bench, Question
from agent.verify.judging import facts_of
from agent.verify.suites import Changes, Observed, Suites
from agent.verify.verdict import verdict

_NOT_FOUND = (126, 127)
_KILLED = range(129, 160)
"""Exit codes a shell gives for a signal."""


class Verifier:
    """Runs check, suite and spectrum on clean checkouts, and is the only maker of a verdict."""

    def __init__(
        self,
        *,
        sandbox: Sandbox,
        checkouts: Checkouts,
        environment: Environment,
        options: Options,
        clock: Clock,
        trace: TraceSink,
    ) -> None:
        self._suites = Suites(
            sandbox=sandbox, checkouts=checkouts, environment=environment, options=options, trace=trace
        )
        self._clock = clock
        self._trace = trace
        self._options = options
        self._last: tuple[Changes, Observed] | None = None
        self._all: frozenset[str] = frozenset()

    def baseline(self, seconds: float) -> SuiteRun:
        """The suite on a clean checkout of the base."""
        run = self._suites.full((), seconds, "baseline").run
        self._all = frozenset(case.id for case in run.cases or ())
        return run

    def unusable(self, baseline: SuiteRun) -> str:
        """Why nothing can be judged by this suite, in a sentence that names the setting; empty when it can."""
        command = " ".join(self._options.commands.verify)
        if baseline.timed_out:
            return (
                f"The suite did not end within {baseline.seconds:.0f} s (`verify`: {command}). "
                "Name a quicker command with `verify`, or allow more time with `timeouts`."
            )
        problem = self._problem(baseline)
        if not problem:
            return ""
        return f"The suite cannot be used: {problem}. Set `verify` to a command that runs the tests (now: {command})."

    @property
    def runner(self) -> str:
        """The framework of a Python suite, where one new test file can be run apart and seen; empty for any other."""
        framework = self._suites.command.framework
        return framework.name if framework.traces else ""

    def check(self, changes: Iterable[Change], path: str, seconds: float) -> SuiteRun | None:
        """The per-file check on base and changes; None when the repository has none."""
        return self._suites.check(tuple(changes), path, seconds)

    def suite(self, changes: Iterable[Change], seconds: float) -> SuiteRun:
        """The whole suite on base and changes, on a clean checkout; not again on what it has just seen to the end."""
        wanted = tuple(changes)
        if self._last is not None and self._last[0] == wanted:
            return self._last[1].run
        observed = self._suites.full(wanted, seconds, "suite")
        self._last = (wanted, observed) if observed.run.finished else None
        return observed.run

    def tests(self, changes: Iterable[Change], ids: Sequence[str], seconds: float) -> SuiteRun:
        """These tests only; the whole suite where they are all of it or its command cannot be narrowed to them."""
        everything = bool(self._all) and self._all <= set(ids)
        if everything or not self._suites.command.framework.narrows(ids):
            return self.suite(changes, seconds)
        return self._suites.some(tuple(changes), ids, seconds, "tests")

    def spectrum(self, changes: Iterable[Change], ids: Sequence[str] | None, seconds: float) -> Spectrum:
        """Executed lines per test (all tests when `ids` is None), from a separate run with the tracer."""
        return self._suites.spectrum(tuple(changes), ids, seconds)

    def judge(
        self,
        baseline: SuiteRun,
        changes: tuple[Change, ...],
        goal: str,
        seconds: float,
        written_tests: tuple[str, ...] = (),
        undecided: int = 0,
    ) -> Judgement:
        """The verdict on these changes within `seconds`; what there was no time for makes it `unverified`.

        `written_tests`: ids or files of tests this run wrote before its first edit and has not changed since.
        `undecided`: how many candidates for one of the edits passed the same tests and behaved differently on them.
        A suite run of exactly these changes that `suite` has just made counts as the final one.
        """
        if not changes:
            raise ValueError("there is nothing to judge: no change was kept")
        question = Question(baseline=baseline, changes=changes, goal=goal, written=written_tests, undecided=undecided)
        bench = Bench(suites=self._suites, clock=self._clock, question=question, deadline=self._clock() + seconds)
        known = self._last[1] if self._last is not None and self._last[0] == changes else None
        judgement = verdict(facts_of(bench, known))
        self._trace.emit(
            "verdict",
            0,
            {
                "verdict": judgement.verdict.value,
                "reason": judgement.reason,
                "tree": judgement.tree,
                "fixed": list(judgement.fixed)[:200],
                "broken": list(judgement.broken)[:200],
                "flaky": list(judgement.flaky)[:200],
                "evidence": list(judgement.evidence),
                "coverage": dict(judgement.coverage),
                "notes": list(judgement.notes),
            },
        )
        return judgement

    def _problem(self, run: SuiteRun) -> str:
        said = _last_words(run.output)
        if run.exit_code in _NOT_FOUND or "bwrap: execvp" in run.output:
            return f"its command was not found or cannot be run ({said})"
        if run.exit_code is None or run.exit_code in _KILLED:
            return f"it was killed (exit code {run.exit_code}; {said})"
        command = self._suites.command
        if not command.framework.per_test:
            return ""
        if command.pytest and "No module named pytest" in run.output:
            return "pytest is not installed where it runs (`setup` makes that environment)"
        if not run.cases:
            return f"no test ran: {run.report_problem or 'the report is empty'} ({said})"
        if all(case.status in (Status.SKIPPED, Status.XFAILED) for case in run.cases):
            return f"no test ran: every one of {len(run.cases)} is skipped"
        return run.report_problem


def _last_words(output: str) -> str:
    """The last line a command printed, cut: mostly the one that says what is wrong."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it printed nothing"
