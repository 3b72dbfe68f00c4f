"""What went wrong in live runs of loops like this one, each with the tests that keep it from happening here.

The table is checked: a test that is renamed or removed is missed. What no other test shows is shown below it.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from agent.adapters.models.reading import read_answers
from agent.adapters.models.systemone import DEFAULT_MODEL
from agent.domain.answers import Noul, Nouled
from agent.domain.profiles import profile_of
from agent.domain.result import Outcome
from tests.support.agent_runs import Run, options, run_agent, write_tree
from tests.support.named_tests import absent
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator
from tests.support.toy_suite import IMPOSSIBLE, ToySandbox, Watch, digest_of, same

LOOP = "tests/unit/agent/loop"
RUN = f"{LOOP}/test_run.py::test_"
TABLE = f"{LOOP}/test_route_table.py::"
PREPARING = f"{LOOP}/test_preparing.py::test_"
HERE = f"{LOOP}/test_failure_corpus.py::test_"
GUARDS = "tests/unit/agent/guards/test_guards.py::test_"
EDITS = "tests/unit/agent/edits"
GREP = "tests/unit/agent/tools/test_grep.py::test_"
ATTACKS = "tests/integration/verify/test_verdict_attacks.py::test_"

CORPUS: Mapping[str, tuple[str, ...]] = {
    "a model asked to copy the old text invents lines of it": (
        f"{EDITS}/test_anchor.py::test_only_the_anchored_bytes_change",
        f"{EDITS}/test_replace.py::test_an_invented_text_is_said_to_stand_nowhere",
    ),
    "the same failed action is chosen again and again": (
        f"{GUARDS}repeat",
        f"{GUARDS}repair_cap",
        f"{TABLE}test_row[repeats at 0.61 is rerouted]",
        f"{TABLE}test_row[`none` stops]",
    ),
    "a Classify that failed is read as a decision": (
        f"{RUN}no_decision_is_not_taken_for_one",
        f"{TABLE}test_row[no answer to `action` stops]",
        "tests/unit/agent/adapters/models/test_systemone_hostile.py::"
        "test_a_server_is_waited_for_as_it_asks_up_to_the_cap",
    ),
    "an answer is read from another question's place": (f"{HERE}answers_are_read_by_name_and_not_by_place",),
    "a weak edit is rerouted for ever": (
        f"{TABLE}test_row[the third acts: an edit]",
        f"{TABLE}test_row[a weak end never acts, and the third reroute in a row ends the run]",
        f"{GUARDS}flail",
    ),
    "the old text of a draft is indented as a whole": (
        f"{EDITS}/test_replace.py::test_each_rule",
        "tests/unit/agent/tools/test_pinned_cases.py::test_pinned_case",
    ),
    "every file is declined and asked about again": (
        f"{GUARDS}reads",
        f"{HERE}who_declines_every_file_is_soon_at_an_end",
    ),
    "an edit cannot create a file": (f"{PREPARING}a_file_can_be_created_and_another_deleted_in_one_change",),
    "a hollow new file passes a suite that does not know it": (f"{ATTACKS}code_that_no_test_executes_is_not_verified",),
    "a green suite says nothing about a file it never runs": (
        f"{ATTACKS}a_harmless_edit_on_a_green_suite_is_not_verified",
        "tests/unit/agent/verify/test_hunks.py::test_labels",
    ),
    "drafts are in the issue's language and not in the repository's": (
        "tests/unit/agent/prompts/test_packing.py::test_plan_languages_and_the_new_tests_path_are_told",
    ),
    "drafts call functions that do not exist": (
        f"{HERE}files_are_offered_with_the_names_they_define",
        f"{RUN}the_check_command_refuses_a_draft_before_any_test",
    ),
    "a weak second try after a failed verification is rerouted": (
        f"{TABLE}test_row[a weak edit after a failed draft acts]",
        f"{GUARDS}a_red_suite_excuses_a_weak_edit_only",
    ),
    "a draft with line numbers swallows the suite's script, which then ends well": (
        f"{EDITS}/test_anchor.py::test_drafts_that_cannot_be_meant_are_refused",
        f"{EDITS}/test_transaction.py::test_one_hunk_that_cannot_be_meant_refuses_the_whole_draft",
        "tests/unit/agent/guards/test_paths.py::test_protected",
        "tests/integration/verify/test_runs.py::test_a_runner_that_dies_is_no_pass",
    ),
    "a failed draft is thrown away and another one drawn": (
        f"{RUN}a_failed_draft_of_a_chat_model_is_repaired_in_place",
        f"{RUN}after_two_failed_repairs_the_last_good_bytes_come_back",
    ),
    "every draft pays for the whole suite": (
        f"{RUN}the_check_command_refuses_a_draft_before_any_test",
        f"{HERE}a_draft_meets_the_tests_that_reach_it_before_the_suite",
    ),
    "a refused edit names a file, the file is read, and the run wanders off": (
        f"{TABLE}test_row[a weak edit of the file a refusal named acts once it was read]",
        f"{GUARDS}a_landed_read_excuses_one_weak_edit_of_that_file",
    ),
    "a change of several places finds its way anew for each": (
        f"{PREPARING}a_plan_holds_back_the_end_until_its_items_are_kept",
        f"{PREPARING}a_draft_without_an_anchor_may_change_several_files_that_were_read",
    ),
    "a plan blocks the very edits that would fulfil it": (
        f"{TABLE}test_row[an edit with an open plan acts]",
        f"{PREPARING}a_planned_step_need_not_fix_anything_yet_but_may_break_nothing",
    ),
    "the end is chosen while a draft is broken": (
        f"{LOOP}/test_route_masks.py::test_instead_it_is_not_even_offered[an end while a failed draft stands]",
        f"{RUN}a_broken_draft_does_not_outlive_the_run",
    ),
    "a file is edited that was never read": (
        f"{RUN}an_unread_file_is_read_before_it_is_edited",
        f"{TABLE}test_row[an edit of an unread file is rerouted into reading it]",
    ),
    "a reply mixes thoughts with the text to search for": (
        f"{RUN}searching_uses_the_goals_names_then_generate_then_stops",
        "tests/unit/agent/adapters/models/test_replies.py::test_cleaning_takes_only_from_the_front",
    ),
    "a name the search does not find is taken not to exist": (
        f"{HERE}what_fails_is_shown_before_anybody_searches",
        "tests/unit/agent/prompts/test_packing.py::test_roles_that_name_files_are_shown_the_likeliest",
    ),
    "searches miss with one guess after the other of the same kind": (
        f"{GREP}case_is_ignored_only_when_nothing_matches_and_it_is_said",
        f"{GREP}a_miss_names_the_pieces_that_do_occur",
        f"{GUARDS}searches",
    ),
    "what a build has left drowns the hits": (
        f"{GREP}a_hit_names_path_line_and_text_and_only_tracked_plain_text_is_searched",
    ),
    "a worktree nobody committed is merged, and brings nothing": (
        "tests/integration/git/test_repositories.py::test_from_edit_to_pushed_branch_with_exact_bytes_and_modes",
    ),
    "an alias moves to another model under the floors of the old one": (
        f"{HERE}the_model_is_named_by_its_version",
        "tests/unit/agent/domain/test_profiles.py::test_an_unknown_pair_gets_bendcoders_floors_with_a_warning_that_names_it",
    ),
}


def test_each_failure_has_its_tests() -> None:
    assert absent(node for nodes in CORPUS.values() for node in nodes) == []


FILES = {
    "alpha.py": b"def alpha():\n    return 1\n",
    "beta.py": b"class Beta:\n    pass\n",
    "tests/test_toy.py": same("alpha", "alpha.py", IMPOSSIBLE) + same("beta", "beta.py", IMPOSSIBLE),
}
READ = Say(action="read_code", read="alpha.py")
EDIT = Say(action="apply_edit", edit="alpha.py", lines=(2, 2))


def play(tmp_path: Path, says: list[Say], *texts: bytes, steps: int = 12) -> tuple[Run, ScriptedClassifier]:
    classifier = ScriptedClassifier(says)
    run = run_agent(
        write_tree(tmp_path / "repo", FILES),
        classifier,
        ScriptedGenerator(*([text] for text in texts)),
        goal="alpha is wrong",
        chosen=options(verify=("pytest",), steps=steps),
        sandbox=ToySandbox(Watch()),
    )
    return run, classifier


def test_answers_are_read_by_name_and_not_by_place() -> None:
    questions = {"is_blocked": Noul(instructions="blocked?"), "repeats": Noul(instructions="again?")}
    sent = {"repeats": {"noul": 0.9}, "extra": {"noul": 0.5}, "is_blocked": {"noul": 0.1}}
    answers = read_answers(questions, sent)
    assert answers == {"is_blocked": Nouled(probability=0.1), "repeats": Nouled(probability=0.9)}


@pytest.mark.parametrize("confidence", [0.9, 0.3])
def test_who_declines_every_file_is_soon_at_an_end(tmp_path: Path, confidence: float) -> None:
    decline = Say(action="read_code", read="none", confidence=confidence)
    run, classifier = play(tmp_path, [decline], steps=40)
    assert run.result.outcome is Outcome.STALLED
    assert len(classifier.asked) <= 1 + len(FILES)  # each time the fallback reads a file, while there is one


def test_files_are_offered_with_the_names_they_define(tmp_path: Path) -> None:
    _, classifier = play(tmp_path, [READ, Say(action="none")])
    offered = classifier.asked[0][1]["file_to_read"].options  # type: ignore[union-attr]
    assert offered["alpha.py"] == "alpha.py: alpha"
    assert offered["beta.py"] == "beta.py: Beta"


def test_a_draft_meets_the_tests_that_reach_it_before_the_suite(tmp_path: Path) -> None:
    run, _ = play(tmp_path, [READ, EDIT, Say(action="none")], b"    return 2\n")
    narrow = [one for one in run.of("suite") if one["what"] == "tests"]
    assert [one["ids"] for one in narrow] == [["tests/test_toy.py::test_alpha"]]
    assert [one["what"] for one in run.of("suite") if one["what"] in ("tests", "suite")] == ["tests"]


def test_where_the_whole_suite_reaches_a_draft_it_is_run_once_for_both(tmp_path: Path) -> None:
    fixed = b"def alpha():\n    return 2\n"
    run = run_agent(
        write_tree(tmp_path / "repo", FILES | {"tests/test_toy.py": same("alpha", "alpha.py", digest_of(fixed))}),
        ScriptedClassifier([READ, EDIT, Say(action="task_complete")]),
        ScriptedGenerator([b"    return 2\n"]),
        goal="alpha is wrong",
        chosen=options(verify=("pytest",)),
        sandbox=ToySandbox(Watch()),
    )
    assert [one["what"] for one in run.of("suite")][:3] == ["baseline", "spectrum", "suite"]
    assert [one["what"] for one in run.of("suite")].count("suite") == 1
    assert [one["spot"] for one in run.of("kept")] == ["2-2"]


def test_what_fails_is_shown_before_anybody_searches(tmp_path: Path) -> None:
    _, classifier = play(tmp_path, [Say(action="none")])
    state = classifier.asked[0][0]
    assert "tests/test_toy.py::test_alpha: AssertionError: alpha.py is not what it should be" in str(
        state["observations"]
    )
    assert state["facts"]["suspects"][0]["path"] == "alpha.py"  # type: ignore[index]


def test_the_model_is_named_by_its_version() -> None:
    assert profile_of("systemone", DEFAULT_MODEL).calibrated
    assert profile_of("systemone", "jev-latest").warning
