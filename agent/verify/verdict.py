"""The verdict: a pure function over recorded facts, and the only place where one is made.

`verified` needs every rule; each rule below returns what speaks against it, in words for a maintainer. A fact that was
not recorded speaks against it as well: there is no verdict by default.
"""

from collections.abc import Callable, Iterable

from agent.domain.result import Judgement, Verdict
from agent.domain.suite import Status, SuiteRun
from agent.verify.compare import Sets, all_passed, all_red, broken_and_flaky, compare
from agent.verify.facts import TRIALS, Facts, Trial
from agent.verify.ids import file_of, status_of

NO_EVIDENCE = "no test tells this change from the base"
EXIT_CODE_ONLY = "suite passed, no per-test report"

Rule = Callable[[Facts, SuiteRun, Sets], list[str]]


def verdict(facts: Facts) -> Judgement:
    """Judge one change. `failing` when the final checkout contradicts it, `verified` when nothing is left to say."""
    final = facts.final
    if final is None:
        return _judgement(facts, Verdict.UNVERIFIED, [_not_in_time(facts) or "the suite was not run on the final tree"])
    contradiction = _contradiction(facts, final)
    if contradiction:
        return _judgement(facts, Verdict.FAILING, [contradiction])
    unusable = _unusable(facts, final)
    if unusable:
        return _judgement(facts, Verdict.UNVERIFIED, [unusable])
    sets = compare(facts.baseline, final)
    broken, _ = broken_and_flaky(facts, sets.newly_red)
    if broken:
        return _judgement(facts, Verdict.FAILING, [_broken(broken, facts)])
    against = [reason for rule in RULES for reason in rule(facts, final, sets)]
    late = _not_in_time(facts)
    if late:
        against.append(late)
    if against:
        return _judgement(facts, Verdict.UNVERIFIED, against)
    return _judgement(facts, Verdict.VERIFIED, [_praise(facts)])


def _contradiction(facts: Facts, final: SuiteRun) -> str:
    """Rule 1, the plain failures: the suite ended well on the base and does not on the final tree."""
    if final.timed_out or final.exit_code == 0:
        return ""
    if not facts.per_test:
        return f"the suite fails now (exit code {final.exit_code})" if facts.baseline.exit_code == 0 else ""
    if final.report_problem and not facts.baseline.report_problem and not final.red():
        return f"the suite ran on the base, but not on this change: {final.report_problem}"
    return ""


def _unusable(facts: Facts, final: SuiteRun) -> str:
    """Rule 1, what leaves nothing to compare."""
    if final.timed_out:
        return _not_in_time(facts) or f"the suite did not end within {final.seconds:.0f} s on the final tree"
    if not facts.per_test:
        return (
            EXIT_CODE_ONLY
            if final.exit_code == 0
            else f"the suite is red before and after (exit code {final.exit_code})"
        )
    if facts.baseline.timed_out or facts.baseline.report_problem:
        return f"the base has no whole test report to compare with: {facts.baseline.report_problem or 'timed out'}"
    if final.report_problem:
        return final.report_problem
    if not any(case.status not in (Status.SKIPPED, Status.XFAILED) for case in final.cases or ()):
        return "no test was executed"
    return ""


def _rule_1_the_exact_tree(facts: Facts, _final: SuiteRun, _sets: Sets) -> list[str]:
    """What was tested is what will be pushed."""
    if facts.touched is None:
        return ["what the suite did to its own files was not recorded"]
    found: list[str] = []
    if facts.touched.rewritten:
        found.append(f"the suite rewrites files of the tree while it runs: {_some(facts.touched.rewritten)}")
    if facts.touched.planted:
        found.append(f"the suite leaves code in the tree it tests: {_some(facts.touched.planted)}")
    if not facts.touched.complete:
        found.append("the suite fills the tree with more files than can be looked at")
    return found


