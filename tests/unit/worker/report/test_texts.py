"""What people read: every foreign value neutralised, every fact there, every ending with a next step."""

import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from agent.domain.action import Action, Refusal
from agent.domain.edit import Change
from agent.domain.result import Judgement, Outcome, RunResult, Usage, Verdict
from agent.domain.suite import Case, Status, SuiteRun
from worker.policy import Pull
from worker.report import markers, pull_request, render, status
from worker.report.pull_request import Origin

JOB = "0123456789abcdef"
EVIL = "@bob closes #3 <!-- bendcoder:end --> https://x.org/1 `|` ![i](u)"


def suite(**cases: Status) -> SuiteRun:
    found = tuple(Case(id=f"t.py::{name}", status=ended) for name, ended in cases.items())
    red = any(ended.red for ended in cases.values())
    return SuiteRun(exit_code=int(red), timed_out=False, seconds=2, output="", cases=found)


def judgement(verdict: Verdict = Verdict.VERIFIED) -> Judgement:
    return Judgement(
        verdict=verdict,
        reason="verified by existing tests",
        final=suite(a=Status.PASSED, b=Status.PASSED, c=Status.FAILED),
        tree="t",
        fixed=("t.py::a",),
        evidence=("t.py::a",),
        still_red=("t.py::c",),
        coverage={"m.py": "covered", "n.py": "not covered"},
    )


def result(**changes: object) -> RunResult:
    values = {
        "run_id": "run-1",
        "outcome": Outcome.COMPLETED,
        "outcome_reason": "done",
        "judgement": judgement(),
        "changes": (Change(path="m.py", before=b"", after=b"x"), Change(path="n.py", before=b"", after=b"x")),
        "diff": "--- a/m.py\n+++ b/m.py\n",
        "baseline": suite(a=Status.FAILED, b=Status.PASSED, c=Status.FAILED),
        "usage": Usage(steps=3, tokens=10),
        "refusals": (Refusal(action=Action.APPLY_EDIT, guard="unread", reason=EVIL),) * 3,
        "classify": "embedded rules, not calibrated",
        "generate": "embedded search",
    }
    return RunResult(**(values | changes))


def origin(**changes: object) -> Origin:
    values = {
        "job_id": JOB,
        "issue": 7,
        "issue_title": EVIL,
        "repo": "o/r",
        "base": "main",
        "base_sha": "a" * 40,
        "branch": "bendcoder/issue-7",
        "verify": ("python", "-m", "pytest", "a b"),
    }
    return Origin(**(values | changes))


def harmless(text: str, own: str = "") -> None:
    """Outside our markers and our one closing line nothing pings, links, closes or hides."""
    plain = re.sub(r"^<!-- bendcoder:(?:job|refused)=\w+ -->$|^<!-- bendcoder:(?:begin|end) -->$", "", text, flags=re.M)
    rows = plain.replace(own, "").split("\n")
    tokens = MarkdownIt("commonmark").parse("\n".join(rows))
    for token in tokens:
        if token.type == "fence":
            rows[token.map[0] : token.map[1]] = [""] * (token.map[1] - token.map[0])
    plain = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", "\n".join(rows))
    assert not re.search(r"@\w|(?<!Closes )(?<!Refers to )#\d|<!--|://|!\[", plain), plain


def test_the_body_states_before_now_and_not_checked():
    body = pull_request.body(origin(), result(), judgement(), Pull.VERIFIED)
    assert body.startswith(f"<!-- bendcoder:job={JOB} -->\n<!-- bendcoder:begin -->\n")
    assert body.splitlines().count(markers.END) == 1
    assert "| What failed before | `t.py::a`, `t.py::c` |" in body
    assert "| What passes now | `t.py::a` |" in body
    assert "changed lines no passing test ran, in `n.py`" in body
    assert "| `t.py::a` | failed (3 of 3) | passed (3 of 3) | evidence |" in body
    assert "Still failing, as before: 1" in body
    assert "embedded rules, not calibrated" in body
    assert "| Refused by `unread` | 3 times" in body
    assert "python -m pytest 'a b'" in body
    assert "aaaaaaaaaaaa" in body
    assert "run `run-1`" in body
    assert "Closes #7" in body
    harmless(body)


@pytest.mark.parametrize(("pull", "words"), [(Pull.UNVERIFIED, "**Not verified.**"), (Pull.FAILING, "**Failing.**")])
def test_what_is_not_verified_says_so_first_and_closes_nothing(pull, words):
    body = pull_request.body(origin(), result(), judgement(), pull)
    assert words in body.split("\n### Verdict")[0]
    assert "Refers to #7" in body
    assert "Closes" not in body
    harmless(body)


def test_held_actions_and_missing_drafts_are_said():
    body = pull_request.body(origin(ci_held=True, draft=False), result(), judgement(), Pull.VERIFIED)
    assert "`[skip ci]`" in body
    assert "does not take draft pull requests" in body
    assert pull_request.title(origin(draft=False), Pull.VERIFIED).startswith("[draft] ")


def test_notes_stand_before_everything_else():
    noted = replace(judgement(), notes=("A test was changed, as the issue asks.", "3 candidates pass."))
    body = pull_request.body(origin(), result(), noted, Pull.VERIFIED)
    assert body.index("A test was changed") < body.index("Closes #7")


def test_a_judgement_without_any_report_is_told_as_such():
    bare = Judgement(verdict=Verdict.UNVERIFIED, reason="r", final=None, tree="t")
    body = pull_request.body(origin(), result(baseline=None, judgement=bare), bare, Pull.UNVERIFIED)
    assert "no per-test report of the base" in body
    assert "the suite on the final commit" in body
    assert "no test tells it from the base" in body
    assert "not run on the final commit" in body


