"""What no other test shows of the failures `test_bug_reports` lists: edits that cannot be meant, and where runs end."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from agent.domain.edit import Hunk
from agent.domain.environment import Environment
from agent.domain.result import Outcome, Verdict
from agent.domain.task import Budget, Options
from agent.edits.reply import draft_of
from agent.errors import SandboxError
from agent.trace import read_trace
from tests.support.agent_runs import Run, options, run_agent, trace_of, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator
from tests.support.toy_suite import IMPOSSIBLE, ToyBox, ToySandbox, Watch, digest_of, same

FREE = b"X = 1\n"
FILES = {
    "alpha.py": b"def alpha():\n    return 1\n",
    "free.py": FREE,
    "tests/test_toy.py": same("alpha", "alpha.py", IMPOSSIBLE) + same("free", "free.py", digest_of(FREE)),
}
GREEN = {"alpha.py": FILES["alpha.py"], "free.py": FREE, "test_toy.py": same("free", "free.py", digest_of(FREE))}
READ = Say(action="read_code", read="alpha.py")
EDIT = Say(action="apply_edit", edit="alpha.py", lines=(2, 2))
FREELY = Say(action="apply_edit", edit="none")
DONE = Say(action="task_complete")
NONE = Say(action="none")


def play(
    tmp_path: Path,
    says: list[Say],
    *texts: bytes,
    files: Mapping[str, bytes] = FILES,
    chosen: Options | None = None,
    prose: bool = False,
) -> tuple[Run, ScriptedClassifier, ScriptedGenerator]:
    classifier, generator = ScriptedClassifier(says), ScriptedGenerator(*([text] for text in texts), prose=prose)
    run = run_agent(
        write_tree(tmp_path / "repo", files),
        classifier,
        generator,
        goal="alpha is wrong",
        chosen=chosen or options(verify=("pytest",)),
        sandbox=ToySandbox(Watch()),
    )
    return run, classifier, generator


@pytest.mark.parametrize(
    "patch",
    [
        "--- a/alpha.py\n+++ b/alpha.py\n@@ -2 +2 @@\n-    return 1\n+    return 2\n",
        "```diff\n--- a/alpha.py\n+++ b/alpha.py\n@@ -1,2 +1,2 @@\n def alpha():\n\n-    return 1\n+    return 2\n```",
        "diff --git a/alpha.py b/beta.py\nrename from alpha.py\nrename to beta.py\n",
    ],
)
def test_a_patch_is_no_draft_and_its_author_is_told(patch: str) -> None:
    assert "a group needs PATH, OLD, NEW and END" in draft_of(patch, None).problem


def test_a_fenced_reply_names_no_file() -> None:
    group = "<<<PATH>>>\nalpha.py\n<<<OLD>>>\n1\n<<<NEW>>>\n2\n<<<END>>>"
    assert draft_of(f"```python\n{group}\n```", None).hunks == (Hunk(path="alpha.py", old="1", new="2"),)
    assert draft_of("```php\necho 1;\n```", None).hunks == ()


def group(path: str, old: str, new: str) -> bytes:
    return f"<<<PATH>>>\n{path}\n<<<OLD>>>\n{old}\n<<<NEW>>>\n{new}\n<<<END>>>\n".encode()


@pytest.mark.parametrize(
    ("draft", "why"),
    [
        pytest.param(group("php", "", "echo 1;"), "does not look like a path", id="a language is no file"),
        pytest.param(group("Alpha.py", "", "x = 1"), "differs from the file alpha.py only", id="nor one called alike"),
        pytest.param(group("lib/lib/a.py", "", "x = 1"), "there is lib/a.py", id="nor one in a doubled folder"),
        pytest.param(group("./free.py", "", "x = 1"), "there is free.py", id="nor one in a roundabout way"),
        pytest.param(group("data.bin", "ab", "x"), "binary", id="bytes are no text whatever their name"),
        pytest.param(group("alpha.py", "1", "\0"), "alpha.py: ", id="and no text becomes a binary file"),
        pytest.param(group("alpha.py", "def alfa():", "x"), "does not stand in the file", id="what is near is told"),
        pytest.param(group("alpha.py", "  alpha():\n return 1", "x"), "does not stand", id="no guess at indentation"),
    ],
)
def test_a_draft_is_held_to_the_rules_of_every_edit(tmp_path: Path, draft: bytes, why: str) -> None:
    files = {**FILES, "data.bin": b"ab\0\1", "lib/a.py": b"x = 2\n"}
    says = [*(Say(action="read_code", read=path) for path in ("alpha.py", "data.bin", "lib/a.py")), FREELY, NONE]
    run, _, _ = play(tmp_path, says, draft, files=files, prose=True)
    assert (run.of("draft")[0]["applied"], run.result.changes) == (False, ())
    assert why in str(run.of("draft")[0]["output"])


def test_a_draft_that_quotes_at_another_indentation_is_understood(tmp_path: Path) -> None:
    says = [READ, FREELY, NONE]
    run, _, _ = play(tmp_path, says, group("alpha.py", "        return 1", "        return 2"), prose=True)
    assert run.of("draft")[0]["applied"] is True
    assert run.of("draft")[0]["files"] == ["alpha.py"]


def test_an_edit_that_cannot_be_applied_is_given_up_after_three_tries(tmp_path: Path) -> None:
    impossible = b"<<<PATH>>>\nalpha.py\n<<<OLD>>>\nno such line\n<<<NEW>>>\nx\n<<<END>>>\n"
    run, _, generator = play(tmp_path, [READ, EDIT], *[impossible] * 9, prose=True)
    assert len(generator.requests) == 3
    assert run.result.outcome is Outcome.STALLED
    assert "every draft for alpha.py:2-2 failed" in str(run.result.refusals)


def test_reading_the_same_again_is_over_soon(tmp_path: Path) -> None:
    run, classifier, _ = play(tmp_path, [READ], chosen=options(verify=("pytest",), steps=40))
    assert run.result.outcome is Outcome.STALLED
    assert len(classifier.asked) <= len(FILES) + 2


def test_what_was_kept_is_delivered_however_the_run_ends(tmp_path: Path) -> None:
    says = [Say(action="read_code", read="alpha.py"), EDIT, NONE]
    run, _, _ = play(tmp_path, says, b"    return 2\n", files=GREEN)
    assert run.result.outcome is Outcome.STALLED
    assert [change.path for change in run.result.changes] == ["alpha.py"]
    assert run.result.judgement is not None


@pytest.mark.parametrize(
    "nothing", [Budget(steps=0), Budget(tokens=0), Budget(money=0.0), Budget(seconds=0.0)], ids=repr
)
def test_a_limit_of_nothing_is_a_limit(tmp_path: Path, nothing: Budget) -> None:
    chosen = replace(options(verify=("pytest",)), budget=nothing)
    run, classifier, _ = play(tmp_path, [READ], chosen=chosen)
    assert run.result.outcome is Outcome.OUT_OF_BUDGET
    assert "is used up" in run.result.outcome_reason
    assert classifier.asked == []


@pytest.mark.parametrize("steps", range(1, 7))
def test_n_steps_are_n_steps(tmp_path: Path, steps: int) -> None:
    pages = {**FILES, "long.txt": b"line\n" * 3000}
    chosen = options(verify=("pytest",), steps=steps)
    run, classifier, _ = play(tmp_path, [Say(action="read_code", read="long.txt")], files=pages, chosen=chosen)
    assert run.result.outcome is Outcome.OUT_OF_BUDGET
    assert run.result.usage.steps == len(classifier.asked) == steps - 1  # the last one is kept for the report


def test_models_are_told_what_is_left(tmp_path: Path) -> None:
    _, classifier, _ = play(
        tmp_path, [READ, Say(action="run_suite"), NONE], chosen=options(verify=("pytest",), steps=5)
    )
    assert [state["budget"]["steps_left"] for state, _ in classifier.asked] == [5, 4, 3]  # type: ignore[index]


def test_an_end_on_the_last_step_is_an_end(tmp_path: Path) -> None:
    says = [READ, EDIT, DONE]
    chosen = options(verify=("pytest",), steps=4)  # reading, editing, the suite a guard wants, and the end
    run, _, _ = play(tmp_path, says, b"    return 2\n", files=GREEN, chosen=chosen)
    assert run.result.outcome is Outcome.COMPLETED
    assert run.result.usage.steps == 3


def test_a_long_run_ends_like_any_other(tmp_path: Path) -> None:
    pages = {**FILES, "long.txt": b"line\n" * 24_000}
    chosen = options(verify=("pytest",), steps=120)
    run, _, _ = play(tmp_path, [Say(action="read_code", read="long.txt")], files=pages, chosen=chosen)
    assert run.result.usage.steps == 119
    assert run.result.outcome_reason == "the budget of steps is used up: the last step is kept for the report"


class Vanishing(ToySandbox):
    """A sandbox that is there for the baseline and then no more."""

    opened = 0

    @contextmanager
    def open(self, tree: Path, environment: Environment) -> Iterator[ToyBox]:
        self.opened += 1
        if self.opened > 2:  # the suite, and the traced run for suspects
            raise SandboxError("the sandbox is gone")
        with super().open(tree, environment) as box:
            yield box


def test_without_its_sandbox_a_run_ends_at_once_and_asks_nobody(tmp_path: Path) -> None:
    classifier, generator = ScriptedClassifier([READ, EDIT]), ScriptedGenerator(*[[b"    return 2\n"]] * 9)
    folder = write_tree(tmp_path / "repo", FILES)
    with pytest.raises(SandboxError, match="gone"):
        run_agent(folder, classifier, generator, chosen=options(verify=("pytest",)), sandbox=Vanishing(Watch()))
    assert len(generator.requests) == 1
    assert len(classifier.asked) == 3  # two steps, and the lines of the edit
    assert [record.seq for record in read_trace(trace_of(folder))]


def test_the_written_test_may_not_be_deleted_either(tmp_path: Path) -> None:
    path = "test_alpha_is_wrong.py"
    written = same("alpha", "alpha.py", IMPOSSIBLE)
    deleted = f"<<<PATH>>>\n{path}\n<<<DELETE>>>\n<<<END>>>\n".encode()
    says = [READ, Say(action="reproduce"), Say(action="read_code", read=path), FREELY, NONE]
    run, _, _ = play(tmp_path, says, written, deleted, files=GREEN, prose=True)
    assert "this run wrote it as evidence" in str(run.of("draft")[0]["output"])


def test_the_base_is_run_whole_once_and_then_only_what_differs(tmp_path: Path) -> None:
    """Two whole runs of one base may differ by a flaky test; what is blamed on a change must not."""
    right = b"def alpha():\n    return 2\n"
    files = {
        **FILES,
        "tests/test_toy.py": same("alpha", "alpha.py", digest_of(right)) + same("free", "free.py", digest_of(FREE)),
    }
    run, _, _ = play(tmp_path, [READ, EDIT, DONE], b"    return 2\n", files=files)
    assert run.result.judgement is not None
    assert run.result.judgement.verdict is Verdict.VERIFIED
    on_base = [(one["what"], one["ids"]) for one in run.of("suite") if one["tree"] == run.of("suite")[0]["tree"]]
    assert [what for what, ids in on_base if ids is None and what != "spectrum"] == ["baseline"]
    assert [ids for what, ids in on_base if str(what).startswith("base again")] == [
        ["tests/test_toy.py::test_alpha"]
    ] * 2
