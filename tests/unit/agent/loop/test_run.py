"""Whole runs of the real loop on tiny repositories: real files, real suites, scripted models."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from agent.domain.profiles import BENDCODER
from agent.domain.result import Outcome, Verdict
from agent.errors import GuardError, ModelError
from agent.trace import read_trace
from tests.support.agent_runs import ADDER, SCRIPT, SCRIPTED, Run, options, run_agent, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator

READ = Say(action="read_code", read="adder.py")
EDIT = Say(action="apply_edit", edit="adder.py", lines=(6, 6))
DONE = Say(action="task_complete")
FIX = b"    return a + b\n"
WRONG = b"    return a * b\n"
QUICK = options(verify=SCRIPT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The adder with a pytest suite."""
    return write_tree(tmp_path / "repo", ADDER)


@pytest.fixture
def quick(tmp_path: Path) -> Path:
    """The adder with a suite that is an exit code."""
    return write_tree(tmp_path / "quick", SCRIPTED)


def guards_of(run: Run) -> set[str]:
    return {refusal.guard for refusal in run.result.refusals}


def test_a_wrong_operator_is_repaired_and_verified(folder: Path) -> None:
    run = run_agent(folder, ScriptedClassifier([READ, EDIT, DONE]), ScriptedGenerator([FIX]))
    assert run.result.outcome is Outcome.COMPLETED
    assert run.result.judgement is not None
    assert run.result.judgement.verdict is Verdict.VERIFIED, run.result.judgement
    assert run.result.judgement.fixed == ("test_adder.py::test_add",)
    assert "-    return a - b\n+    return a + b\n" in run.result.diff
    assert run.files["adder.py"] == ADDER["adder.py"].replace("a - b", "a + b").encode()
    assert (folder / "adder.py").read_text() == ADDER["adder.py"]
    kinds = [record.kind for record in run.trace]
    assert kinds.index("baseline") < kinds.index("classify")
    assert {"draft", "verify", "kept", "verdict", "run_ended"} <= set(kinds)
    assert run.result.usage.steps == 3
    assert (run.result.usage.generate_calls, run.result.usage.tokens) == (1, 140)


def test_a_draft_that_fixes_nothing_is_undone_and_the_next_one_is_tried(folder: Path) -> None:
    run = run_agent(folder, ScriptedClassifier([READ, EDIT, DONE]), ScriptedGenerator([WRONG, FIX]))
    assert [draft["passed"] for draft in run.of("draft")] == [False, True]
    assert run.result.outcome is Outcome.COMPLETED
    assert b"a + b" in run.files["adder.py"]


def test_an_edit_that_breaks_a_green_test_is_not_kept(folder: Path) -> None:
    both = b"    return 5 if (a, b) == (2, 3) else a\n\n\ndef twice(a):\n    return 7\n"
    edit = Say(action="apply_edit", edit="adder.py", lines=(6, 10))
    run = run_agent(folder, ScriptedClassifier([READ, edit]), ScriptedGenerator([both], repairs=False))
    assert run.result.outcome is Outcome.STALLED
    assert run.result.changes == ()
    assert run.result.judgement is None
    assert run.files["adder.py"] == ADDER["adder.py"].encode()


def test_a_suite_that_cannot_run_ends_the_run_before_any_model_is_asked(quick: Path) -> None:
    classifier = ScriptedClassifier([READ])
    run = run_agent(quick, classifier, ScriptedGenerator(), chosen=options(verify=("no-such-command",)))
    assert run.result.outcome is Outcome.SUITE_UNUSABLE
    assert "verify" in run.result.outcome_reason
    assert classifier.asked == []


def test_an_unread_file_is_read_before_it_is_edited(quick: Path) -> None:
    other = Say(action="read_code", read="suite.py")
    run = run_agent(quick, ScriptedClassifier([other, EDIT, EDIT, DONE]), ScriptedGenerator([FIX]), chosen=QUICK)
    assert "read-before-edit" in guards_of(run)
    assert run.result.outcome is Outcome.COMPLETED
    effects = [one["action"] for one in run.of("effect") if "action" in one]
    assert effects == ["read_code", "read_code", "apply_edit", "run_suite"]


def test_nothing_written_ends_stalled_and_names_every_refusal(quick: Path) -> None:
    script = ScriptedClassifier([READ, EDIT])
    run = run_agent(quick, script, ScriptedGenerator(repairs=False), chosen=QUICK)
    assert run.result.outcome is Outcome.STALLED
    assert "every draft for adder.py:6-6 failed (repair-cap)" in run.result.outcome_reason
    assert "green-before-done" in run.result.outcome_reason
    state, _ = script.asked[-1]
    assert state["facts"]["tried"] == [{"path": "adder.py", "begin": 6, "end": 6}]  # type: ignore[index]
    assert run.result.changes == ()