def test_title_and_commit_close_and_ping_nothing():
    assert pull_request.title(origin(), Pull.UNVERIFIED).startswith("[unverified] ")
    message = pull_request.commit_message(origin(ci_held=True), result().changes, "bob", 5)
    for text in (pull_request.title(origin(), Pull.VERIFIED), message):
        assert not re.search(r"@\w|#\d|://", text)
    assert "\n[skip ci]\n" in message
    assert f"Bendcoder-Job: {JOB}" in message
    assert message.split("\n")[1] == ""


def test_the_body_stays_below_the_limit_however_much_there_is():
    many = tuple(f"t.py::test_{number}[{'x' * 200}]" for number in range(5000))
    large = replace(judgement(), fixed=many, broken=many, still_red=many, flaky=many, skipped=many)
    body = pull_request.body(origin(), result(judgement=large), large, Pull.FAILING)
    assert len(body) <= 60_000
    assert len(pull_request.check_summary(result(judgement=large))) <= 60_000


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_end_without_a_change_says_why_and_what_to_do_next(outcome):
    ended = result(outcome=outcome, outcome_reason=EVIL, judgement=None, changes=(), answer="an @answer")
    text = status.comment(JOB, status.finished(ended, Pull.NONE, "", with_patch=False, hidden=("<!-- psst -->",)))
    assert text.startswith(markers.job(JOB))
    assert "No branch and no pull request were made." in text
    assert "**Next:**" in text
    assert "<!-- psst -->" in text.split("```text")[-1]
    harmless(text)


@pytest.mark.parametrize("pull", [Pull.VERIFIED, Pull.UNVERIFIED, Pull.FAILING])
def test_a_run_with_a_pull_request_links_it(pull):
    url = "http://127.0.0.1:8000/o/r/pull/1"
    ended = status.finished(result(outcome=Outcome.OUT_OF_BUDGET), pull, url, with_patch=False, hidden=())
    text = status.comment(JOB, ended, by="ann")
    assert url in text
    assert "ended early (out of budget)" in text
    assert "Asked by `ann`" in text
    harmless(text, own=url)


def test_a_patch_that_is_not_pushed_stands_in_the_comment():
    text = status.comment(JOB, status.finished(result(), Pull.NONE, "", with_patch=True, hidden=()))
    assert "```diff\n--- a/m.py" in text
    assert "drafts: verified" in text


def test_an_unusable_suite_shows_what_it_printed():
    base = SuiteRun(exit_code=2, timed_out=False, seconds=1, output="no module @named x")
    ended = result(outcome=Outcome.SUITE_UNUSABLE, judgement=None, changes=(), baseline=base)
    text = status.comment(JOB, status.finished(ended, Pull.NONE, "", with_patch=False, hidden=()))
    assert "```text\nno module @named x" in text
    assert "`.github/bendcoder.yml`" in text


def test_first_words_progress_failure_refusal_and_help():
    first = status.comment(JOB, status.acknowledged(12, 600, ["<!-- x -->"]))
    assert "At most 12 steps and 10 minutes" in first
    assert "Now: step 3 of 12." in status.comment(JOB, status.progress("step 3 of 12", ()))
    assert "**Next:** try" in status.comment(JOB, status.failed("It broke.", "try again", detail="trace"))
    told = status.refusal(5, "bob has the role `read`.", "bendcoder")
    assert told.startswith("<!-- bendcoder:refused=5 -->")
    assert "Nothing ran" in told
    assert "not understood" in status.usage(4, "bendcoder", "`x` is not an option.")
    assert "not understood" not in status.usage(4, "bendcoder")


def test_a_value_that_was_not_neutralised_cannot_be_printed():
    with pytest.raises(TypeError, match="without a neutralising filter"):
        render._only_safe("plain")
    with pytest.raises(ValueError, match="not a marker"):
        render._html("<!-- other -->")


def test_the_check_counts():
    summary = pull_request.check_summary(result())
    assert "| fixed | 1 |" in summary
    assert pull_request.check_title(result()) == "verified"
    stopped = result(judgement=None, outcome=Outcome.SUITE_UNUSABLE)
    assert pull_request.check_title(stopped) == "suite unusable"
    assert "done" in pull_request.check_summary(stopped)


def test_our_block_is_renewed_and_nothing_around_it():
    body = f"{markers.job(JOB)}\nmine\n{markers.BEGIN}\nold\n{markers.END}\nmine too"
    renewed = markers.replace_block(body, "new")
    assert renewed == f"{markers.job(JOB)}\nmine\n{markers.BEGIN}\nnew\n{markers.END}\nmine too"
    assert not markers.touched_outside(renewed, body)
    assert markers.touched_outside(renewed + "!", body)


@pytest.mark.parametrize(
    "body",
    [
        "",
        markers.BEGIN,
        f"{markers.END}\n{markers.BEGIN}",
        f"{markers.BEGIN}\n{markers.BEGIN}\n{markers.END}",
        f"`{markers.BEGIN}`\n{markers.END}",
    ],
)
def test_a_block_somebody_took_over_is_left_alone(body):
    assert markers.replace_block(body, "new") is None


def test_a_marker_counts_only_at_the_top():
    assert markers.carries(f"\r\n{markers.job(JOB)}\ntext", markers.job(JOB))
    assert not markers.carries(f"> {markers.job(JOB)}", markers.job(JOB))
