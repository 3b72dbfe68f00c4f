"""A run that was killed goes on from its trace: nothing is done twice, and the end is the same."""

import json
from pathlib import Path

import pytest

from agent.trace import read_trace
from tests.support.agent_runs import SCRIPT, SCRIPTED, Run, options, run_agent, trace_of, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator

SAYS = [
    Say(action="read_code", read="adder.py"),
    Say(action="search_code"),
    Say(action="apply_edit", edit="adder.py", lines=(6, 6)),  # red in the suite, and undone
    Say(action="apply_edit", edit="adder.py", lines=(6, 6)),
    Say(action="task_complete"),
]
WRONG, FIX = b"    return a * b\n", b"    return a + b\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "repo", SCRIPTED)


def models(asked: int = 0, written: int = 0) -> tuple[ScriptedClassifier, ScriptedGenerator]:
    """Scripted models that have given so many answers already."""
    classifier, generator = ScriptedClassifier(SAYS), ScriptedGenerator([WRONG, FIX])
    classifier.forget(asked)
    generator.forget(written)
    return classifier, generator


def go(folder: Path, classifier: ScriptedClassifier, generator: ScriptedGenerator, *, resume: bool = False) -> Run:
    return run_agent(folder, classifier, generator, chosen=options(verify=SCRIPT), resume=resume)


def cut(folder: Path, lines: list[str], events: int, torn: str = "") -> tuple[int, int]:
    """Leave the first events of a trace, as a kill would; how many answers of each model are among them."""
    trace_of(folder).write_text("".join(lines[:events]) + torn, encoding="utf-8")
    kept = [json.loads(line) for line in lines[:events]]
    steps = [one for one in kept if one["kind"] == "classify" and "action" in one["data"]["about"]]
    return len(steps), sum(one["kind"] == "generate" for one in kept)


def test_killed_at_any_event_it_goes_on_and_ends_the_same(folder: Path) -> None:
    whole = go(folder, *models())
    assert whole.result.judgement is not None
    lines = trace_of(folder).read_text(encoding="utf-8").splitlines(keepends=True)
    kinds = [json.loads(line)["kind"] for line in lines]
    assert kinds[-1] == "run_ended"
    for events in range(0, len(lines) + 1, 3):
        asked, written = cut(folder, lines, events)
        again = go(folder, *models(asked, written), resume=True)

        assert again.result.diff == whole.result.diff, events
        assert again.result.outcome is whole.result.outcome
        assert again.result.judgement is not None
        assert again.result.judgement.tree == whole.result.judgement.tree
        told = [record.kind for record in again.trace]
        assert [kind for kind in told if kind != "resumed"] == kinds, events
        assert told.count("resumed") == (0 < events < len(lines))
        usage = again.result.usage
        assert (usage.steps, usage.tokens) == (whole.result.usage.steps, whole.result.usage.tokens)


def test_no_answer_and_no_suite_run_is_asked_for_twice(folder: Path) -> None:
    go(folder, *models())
    lines = trace_of(folder).read_text(encoding="utf-8").splitlines(keepends=True)
    kept = next(number for number, line in enumerate(lines) if '"kind": "kept"' in line)
    cut(folder, lines, kept, torn='{"v": 2, "run')
    classifier, generator = models(4, 1)

    again = go(folder, classifier, generator, resume=True)

    assert len(classifier.asked) == 1  # the last step's question alone
    assert generator.requests == []
    assert [one["why"] for one in again.of("resumed")] == [""]


def test_another_base_begins_anew_and_says_what_of_the_past_is_void(folder: Path) -> None:
    go(folder, *models())
    events = sum(1 for _ in read_trace(trace_of(folder)))
    write_tree(folder, {"more.py": "x = 1\n"})

    again = go(folder, *models(), resume=True)

    assert [(one["events"], one["void"]) for one in again.of("resumed")] == [(0, events)]
    assert again.result.judgement is not None


def test_an_outcome_of_another_change_is_never_taken_for_this_ones(folder: Path) -> None:
    """The kept suite result says green; the run that goes on writes something else."""
    go(folder, *models())
    lines = trace_of(folder).read_text(encoding="utf-8").splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if '"kind": "generate"' in line)
    event = json.loads(lines[place])
    event["data"]["record"] = ""
    lines[place] = json.dumps(event) + "\n"
    trace_of(folder).write_text("".join(lines), encoding="utf-8")
    classifier = ScriptedClassifier(SAYS)
    classifier.forget(3)

    again = go(folder, classifier, ScriptedGenerator([b"    return a / b\n"]), resume=True)

    assert again.result.judgement is None
    assert again.result.diff == ""
    assert again.of("resumed")[0]["void"]


def test_a_trace_that_cannot_be_read_is_kept_beside_the_new_one(folder: Path) -> None:
    trace_of(folder).write_text("nonsense\nmore\n", encoding="utf-8")

    again = go(folder, *models(), resume=True)

    assert again.result.judgement is not None
    assert trace_of(folder).with_name(f"{trace_of(folder).name}.unreadable").read_text() == "nonsense\nmore\n"


def test_time_nobody_worked_on_the_run_does_not_count(folder: Path) -> None:
    go(folder, *models())
    lines = trace_of(folder).read_text(encoding="utf-8").splitlines(keepends=True)
    shifted = []
    for line in lines[:-1]:
        event = json.loads(line)
        event["at"] = 100.0 + event["seq"]
        shifted.append(json.dumps(event) + "\n")
    trace_of(folder).write_text("".join(shifted), encoding="utf-8")

    again = go(folder, *models(5, 1), resume=True)

    assert len(shifted) - 2 <= again.result.usage.seconds < len(shifted) + 5
