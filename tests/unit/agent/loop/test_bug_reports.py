"""What people have reported of programs like this one, as far as it concerns edits, test runs and the loop itself.

Each failure is told in our words, with the tests that show that it does not happen here. The table is checked: a test
that is renamed or removed is missed.
"""

from collections.abc import Mapping

import pytest

from tests.support.named_tests import absent

UNIT = "tests/unit/agent"
LOOP = f"{UNIT}/loop"
RUN = f"{LOOP}/test_run.py::test_"
TABLE = f"{LOOP}/test_route_table.py::"
PREPARING = f"{LOOP}/test_preparing.py::test_"
NOISE = f"{LOOP}/test_noise.py::test_no_noise_makes_a_run_raise_write_outside_claim_or_end_without_a_reason"
HERE = f"{LOOP}/test_reported_failures.py::test_"
GUARDS = f"{UNIT}/guards/test_guards.py::test_"
EDITS = f"{UNIT}/edits"
RULE = f"{EDITS}/test_replace.py::test_each_rule"
TOOLS = f"{UNIT}/tools/test_write_and_edit.py::test_"
CHAT = f"{UNIT}/adapters/models/test_chat_quirks.py::test_"
SANDBOX = "tests/contract/test_sandbox_contract.py::test_"
PROCESS = f"{UNIT}/adapters/sandbox/test_process.py::test_"
VERIFY = "tests/integration/verify"
ATTACKS = f"{VERIFY}/test_verdict_attacks.py::test_"
ORDER = f"{VERIFY}/test_verdict_attacks_order.py::test_"
HANDS_OFF = f"{VERIFY}/test_hands_off.py::test_nobody_waits_for_a_person"
SET_UP = "tests/integration/environment/test_set_up.py::test_"
PIPELINE = "tests/integration/pipeline/test_pipeline.py::test_"

EDITING: Mapping[str, tuple[str, ...]] = {
    "of several edits some are applied, and all are sent again": (
        f"{EDITS}/test_transaction.py::test_one_hunk_that_cannot_be_meant_refuses_the_whole_draft",
        f"{LOOP}/test_transactions.py::test_a_transaction_with_a_forbidden_file_writes_nothing",
    ),
    "a byte order mark comes or goes": (
        f"{RULE}[the mark stays]",
        f"{RULE}[no mark is added]",
        f"{TOOLS}a_file_that_is_replaced_keeps_mark_endings_and_mode",
    ),
    "a tolerant match trims the new text as well": (f"{RULE}[a relaxed match keeps them too]",),
    "a write that fails half way leaves half a file": (
        f"{TOOLS}a_write_that_fails_half_way_leaves_the_old_bytes_and_no_rest",
        f"{RULE}[two encodings in one file]",
        f"{UNIT}/adapters/workspace/test_directory_workspace.py::"
        "test_a_write_that_fails_half_way_leaves_the_old_bytes_and_nothing_beside",
    ),
    "lines around an edit differ in white space alone": (
        f"{RULE}[the file's own indentation wins on every line]",
        f"{RULE}[two places if indentation is ignored]",
        f"{RULE}[uneven indentation]",
        f"{HERE}a_draft_that_quotes_at_another_indentation_is_understood",
    ),
    "a patch whose counts or blank lines are off is applied wrongly": (
        f"{HERE}a_patch_is_no_draft_and_its_author_is_told",
    ),
    "one renamed file makes renames of all the others": (
        f"{EDITS}/test_transaction.py::test_hunks_of_several_files_are_one_transaction",
        f"{EDITS}/test_diff.py::test_files_follow_in_order_and_unchanged_ones_are_left_out",
    ),
    "new lines land one line too early": (
        f"{RULE}[before the first line]",
        f"{RULE}[after the last line]",
        f"{EDITS}/test_anchor.py::test_only_the_anchored_bytes_change",
    ),
    "a file is created that is called like a language": (
        f"{TOOLS}a_language_behind_a_fence_is_no_file_unless_there_is_one",
        f"{HERE}a_fenced_reply_names_no_file",
        f"{HERE}a_draft_is_held_to_the_rules_of_every_edit[a language is no file]",
    ),
    "a new file takes the place of one with a similar name": (
        f"{TOOLS}a_new_file_never_takes_the_place_of_one_called_alike",
        f"{HERE}a_draft_is_held_to_the_rules_of_every_edit[nor one called alike]",
        f"{EDITS}/test_transaction.py::test_any_bytes_are_either_replaced_once_or_refused",
    ),
    "a folder doubled in front of a path makes a second file": (
        f"{TOOLS}a_folder_doubled_in_front_is_dropped_only_for_a_file_that_is_there",
        f"{HERE}a_draft_is_held_to_the_rules_of_every_edit[nor one in a doubled folder]",
    ),
    "line numbers of a display are taken for text": (
        f"{TOOLS}a_quotation_with_line_numbers_is_understood_only_when_each_line_has_one",
        f"{RULE}[a number on some lines only]",
    ),
    "the same impossible edit is made for ever": (
        f"{HERE}an_edit_that_cannot_be_applied_is_given_up_after_three_tries",
        f"{GUARDS}repair_cap",
    ),
    "a file is taken for text by its name": (
        f"{TOOLS}a_binary_file_is_left_alone_whatever_its_name",
        f"{HERE}a_draft_is_held_to_the_rules_of_every_edit[bytes are no text whatever their name]",
        f"{UNIT}/tools/test_read.py::test_binary_is_told_by_the_bytes_and_not_by_the_name",
        f"{RUN}picks_that_are_none_are_refused_with_their_reason",
    ),
}