def test_a_stop_tells_one_refusal_per_guard_and_not_one_per_file(tmp_path: Path) -> None:
    more = {f"other_{number}.py": "" for number in range(8)}
    folder = write_tree(tmp_path / "many", {**SCRIPTED, **more})
    run = run_agent(folder, ScriptedClassifier([READ, EDIT]), ScriptedGenerator(repairs=False), chosen=QUICK)
    assert run.result.outcome is Outcome.STALLED
    assert run.result.outcome_reason.count("read_code: ") <= 3
    assert len(run.result.outcome_reason) < 1000


def test_a_failed_draft_of_a_chat_model_is_repaired_in_place(folder: Path) -> None:
    generator = ScriptedGenerator([WRONG], [FIX])
    run = run_agent(folder, ScriptedClassifier([READ, EDIT, EDIT, DONE]), generator)
    repair = generator.requests[1]
    assert repair.anchor is not None
    assert repair.anchor.old == WRONG
    assert "assert 6 == 5" in repair.messages[1][1]
    assert run.result.outcome is Outcome.COMPLETED
    assert b"a + b" in run.files["adder.py"]


def test_after_two_failed_repairs_the_last_good_bytes_come_back(folder: Path) -> None:
    generator = ScriptedGenerator([WRONG], [b"    return a\n"], [b"    return b\n"], [FIX])
    run = run_agent(folder, ScriptedClassifier([READ, EDIT]), generator)
    assert len(generator.requests) == 3
    assert run.result.outcome is Outcome.STALLED
    assert run.files["adder.py"] == ADDER["adder.py"].encode()


def test_a_broken_draft_does_not_outlive_the_run(folder: Path) -> None:
    run = run_agent(folder, ScriptedClassifier([READ, EDIT, Say(action="none")]), ScriptedGenerator([WRONG]))
    assert run.result.outcome is Outcome.STALLED
    assert run.result.outcome_reason == "Classify saw no fitting action"
    assert run.files["adder.py"] == ADDER["adder.py"].encode()


def test_a_provisional_edit_at_the_end_of_the_steps_gets_its_suite(quick: Path) -> None:
    run = run_agent(
        quick, ScriptedClassifier([READ, EDIT]), ScriptedGenerator([FIX]), chosen=options(verify=SCRIPT, steps=2)
    )
    assert run.result.outcome is Outcome.OUT_OF_BUDGET
    assert run.result.changes == ()  # the last step is kept for the report, so the edit was not even tried

    run = run_agent(
        quick, ScriptedClassifier([READ, EDIT]), ScriptedGenerator([FIX]), chosen=options(verify=SCRIPT, steps=3)
    )
    assert run.result.outcome is Outcome.OUT_OF_BUDGET
    assert [change.path for change in run.result.changes] == ["adder.py"]
    assert run.result.judgement is not None


def test_the_last_step_asks_nobody_when_nothing_can_be_reported(quick: Path) -> None:
    script = ScriptedClassifier([READ])
    run = run_agent(quick, script, ScriptedGenerator(), chosen=options(verify=SCRIPT, steps=2))
    assert len(script.asked) == 1
    assert run.result.outcome is Outcome.OUT_OF_BUDGET
    assert "the last step is kept for the report" in run.result.outcome_reason


def test_cancel_ends_at_once_and_delivers_what_was_kept(quick: Path) -> None:
    script = ScriptedClassifier([READ, EDIT, Say(action="search_code")])
    run = run_agent(quick, script, ScriptedGenerator([FIX]), chosen=QUICK, cancelled=lambda: len(script.asked) > 3)
    assert run.result.outcome is Outcome.CANCELLED
    assert [change.path for change in run.result.changes] == ["adder.py"]


def test_completion_without_a_kept_edit_is_not_even_offered(quick: Path) -> None:
    script = ScriptedClassifier([READ, DONE])
    run = run_agent(quick, script, ScriptedGenerator(), chosen=QUICK)
    assert run.result.outcome is Outcome.STALLED
    assert "which is not among" in run.result.outcome_reason
    assert "task_complete" not in script.asked[-1][1]["action"].options  # type: ignore[union-attr]


def test_a_test_under_judgement_is_protected(folder: Path) -> None:
    read = Say(action="read_code", read="test_adder.py")
    edit = Say(action="apply_edit", edit="test_adder.py", lines=(5, 5))
    generator = ScriptedGenerator([b"    assert add(2, 3) == -1\n"])
    run = run_agent(folder, ScriptedClassifier([read, edit, Say(action="none")]), generator)
    assert "protected-paths" in guards_of(run)
    assert generator.requests == []
    assert run.result.changes == ()