def _rule_2_evidence(facts: Facts, final: SuiteRun, _sets: Sets) -> list[str]:
    """A test fails without the change and passes with it, every time."""
    if proven(facts, final):
        return []
    if facts.trials is None:
        return []  # not measured: named by `unchecked`
    if not facts.apart:
        return [f"{NO_EVIDENCE}: those that seem to cannot be run apart from the suite"]
    if any(Status.PASSED in trial.base[1:] or Status.PASSED in trial.reverted[1:] for trial in facts.trials):
        return [f"{NO_EVIDENCE}: the only ones that seemed to are flaky"]
    return [NO_EVIDENCE]


def proven(facts: Facts, final: SuiteRun) -> tuple[Trial, ...]:
    """Trials that hold: rule 2, and rule 7 for tests this run wrote."""
    return tuple(trial for trial in facts.trials or () if _holds(trial, facts, final))


def _holds(trial: Trial, facts: Facts, final: SuiteRun) -> bool:
    if status_of(final, trial.id) is not Status.PASSED or facts.reverted_is_final:
        return False
    if len(trial.alone) < TRIALS - 1 or not all_passed(trial.alone):
        return False
    if trial.written:
        return trial.for_the_reason and len(trial.reverted) >= TRIALS and all_red(trial.reverted)
    if len(trial.base) < TRIALS or not all_red(trial.base):
        return False
    return facts.reverted_is_base or (bool(trial.reverted) and all_red(trial.reverted))


def _rule_3_nothing_lost(_facts: Facts, _final: SuiteRun, sets: Sets) -> list[str]:
    """No test vanished or fell silent (newly red ones have ended the matter before)."""
    found: list[str] = []
    if sets.vanished:
        found.append(f"tests of the base are gone: {_some(sets.vanished)}")
    if sets.silenced:
        found.append(f"tests that ran on the base are skipped or expected to fail now: {_some(sets.silenced)}")
    return found


def _rule_4_what_was_asked(facts: Facts, final: SuiteRun, _sets: Sets) -> list[str]:
    """Tests the goal names pass, and so do old failures that reach what was changed."""
    found: list[str] = []
    named = [test for test in facts.named if status_of(final, test) is not Status.PASSED]
    if named:
        found.append(f"tests the issue names do not pass: {_some(named)}")
    if facts.unseen:
        found.append(f"whether tests that failed before run through the change cannot be seen: {_some(facts.unseen)}")
    if facts.reaching:
        found.append(f"tests that failed before and run through the changed code still fail: {_some(facts.reaching)}")
    return found


def _rule_5_executed(facts: Facts, _final: SuiteRun, _sets: Sets) -> list[str]:
    """Each changed source hunk ran inside a passing test."""
    idle = [f"{one.path}:{one.begin}" for one in facts.hunks or () if one.ran is False]
    unknown = [one.path for one in facts.hunks or () if one.ran is None]
    found: list[str] = []
    if idle:
        found.append(f"no passing test executes the change at {_some(idle)}")
    if unknown:
        found.append(f"whether a test executes the change cannot be seen in {_some(dict.fromkeys(unknown))}")
    return found


def _rule_6_the_judge(facts: Facts, final: SuiteRun, _sets: Sets) -> list[str]:
    """The change does not touch what judges it, or the judge of the base agrees."""
    found: list[str] = []
    if facts.suspicious:
        found.append(f"added lines reach for the test framework, tracing or exit hooks: {_some(facts.suspicious)}")
    if facts.own_tests:
        found.append(f"the change is in files that hold tests themselves: {_some(facts.own_tests)}")
    again = facts.with_base_judges
    judges = (*facts.judges, *facts.edited_tests, *facts.new_tests, *facts.texts)
    if judges and again is not None and not _same_result(facts, final, again):
        found.append(f"the result depends on changes to what judges it: {_some(judges)}")
    return found