RUNNING: Mapping[str, tuple[str, ...]] = {
    "a command is killed before it can tidy up, or does not die": (
        f"{SANDBOX}a_command_at_its_limit_may_tidy_up",
        f"{SANDBOX}a_command_that_ignores_term_is_killed_all_the_same",
        f"{SANDBOX}a_command_over_its_limit_is_killed_with_its_children",
    ),
    "an editor or a pager takes the terminal": (f"{HANDS_OFF}[an editor through the terminal]", HANDS_OFF),
    "a tool waits for an answer": (
        HANDS_OFF,
        f"{SANDBOX}standard_input_is_empty",
        f"{SANDBOX}who_asks_whether_anybody_is_there_is_told_that_nobody_is",
    ),
    "output without end goes to the model, or ends the run": (
        f"{SANDBOX}long_output_keeps_its_head_and_tail",
        f"{PROCESS}endless_output_takes_no_memory",
        f"{PROCESS}a_flood_is_cut_when_its_command_is_ended_as_well",
        f"{UNIT}/prompts/test_output.py::test_what_failed_survives_a_tight_limit_between_pages_of_noise",
        f"{LOOP}/test_parts.py::test_one_long_observation_is_cut",
    ),
    "a large result overflows a buffer and is lost": (
        f"{UNIT}/test_trace.py::test_a_large_text_lies_beside_the_trace_under_its_digest",
        f"{PROCESS}head_and_tail_are_exact_and_bounded",
    ),
    "a patch that is gone through whole holds up its run": (
        f"{UNIT}/verify/test_hunks.py::test_a_change_of_megabytes_holds_nobody_up[a generated file]",
        "tests/unit/worker/report/test_words.py::test_a_long_fence_keeps_head_and_tail",
    ),
    "escape sequences and NUL bytes are shown as they are": (
        f"{UNIT}/verify/test_junit.py::test_hostile_messages_are_kept_harmless",
        f"{UNIT}/verify/test_ids.py::test_messages_lose_control_characters_and_are_cut",
        f"{UNIT}/prompts/test_pieces.py::test_output_is_shown_as_a_terminal_would_and_what_nobody_sees_is_named",
    ),
    "output in another encoding ends the run": (
        f"{SANDBOX}output_that_is_not_text_does_no_harm",
        f"{UNIT}/test_main.py::test_a_terminal_without_the_characters_is_written_to_all_the_same",
        "tests/unit/deploy/test_cli.py::test_a_terminal_without_the_characters_is_written_to_all_the_same",
    ),
    "a test that comes and goes is blamed on the change": (
        f"{ATTACKS}a_flaky_test_as_the_only_evidence_is_not_verified",
        f"{ATTACKS}a_flaky_test_beside_real_evidence_is_listed_and_does_not_count",
    ),
    "the base is run again and again, and flips": (f"{HERE}the_base_is_run_whole_once_and_then_only_what_differs",),
    "old failures are blamed on the change, or hide new ones": (
        f"{ATTACKS}an_old_failure_elsewhere_is_listed_and_does_not_count",
        f"{ATTACKS}an_unrelated_test_newly_red_is_failing",
        f"{UNIT}/verify/test_verdict_table.py::test_flaky_and_old_failures_are_listed",
    ),
    "a second try launders a real failure": (f"{ORDER}a_failure_that_a_second_try_would_hide_is_failing",),
    "a slow suite is left out": (
        f"{ATTACKS}what_there_is_no_time_for_is_named_and_never_verified",
        f"{LOOP}/test_failure_corpus.py::test_a_draft_meets_the_tests_that_reach_it_before_the_suite",
    ),
    "what the suite needs cannot be downloaded": (
        f"{SET_UP}later_runs_have_no_network_even_so",
        f"{SET_UP}what_the_proxy_refused_is_told",
    ),
    "set-up is left out, or its output is": (
        "tests/e2e/test_set_up.py::test_what_set_up_made_is_there_for_baseline_and_verdict_and_made_once",
        f"{SET_UP}a_failing_set_up_names_the_setting_and_shows_its_output",
    ),
    "a killed installer leaves a lock behind": (
        "tests/unit/worker/environment/test_store.py::test_what_a_killed_set_up_left_is_made_anew_or_swept",
    ),
}