def test_a_goal_that_asks_for_the_test_to_change_may_have_it(folder: Path) -> None:
    read = Say(action="read_code", read="test_adder.py")
    edit = Say(action="apply_edit", edit="test_adder.py", lines=(5, 5))
    run = run_agent(
        folder,
        ScriptedClassifier([read, edit, DONE]),
        ScriptedGenerator([b"    assert add(2, 3) == -1\n"]),
        goal="Update the outdated test of add: it subtracts",
    )
    assert [change.path for change in run.result.changes] == ["test_adder.py"]
    assert run.result.judgement is not None
    assert run.result.judgement.verdict is not Verdict.VERIFIED


def test_a_budget_of_tokens_ends_the_run(quick: Path) -> None:
    run = run_agent(
        quick, ScriptedClassifier([READ, EDIT]), ScriptedGenerator(), chosen=options(verify=SCRIPT, tokens=5)
    )
    assert run.result.outcome is Outcome.OUT_OF_BUDGET
    assert run.result.outcome_reason == "the budget of tokens is used up"


def test_the_check_command_refuses_a_draft_before_any_test(quick: Path) -> None:
    checked = options(verify=SCRIPT, check=("/usr/bin/env", "python3", "-m", "py_compile", "{file}"))
    run = run_agent(
        quick,
        ScriptedClassifier([READ, EDIT, DONE]),
        ScriptedGenerator([b"    return a +\n", FIX]),
        chosen=checked,
    )
    assert [draft["passed"] for draft in run.of("draft")] == [False, True]
    assert "SyntaxError" in str(run.of("draft")[0]["output"])
    assert run.result.outcome is Outcome.COMPLETED


def test_bytes_outside_the_anchor_survive_exactly(tmp_path: Path) -> None:
    source = ADDER["adder.py"].replace("\n", "\r\n").encode() + b"X = '\xff\xfe'  # not utf-8"
    source = b"# -*- coding: latin-1 -*-\r\n" + source
    folder = write_tree(tmp_path / "crlf", {**SCRIPTED, "adder.py": source})
    edit = Say(action="apply_edit", edit="adder.py", lines=(7, 7))
    run = run_agent(
        folder, ScriptedClassifier([READ, edit, DONE]), ScriptedGenerator([b"    return a + b\r\n"]), chosen=QUICK
    )
    assert run.files["adder.py"] == source.replace(b"a - b", b"a + b")
    assert "\\ No newline at end of file" not in run.result.diff


def test_a_question_is_answered_and_nothing_is_changed(quick: Path) -> None:
    ask = Say(action="generate_answer", needs=0.1)
    read = Say(action="read_code", read="adder.py", needs=0.1)
    run = run_agent(
        quick,
        ScriptedClassifier([read, ask]),
        ScriptedGenerator([b"It subtracts."]),
        goal="What does add do?",
        chosen=QUICK,
    )
    assert run.result.outcome is Outcome.ANSWERED
    assert run.result.answer == "It subtracts."
    assert run.result.judgement is None


def test_two_bugs_are_two_kept_edits_and_one_verdict(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "two", {**ADDER, "adder.py": ADDER["adder.py"].replace("a * 2", "a * 3")})
    second = Say(action="apply_edit", edit="adder.py", lines=(10, 10))
    run = run_agent(
        folder,
        ScriptedClassifier([READ, EDIT, READ, second, DONE]),
        ScriptedGenerator([FIX], [b"    return a * 2\n"]),
    )
    assert run.result.outcome is Outcome.COMPLETED
    assert run.result.judgement is not None
    assert run.result.judgement.verdict is Verdict.VERIFIED
    assert len(run.of("kept")) == 2
    assert run.result.judgement.fixed == ("test_adder.py::test_add", "test_adder.py::test_twice")


def test_a_weak_edit_is_rerouted_into_reading_first(quick: Path) -> None:
    weak = Say(action="apply_edit", edit="adder.py", lines=(6, 6), confidence=0.5)
    run = run_agent(quick, ScriptedClassifier([READ, weak, DONE]), ScriptedGenerator([FIX]), chosen=QUICK)
    assert any("under the floor" in refusal.reason for refusal in run.result.refusals)
    assert run.of("decision")[1]["by"] == "fallback"