def _same_result(facts: Facts, final: SuiteRun, again: SuiteRun) -> bool:
    """Every test ends as before with the base's judges; only tests of put-back files may be missing there.

    Beside new test files also tests the base does not have: data that came along may make more of an old one.
    """
    put_back = (*facts.edited_tests, *facts.new_tests, *facts.texts)
    if not again.finished or (not put_back and final.exit_code != again.exit_code):
        return False
    now, then = final.status(), again.status()
    missing = [test for test in now if test not in then]
    return all(now.get(test) is status for test, status in then.items()) and all(
        (bool(facts.new_tests) and status_of(facts.baseline, test) is None)
        or any(path == file_of(test) or path.endswith(f"/{file_of(test)}") for path in put_back)
        for test in missing
    )


def _alternatives(facts: Facts, _final: SuiteRun, _sets: Sets) -> list[str]:
    """Several tried candidates pass: they must behave alike on what the suite exercises, or it has chosen none."""
    return [f"the suite does not tell {facts.undecided} candidates apart"] if facts.undecided > 1 else []


RULES: tuple[Rule, ...] = (
    _rule_1_the_exact_tree,
    _rule_6_the_judge,
    _rule_3_nothing_lost,
    _rule_2_evidence,
    _rule_4_what_was_asked,
    _rule_5_executed,
    _alternatives,
)
"""In the order a maintainer wants to hear them: a forged result first. Rule 7 is part of what rule 2 accepts."""


def _not_in_time(facts: Facts) -> str:
    """Facts that were promised and are not there; `verified` is impossible while this says anything."""
    missing = list(facts.unchecked)
    if facts.per_test and facts.final is not None and not facts.final.timed_out:
        missing += ["whether a test tells the change from the base"] if facts.trials is None else []
        missing += ["which changed lines the tests execute"] if facts.hunks is None else []
        missing += ["whether old failures reach the change"] if facts.reaching is None else []
        missing += (
            ["the suite with the base's judge files"] if _judges_changed(facts) and not facts.with_base_judges else []
        )
    return f"not checked in time: {', '.join(dict.fromkeys(missing))}" if missing else ""


def _judges_changed(facts: Facts) -> bool:
    return bool(facts.judges or facts.edited_tests or facts.new_tests or facts.texts)


def _broken(broken: tuple[str, ...], facts: Facts) -> str:
    before = facts.baseline.status()
    passed = [test for test in broken if before.get(test) is Status.PASSED]
    if passed:
        return f"tests that passed on the base fail now: {_some(passed)}"
    return f"tests fail that did not fail on the base: {_some(broken)}"


def _praise(facts: Facts) -> str:
    held = proven(facts, facts.final) if facts.final else ()
    existing = any(not trial.written for trial in held)
    return "verified by existing tests" if existing else "verified by a test this run wrote"


def _judgement(facts: Facts, word: Verdict, reasons: list[str]) -> Judgement:
    final = facts.final
    comparable = final is not None and facts.per_test and final.cases is not None
    sets = compare(facts.baseline, final) if comparable and final is not None else None
    broken, flaky = broken_and_flaky(facts, sets.newly_red) if sets else ((), ())
    extra = [f"{path} was changed, and it takes part in judging" for path in facts.judges]
    extra += [f"the existing tests in {path} were changed" for path in facts.edited_tests]
    if flaky:
        extra.append(f"flaky, the base shows the same failure: {_some(flaky)}")
    return Judgement(
        verdict=word,
        reason=reasons[0],
        final=final,
        tree=facts.tree,
        fixed=sets.fixed if sets else (),
        broken=broken,
        flaky=flaky,
        still_red=sets.still_red if sets else (),
        skipped=sets.skipped if sets else (),
        evidence=tuple(sorted(trial.id for trial in proven(facts, final))) if final else (),
        coverage=facts.coverage,
        notes=(*reasons[1:], *extra, *facts.notes),
    )


def _some(names: Iterable[str], most: int = 5) -> str:
    """A few names and how many there are besides."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