LOOPING: Mapping[str, tuple[str, ...]] = {
    "one action is repeated up to the limit": (f"{GUARDS}repeat", f"{HERE}reading_the_same_again_is_over_soon"),
    "errors that differ a little hide a circle": (
        f"{RUN}after_two_failed_repairs_the_last_good_bytes_come_back",
        f"{RUN}a_draft_the_suite_refuses_three_times_is_given_up",
    ),
    "work is lost when a run is stuck": (
        f"{HERE}what_was_kept_is_delivered_however_the_run_ends",
        f"{LOOP}/test_resuming.py::test_killed_at_any_event_it_goes_on_and_ends_the_same",
    ),
    "nobody can tell a stuck run anything new": (f"{PIPELINE}a_stalled_run_takes_a_new_instruction",),
    "a stuck run is told to nobody": (
        f"{PIPELINE}without_a_kept_edit_there_is_a_reason_and_no_branch",
        f"{RUN}nothing_written_ends_stalled_and_names_every_refusal",
    ),
    "a limit of nothing counts as no limit": (f"{HERE}a_limit_of_nothing_is_a_limit",),
    "a limit reached asks a person, and crashes": (
        f"{RUN}time_that_is_up_ends_the_run",
        f"{HERE}n_steps_are_n_steps",
    ),
    "the sandbox is gone, and models are paid all the same": (
        f"{HERE}without_its_sandbox_a_run_ends_at_once_and_asks_nobody",
    ),
    "a malformed reply is called cut off": (
        f"{CHAT}a_reply_that_stays_unusable_is_a_named_failure_after_two_calls",
        f"{UNIT}/adapters/models/test_replies.py::test_why_a_reply_cannot_be_used",
        f"{PREPARING}a_reply_that_is_no_draft_is_told_to_its_author",
    ),
    "a limit of steps is taken and not kept": (f"{HERE}n_steps_are_n_steps", NOISE),
    "a run ends at its limit without a word": (
        f"{RUN}the_last_step_asks_nobody_when_nothing_can_be_reported",
        f"{HERE}models_are_told_what_is_left",
        NOISE,
    ),
    "an end on the last step counts as an error": (f"{HERE}an_end_on_the_last_step_is_an_end",),
    "a hard limit goes past the last word": (f"{HERE}a_long_run_ends_like_any_other",),
    "a model call hangs, and nobody can stop it": (
        f"{CHAT}all_tries_share_one_deadline",
        f"{RUN}cancel_ends_at_once_and_delivers_what_was_kept",
        "tests/integration/delegate/test_stopping.py::test_terminating_ends_it_at_once",
    ),
    "a reply is there, and its stream never ends": (
        f"{CHAT}a_reply_that_drips_past_the_deadline_is_given_up",
        f"{CHAT}streaming_is_off_and_no_limit_is_sent_unasked",
        f"{UNIT}/test_trace.py::test_each_event_is_one_flushed_line_with_its_number",
    ),
    "tests are changed to fit a wrong result": (
        f"{RUN}a_test_under_judgement_is_protected",
        f"{ATTACKS}a_test_weakened_beside_a_real_fix_is_not_verified",
    ),
    "a test is removed again by whoever wrote it": (
        f"{PREPARING}the_written_test_may_not_be_changed_by_a_draft",
        f"{HERE}the_written_test_may_not_be_deleted_either",
        f"{ORDER}a_deleted_test_is_not_verified",
    ),
    "it is said that tests pass, and none was run": (
        NOISE,
        f"{GUARDS}green_before_done",
        f"{RUN}completion_without_a_kept_edit_is_not_even_offered",
    ),
    "what was run is called not run": (
        f"{VERIFY}/test_frameworks.py::test_any_other_command_is_judged_by_its_exit_code",
        f"{UNIT}/verify/frameworks/test_choosing.py::test_every_command_is_some_framework",
    ),
    "a change grows over lock files and what nobody asked for": (
        f"{UNIT}/guards/test_paths.py::test_protected",
        f"{LOOP}/test_shrinking.py::test_an_edit_a_later_one_made_superfluous_is_taken_back",
    ),
    "a model judges its own change": (
        f"{UNIT}/verify/test_verdict_table.py::test_one_broken_rule_is_enough_to_be_unverified",
        NOISE,
    ),
}


@pytest.mark.parametrize("reports", [EDITING, RUNNING, LOOPING], ids=["editing", "running", "looping"])
def test_each_report_has_its_tests(reports: Mapping[str, tuple[str, ...]]) -> None:
    assert absent(node for nodes in reports.values() for node in nodes) == []