def test_the_decision_record_names_who_blocked_what(quick: Path) -> None:
    other = Say(action="read_code", read="suite.py")
    run = run_agent(quick, ScriptedClassifier([other, EDIT]), ScriptedGenerator(repairs=False), chosen=QUICK)
    blocked = run.of("decision")[1]["blocked"]
    assert isinstance(blocked, list)
    first = next(one for one in blocked if one["action"] == "apply_edit")
    assert first["by"] == "read-before-edit"
    assert first["why"] == "adder.py has not been read in this run"
    memory = run.of("decision")[-1]["memory"]
    assert isinstance(memory, dict)
    assert memory["read-before-edit"]["seen"] == ["adder.py", "suite.py"]


def test_an_edit_the_full_suite_refuses_is_undone_and_the_next_draft_follows(folder: Path) -> None:
    style = "from pathlib import Path\n\n\ndef test_style():\n    assert '#' not in Path('adder.py').read_text()\n"
    write_tree(folder, {"test_style.py": style})
    script = ScriptedClassifier([READ, EDIT, EDIT, DONE])
    run = run_agent(folder, script, ScriptedGenerator([b"    return a + b  # the sum\n", FIX]))
    assert [bool(verify["reasons"]) for verify in run.of("verify")] == [True, False]
    assert run.of("verify")[0]["reasons"] == ["test_style.py::test_style failed"]
    assert run.result.usage.generate_calls == 1
    assert run.result.outcome is Outcome.COMPLETED
    assert b"#" not in run.files["adder.py"]


def test_a_module_that_cannot_be_imported_is_repaired(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "torn", {**ADDER, "adder.py": ADDER["adder.py"].replace("a - b", "a + ")})
    run = run_agent(folder, ScriptedClassifier([READ, EDIT, DONE]), ScriptedGenerator([FIX]))
    assert run.result.outcome is Outcome.COMPLETED
    assert run.result.judgement is not None
    assert run.result.judgement.verdict is Verdict.VERIFIED, run.result.judgement


def test_a_draft_the_suite_refuses_three_times_is_given_up(quick: Path) -> None:
    drafts = [[WRONG], [b"    return a\n"], [b"    return b\n"], [FIX]]
    generator = ScriptedGenerator(*drafts)
    run = run_agent(quick, ScriptedClassifier([READ, EDIT]), generator, chosen=QUICK)
    assert len(generator.requests) == 3
    assert run.result.outcome is Outcome.STALLED
    assert run.files["adder.py"] == ADDER["adder.py"].encode()


def test_a_weak_pick_of_lines_is_no_edit(quick: Path) -> None:
    weak = Say(action="apply_edit", edit="adder.py", lines=(6, 6), sure=0.5)
    generator = ScriptedGenerator([FIX])
    run = run_agent(quick, ScriptedClassifier([READ, weak]), generator, chosen=QUICK)
    assert "the pick of lines is too weak (0.50, 0.50)" in {
        refusal.reason.split(": ")[-1] for refusal in run.result.refusals
    }
    assert generator.requests == []


@pytest.mark.parametrize(
    ("say", "reason"),
    [
        (Say(action="apply_edit", edit="adder.py", lines=(6, 5)), "lines 6 to 5 are no part of the shown ones"),
        (Say(action="apply_edit", edit="adder.py", missing=frozenset({"edit_end"})), "picked no lines"),
        (Say(action="apply_edit", edit="none"), "no file was picked for the edit"),
        (Say(action="apply_edit", edit="empty.py"), "empty.py is empty"),
        (Say(action="apply_edit", edit="blob.bin"), "blob.bin is binary"),
    ],
)
def test_picks_that_are_none_are_refused_with_their_reason(quick: Path, say: Say, reason: str) -> None:
    write_tree(quick, {"empty.py": b"", "blob.bin": b"\0\1\n"})
    reads = [Say(action="read_code", read=name) for name in ("adder.py", "empty.py", "blob.bin")]
    run = run_agent(quick, ScriptedClassifier([*reads, say]), ScriptedGenerator(), chosen=QUICK)
    assert any(reason in refusal.reason for refusal in run.result.refusals), run.result.refusals


def test_a_long_file_is_read_by_pages_and_edited_by_windows(tmp_path: Path) -> None:
    filler = "".join(f"X{number} = {number}\n" for number in range(300))
    folder = write_tree(tmp_path / "long", {**SCRIPTED, "adder.py": filler + ADDER["adder.py"]})
    edit = Say(action="apply_edit", edit="adder.py", window="201", lines=(306, 306))
    script = ScriptedClassifier([READ, READ, edit, DONE])
    run = run_agent(folder, script, ScriptedGenerator([FIX]), chosen=QUICK)
    assert run.result.outcome is Outcome.COMPLETED
    assert sum("edit_window" in questions for _, questions in script.asked) == 1
    lost = Say(action="apply_edit", edit="adder.py", window="none")
    run = run_agent(folder, ScriptedClassifier([READ, lost]), ScriptedGenerator(), chosen=QUICK)
    assert any("Classify picked no part of the file" in refusal.reason for refusal in run.result.refusals)


