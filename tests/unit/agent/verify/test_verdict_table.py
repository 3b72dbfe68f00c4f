"""The verdict as a table: one change from facts that are verified, and what the verdict becomes of it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.result import Verdict
from agent.domain.suite import Case, Status, SuiteRun
from agent.verify.facts import Facts, Trial
from agent.verify.fingerprint import Touched
from agent.verify.hunks import Covered
from agent.verify.verdict import NO_EVIDENCE, verdict

P, F, E, S, X = Status.PASSED, Status.FAILED, Status.ERROR, Status.SKIPPED, Status.XFAILED
BUG, OK, OLD = "t.py::test_bug", "t.py::test_ok", "t.py::test_old"


def run(exit_code=0, *, problem="", timed_out=False, **status):
    names = {"bug": BUG, "ok": OK, "old": OLD}
    cases = tuple(Case(id=names.get(name, name), status=how) for name, how in status.items())
    return SuiteRun(
        exit_code=exit_code, timed_out=timed_out, seconds=1.0, output="", cases=cases, report_problem=problem
    )


def bare(exit_code, *, timed_out=False):
    return SuiteRun(exit_code=exit_code, timed_out=timed_out, seconds=1.0, output="")


TRIAL = Trial(id=BUG, base=(F, F, F), alone=(P, P))
WRITTEN = Trial(id=BUG, written=True, alone=(P, P), reverted=(F, F, F), for_the_reason=True)
GOOD = Facts(
    baseline=run(1, bug=F, ok=P),
    final=run(0, bug=P, ok=P),
    tree="f" * 40,
    per_test=True,
    trials=(TRIAL,),
    reaching=(),
    hunks=(Covered(path="a.py", begin=1, end=1, ran=True),),
    touched=Touched(),
    coverage={"a.py": "covered"},
)
BASE_WITHOUT = run(0, ok=P)


def test_facts_that_satisfy_every_rule_are_verified():
    judged = verdict(GOOD)
    assert (judged.verdict, judged.reason) == (Verdict.VERIFIED, "verified by existing tests")
    assert judged.fixed == judged.evidence == (BUG,)
    assert judged.tree == "f" * 40
    assert judged.notes == ()


def trials(**changed):
    return {"trials": (replace(TRIAL, **changed),)}


UNVERIFIED = {
    # rule 1
    "no final run": ({"final": None, "unchecked": ("the suite on the final tree",)}, "not checked in time: the suite"),
    "final killed": ({"final": run(None, timed_out=True)}, "the suite did not end within 1 s"),
    "final killed by our own deadline": (
        {"final": run(None, timed_out=True), "unchecked": ("the suite on the final tree",)},
        "not checked in time: the suite on the final tree",
    ),
    "exit 0 but report missing": ({"final": run(0, problem="there is no test report")}, "there is no test report"),
    "no test executed": ({"final": run(0, bug=S, ok=S)}, "no test was executed"),
    "base without a report": ({"baseline": run(0, problem="missing")}, "the base has no whole test report"),
    "exit code only": (
        {"per_test": False, "final": bare(0), "baseline": bare(1)},
        "suite passed, no per-test report",
    ),
    "exit code only, red on both": (
        {"per_test": False, "final": bare(1), "baseline": bare(1)},
        "the suite is red before and after (exit code 1)",
    ),
    "tree not watched": ({"touched": None}, "what the suite did to its own files was not recorded"),
    "sources rewritten": ({"touched": Touched(rewritten=("a.py",))}, "the suite rewrites files of the tree"),
    "code planted": ({"touched": Touched(planted=("b.py",))}, "the suite leaves code in the tree"),
    "tree flooded": ({"touched": Touched(complete=False)}, "the suite fills the tree"),
    # rule 2
    "no candidate": ({"trials": ()}, NO_EVIDENCE),
    "not measured": ({"trials": None}, "not checked in time: whether a test tells the change from the base"),
    "passed once on the base": (trials(base=(F, P, F)), f"{NO_EVIDENCE}: the only ones that seemed to are flaky"),
    "only two base runs": (trials(base=(F, F)), NO_EVIDENCE),
    "absent in a base run": (trials(base=(F, F, None)), NO_EVIDENCE),
    "failed once alone": (trials(alone=(P, F)), NO_EVIDENCE),
    "ran alone once only": (trials(alone=(P,)), NO_EVIDENCE),
    "R not run": ({"reverted_is_base": False}, NO_EVIDENCE),
    "passes on R": ({"reverted_is_base": False, **trials(reverted=(P,))}, NO_EVIDENCE),
    "only tests changed": (
        {"reverted_is_base": False, "reverted_is_final": True, **trials(reverted=(F,))},
        NO_EVIDENCE,
    ),
    "evidence red in the suite": ({"trials": (replace(TRIAL, id="gone"),)}, NO_EVIDENCE),
    "a run alone without a whole report": (trials(alone=(P, None)), NO_EVIDENCE),
    "a run of the base without a whole report": (trials(base=(F, F, None)), NO_EVIDENCE),
    "cannot be run alone": (
        {"trials": (), "apart": False},
        f"{NO_EVIDENCE}: those that seem to cannot be run apart from the suite",
    ),
    # rule 3
    "vanished": ({"baseline": run(1, bug=F, ok=P, old=P)}, f"tests of the base are gone: {OLD}"),
    "a red one vanished": ({"baseline": run(1, bug=F, ok=P, old=F)}, f"tests of the base are gone: {OLD}"),
    "turned into skip": ({"final": run(0, bug=P, ok=S)}, "tests that ran on the base are skipped"),
    "turned into xfail": ({"final": run(0, bug=P, ok=X)}, "tests that ran on the base are skipped"),
    "a red one skipped": (
        {"baseline": run(1, bug=F, ok=P, old=F), "final": run(0, bug=P, ok=P, old=S)},
        "tests that ran on the base are skipped",
    ),
    # rule 4
    "named test red": (
        {"baseline": run(1, bug=F, ok=P, old=F), "final": run(1, bug=P, ok=P, old=F), "named": (OLD,)},
        f"tests the issue names do not pass: {OLD}",
    ),
    "named test skipped on both": (
        {"baseline": run(1, bug=F, ok=P, old=S), "final": run(0, bug=P, ok=P, old=S), "named": (OLD,)},
        "tests the issue names do not pass",
    ),
    "old red reaches the change": (
        {"baseline": run(1, bug=F, ok=P, old=F), "final": run(1, bug=P, ok=P, old=F), "reaching": (OLD,)},
        "tests that failed before and run through the changed code still fail",
    ),
    "old red of which nobody knows what it executes": (
        {"baseline": run(1, bug=F, ok=P, old=F), "final": run(1, bug=P, ok=P, old=F), "unseen": (OLD,)},
        f"whether tests that failed before run through the change cannot be seen: {OLD}",
    ),
    "reach not measured": ({"reaching": None}, "not checked in time: whether old failures reach the change"),
    # rule 5
    "hunk not executed": (
        {"hunks": (Covered(path="a.py", begin=7, end=9, ran=False),)},
        "no passing test executes the change at a.py:7",
    ),
    "hunk not measurable": (
        {"hunks": (Covered(path="a.c", begin=1, end=1, ran=None),)},
        "whether a test executes the change cannot be seen in a.c",
    ),
    "coverage not measured": ({"hunks": None}, "not checked in time: which changed lines the tests execute"),
    # rule 6
    "judge changed, not run again": (
        {"judges": ("conftest.py",)},
        "not checked in time: the suite with the base's judge files",
    ),
    "judge changed, other result": (
        {"judges": ("conftest.py",), "with_base_judges": run(1, bug=F, ok=P)},
        "the result depends on changes to what judges it: conftest.py",
    ),
    "judge changed, fewer tests": (
        {"judges": ("pytest.ini",), "with_base_judges": run(0, bug=P)},
        "the result depends on changes to what judges it: pytest.ini",
    ),
    "judge changed, run broke off": (
        {"judges": ("tox.ini",), "with_base_judges": run(2, problem="interrupted", bug=P, ok=P)},
        "the result depends on changes to what judges it: tox.ini",
    ),
    "existing tests edited, base version red": (
        {"edited_tests": ("t.py",), "with_base_judges": run(1, bug=P, ok=F)},
        "the result depends on changes to what judges it: t.py",
    ),
    "existing tests edited, another file's test lost": (
        {"edited_tests": ("u.py",), "with_base_judges": run(0, bug=P)},
        "the result depends on changes to what judges it: u.py",
    ),
    "new files among the tests make old ones pass": (
        {"new_tests": ("tests/plugin.py",), "with_base_judges": run(1, bug=F, ok=P)},
        "the result depends on changes to what judges it: tests/plugin.py",
    ),
    "the texts of the base are at odds with the sources": (
        {"texts": ("README.md",), "with_base_judges": run(1, bug=F, ok=P)},
        "the result depends on changes to what judges it: README.md",
    ),
    "texts changed, not run again": (
        {"texts": ("README.md",)},
        "not checked in time: the suite with the base's judge files",
    ),
    "new tests, not run without": (
        {"new_tests": ("tests/more.py",)},
        "not checked in time: the suite with the base's judge files",
    ),
    "tests in the changed file itself": (
        {"own_tests": ("src/lib.rs",)},
        "the change is in files that hold tests themselves: src/lib.rs",
    ),
    "reaches for the framework": (
        {"suspicious": ("a.py:3 mentions atexit",)},
        "added lines reach for the test framework",
    ),
    # the verdict's last sentence
    "three candidates alike to the suite": ({"undecided": 3}, "the suite does not tell 3 candidates apart"),
    # rule 7
    "written, failed for another reason": (
        {"baseline": BASE_WITHOUT, "reverted_is_base": False, "trials": (replace(WRITTEN, for_the_reason=False),)},
        NO_EVIDENCE,
    ),
    "written, failed twice only": (
        {"baseline": BASE_WITHOUT, "reverted_is_base": False, "trials": (replace(WRITTEN, reverted=(F, F)),)},
        NO_EVIDENCE,
    ),
    "written, passed once without the fix": (
        {"baseline": BASE_WITHOUT, "reverted_is_base": False, "trials": (replace(WRITTEN, reverted=(F, P, F)),)},
        f"{NO_EVIDENCE}: the only ones that seemed to are flaky",
    ),
}


@pytest.mark.parametrize(("changed", "reason"), UNVERIFIED.values(), ids=UNVERIFIED.keys())
def test_one_broken_rule_is_enough_to_be_unverified(changed, reason):
    judged = verdict(replace(GOOD, **changed))
    assert judged.verdict is Verdict.UNVERIFIED
    assert judged.reason.startswith(reason)


FAILING = {
    "broke a test": ({"final": run(1, bug=P, ok=F)}, f"tests that passed on the base fail now: {OK}"),
    "broke a test, base never shows it": (
        {"final": run(1, bug=P, ok=F), "repeats": {OK: (P, P, P, P, P)}},
        f"tests that passed on the base fail now: {OK}",
    ),
    "broke a test that needs another one before it": (
        {"final": run(1, bug=P, ok=F), "repeats": {OK: (F,) * 5}, "suite_again": {OK: P}},
        f"tests that passed on the base fail now: {OK}",
    ),
    "a new test fails": ({"final": run(1, bug=P, ok=P, **{"n.py::test_new": F})}, "tests fail that did not fail"),
    "a skipped test fails": (
        {"baseline": run(1, bug=F, ok=P, old=S), "final": run(1, bug=P, ok=P, old=E)},
        "tests fail that did not fail on the base",
    ),
    "a file cannot be collected any more": (
        {"final": run(1, **{"t.py": E})},
        "tests fail that did not fail on the base: t.py",
    ),
    "the runner crashes": (
        {"final": run(139, problem="there is no test report (exit code 139)")},
        "the suite ran on the base, but not on this change",
    ),
    "exit code only, newly red": (
        {"per_test": False, "final": bare(1), "baseline": bare(0)},
        "the suite fails now (exit code 1)",
    ),
}


@pytest.mark.parametrize(("changed", "reason"), FAILING.values(), ids=FAILING.keys())
def test_what_contradicts_the_change_is_failing(changed, reason):
    judged = verdict(replace(GOOD, **changed))
    assert judged.verdict is Verdict.FAILING
    assert judged.reason.startswith(reason)


VERIFIED = {
    "flaky on the base as well": {"final": run(1, bug=P, ok=F), "repeats": {OK: (P, P, F)}},
    "flaky, and seldom green": {
        "final": run(1, bug=P, ok=F),
        "repeats": {OK: (F,) * 5},
        "suite_again": {OK: F},
    },
    "old red stays": {"baseline": run(1, bug=F, ok=P, old=F), "final": run(1, bug=P, ok=P, old=F)},
    "old skip stays": {"baseline": run(1, bug=F, ok=P, old=S), "final": run(0, bug=P, ok=P, old=S)},
    "skipped on the base, passes now": {"baseline": run(1, bug=F, ok=P, old=S), "final": run(0, bug=P, ok=P, old=P)},
    "the file was not even collected": {"baseline": run(1, **{"t.py": E}), **trials(base=(E, E, E))},
    "fails on R as well": {"reverted_is_base": False, **trials(reverted=(F,))},
    "base's judges agree": {"judges": ("conftest.py",), "with_base_judges": run(0, bug=P, ok=P)},
    "texts nobody reads": {"texts": ("README.md",), "with_base_judges": run(0, bug=P, ok=P)},
    "tests were added to an existing file": {
        "edited_tests": ("t.py",),
        "final": run(0, bug=P, ok=P, **{"t.py::test_more": P}),
        "with_base_judges": run(0, bug=P, ok=P),
    },
    "nothing in the change can run": {"hunks": ()},
    "one of several trials holds": {"trials": (replace(TRIAL, base=(F, P, F)), TRIAL)},
    "named test passes": {"named": (BUG,)},
}


@pytest.mark.parametrize("changed", VERIFIED.values(), ids=VERIFIED.keys())
def test_what_does_not_speak_against_a_change_is_verified(changed):
    judged = verdict(replace(GOOD, **changed))
    assert (judged.verdict, judged.reason) == (Verdict.VERIFIED, "verified by existing tests")


@given(st.permutations([*UNVERIFIED, *FAILING]), st.integers(1, 5))
def test_no_heap_of_broken_rules_adds_up_to_verified(names, most):
    heap = {}
    for name in names[:most]:
        changed, _ = UNVERIFIED.get(name) or FAILING.get(name)
        if not heap.keys() & changed.keys():  # two changes of one fact are another fact
            heap |= changed
    assert verdict(replace(GOOD, **heap)).verdict is not Verdict.VERIFIED


def test_evidence_this_run_wrote_is_called_so():
    judged = verdict(replace(GOOD, baseline=BASE_WITHOUT, reverted_is_base=False, trials=(WRITTEN,)))
    assert (judged.verdict, judged.reason) == (Verdict.VERIFIED, "verified by a test this run wrote")


def test_everything_that_speaks_against_a_change_is_told():
    judged = verdict(
        replace(GOOD, suspicious=("a.py:3 mentions atexit",), trials=(), judges=("conftest.py",),
                with_base_judges=run(0, bug=P, ok=P))
    )  # fmt: skip
    assert "atexit" in judged.reason
    assert judged.notes == (NO_EVIDENCE, "conftest.py was changed, and it takes part in judging")


def test_flaky_and_old_failures_are_listed():
    judged = verdict(
        replace(
            GOOD,
            baseline=run(1, bug=F, ok=P, old=F),
            final=run(1, bug=P, ok=F, old=F, **{"s.py::test_s": S}),
            repeats={OK: (F, P)},
        )
    )
    assert judged.flaky == (OK,)
    assert judged.still_red == (OLD,)
    assert judged.skipped == ("s.py::test_s",)
    assert judged.broken == ()


def test_long_lists_are_cut_in_the_reason_and_whole_in_the_sets():
    many = {f"m.py::test_{n}": F for n in range(9)}
    judged = verdict(replace(GOOD, final=run(1, bug=P, ok=P, **many)))
    assert judged.reason.endswith("and 4 more")
    assert len(judged.broken) == 9