class Broken:
    """A backend that cannot answer."""

    label, repairs, prose, room = "broken", True, False, 96_000
    profile = BENDCODER

    def ask(self, *_: object) -> NoReturn:
        raise ModelError("set BENDCODER_CLASSIFY_URL")

    def write(self, *_: object) -> NoReturn:
        raise ModelError("set BENDCODER_GENERATE_URL")


def test_backends_that_cannot_be_used_end_the_run_with_the_setting_to_change(quick: Path) -> None:
    run = run_agent(quick, Broken(), ScriptedGenerator(), chosen=QUICK)
    assert run.result.outcome is Outcome.STALLED
    assert run.result.outcome_reason == "Classify cannot be used: set BENDCODER_CLASSIFY_URL"
    run = run_agent(quick, ScriptedClassifier([READ, EDIT]), Broken(), chosen=QUICK)
    assert run.result.outcome_reason == "Generate cannot be used: set BENDCODER_GENERATE_URL"


@pytest.mark.parametrize(
    ("say", "reason"),
    [
        (Say(action="read_code", missing=frozenset({"action"})), "Classify gave no decision: the script leaves"),
        (Say(action="none"), "Classify saw no fitting action"),
    ],
)
def test_no_decision_is_not_taken_for_one(quick: Path, say: Say, reason: str) -> None:
    run = run_agent(quick, ScriptedClassifier([say]), ScriptedGenerator(), chosen=QUICK)
    assert run.result.outcome is Outcome.STALLED
    assert run.result.outcome_reason.startswith(reason)


def test_searching_uses_the_goals_names_then_generate_then_stops(quick: Path) -> None:
    search = Say(action="search_code", needs=0.1)
    run = run_agent(
        quick,
        ScriptedClassifier([search]),
        ScriptedGenerator([b"thinking...\n`RETURN a`\n"], [b"nothing_like_it"], [b"nor_this"]),
        goal="Where is twice?",
        chosen=QUICK,
    )
    found = [one for one in run.of("effect") if one.get("action") == "search_code"]
    told = [[event["action"] for event in one["events"]] for one in found]  # type: ignore[attr-defined, union-attr]
    assert told[0] == ["evidence", "search.hit"]
    assert ["search.missed"] in [[name for name in names if name != "evidence"] for names in told]
    assert run.result.outcome is Outcome.STALLED


def test_time_that_is_up_ends_the_run(quick: Path) -> None:
    ticks = iter(range(0, 10_000, 20))
    run = run_agent(
        quick, ScriptedClassifier([READ]), ScriptedGenerator(), chosen=QUICK, clock=lambda: float(next(ticks))
    )
    assert run.result.outcome is Outcome.OUT_OF_BUDGET
    assert run.result.outcome_reason == "the budget of seconds is used up"


@pytest.mark.parametrize(("prose", "asked"), [(False, False), (True, True)])
def test_a_search_is_over_when_no_time_is_left_for_the_suite_of_what_it_finds(
    quick: Path, prose: bool, asked: bool
) -> None:
    """What writes prose goes on: an answer needs no suite."""
    slow = options(verify=("sh", "-c", f"sleep 1; {' '.join(SCRIPT)}"), seconds=2.6)
    classifier = ScriptedClassifier([READ])
    run = run_agent(quick, classifier, ScriptedGenerator(prose=prose), chosen=slow, clock=_slow_clock())
    assert (run.result.outcome is Outcome.OUT_OF_BUDGET, bool(classifier.asked)) == (not asked, asked)


def _slow_clock() -> Callable[[], float]:
    """A tenth of the real pace, and a whole second when the baseline is over: load must not decide this test."""
    begin = time.monotonic()

    def now() -> float:
        real = time.monotonic() - begin
        return real / 10 + (real >= 1.0)

    return now


def test_a_guard_that_breaks_stops_the_run_and_is_recorded(quick: Path, tmp_path: Path) -> None:
    def hostile(state: object, questions: object) -> Say:
        raise GuardError("guard `x` raised")

    with pytest.raises(GuardError, match="guard `x` raised"):
        run_agent(quick, ScriptedClassifier(hostile), ScriptedGenerator(), chosen=QUICK)
    assert [one.kind for one in read_trace(tmp_path / "quick.trace.jsonl")][-1] == "guard_error"
