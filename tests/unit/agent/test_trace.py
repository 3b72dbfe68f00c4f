"""The trace: one line per event, no gaps, large texts beside it, redacted, readable by those who know fewer kinds."""

import json
from pathlib import Path

import pytest

from agent.errors import TraceError
from agent.trace import LARGE, JsonLines, read_trace


def sink(path: Path) -> JsonLines:
    return JsonLines(path, "r1", lambda: 12.3456)


def test_each_event_is_one_flushed_line_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "run.jsonl"
    trace = sink(path)
    trace.emit("run_started", 0, {"goal": "größer\nals", "ids": frozenset({"b", "a"}), "raw": b"\xff", "none": None})
    first = json.loads(path.read_text(encoding="utf-8"))  # read before close: it was flushed
    assert first == {
        "v": 2, "run": "r1", "seq": 0, "at": 12.346, "step": 0, "kind": "run_started",
        "data": {"goal": "größer\nals", "ids": ["a", "b"], "raw": "\\xff", "none": None},
    }  # fmt: skip
    trace.emit("run_ended", 3, {})
    trace.close()
    assert [(one.seq, one.kind, one.step) for one in read_trace(path)] == [(0, "run_started", 0), (1, "run_ended", 3)]


def test_a_line_is_json_to_the_letter_whatever_was_counted(tmp_path: Path) -> None:
    trace = sink(tmp_path / "run.jsonl")
    trace.emit("classify", 1, {"chances": {"a": float("nan"), "b": float("-inf")}})
    trace.close()
    read = json.loads(trace.path.read_text(), parse_constant=pytest.fail)
    assert read["data"] == {"chances": {"a": "nan", "b": "-inf"}}


def test_a_large_text_lies_beside_the_trace_under_its_digest(tmp_path: Path) -> None:
    trace = sink(tmp_path / "run.jsonl")
    trace.emit("verify", 1, {"output": "x" * (LARGE + 1)})
    trace.close()
    kept = next(read_trace(trace.path)).data["output"]
    assert isinstance(kept, dict)
    assert kept["bytes"] == LARGE + 1
    assert (tmp_path / "run.jsonl.d" / str(kept["sha256"])).read_text() == "x" * (LARGE + 1)


def test_every_text_passes_the_redactor(tmp_path: Path) -> None:
    trace = JsonLines(tmp_path / "t.jsonl", "r1", lambda: 0.0, lambda text: text.replace("hunter2", "***"))
    trace.emit("effect", 0, {"a": {"b": ["hunter2"]}, "c": b"hunter2", "d": "hunter2" * LARGE})
    trace.close()
    written = trace.path.read_text() + "".join(one.read_text() for one in (tmp_path / "t.jsonl.d").iterdir())
    assert "hunter2" not in written


def test_unknown_kinds_are_left_out(tmp_path: Path) -> None:
    trace = sink(tmp_path / "run.jsonl")
    trace.emit("from_the_future", 0, {})
    trace.emit("effect", 0, {})
    trace.close()
    assert [one.kind for one in read_trace(trace.path)] == ["effect"]
    assert [one.kind for one in read_trace(trace.path, every_kind=True)] == ["from_the_future", "effect"]


def test_going_on_after_a_crash_cuts_the_torn_line_and_keeps_counting(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    trace = sink(path)
    trace.emit("effect", 0, {})
    trace.close()
    with path.open("a") as file:
        file.write('{"v": 1, "ru')
    again = sink(path)
    again.emit("resumed", 0, {})
    again.close()
    assert [(one.seq, one.kind) for one in read_trace(path)] == [(0, "effect"), (1, "resumed")]


def test_a_gap_or_a_broken_line_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    trace = sink(path)
    trace.emit("effect", 0, {})
    trace.emit("effect", 0, {})
    trace.close()
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[1])
    with pytest.raises(TraceError, match="seq 1: events are missing"):
        list(read_trace(path))
    path.write_text("nonsense\n")
    with pytest.raises(TraceError, match="line 1"):
        list(read_trace(path))


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TraceError, match="cannot be written"):
        sink(tmp_path / "file" / "run.jsonl")
    with pytest.raises(TraceError, match="cannot be read"):
        list(read_trace(tmp_path / "nowhere"))
    trace = sink(tmp_path / "run.jsonl")
    trace.close()
    with pytest.raises(TraceError):
        trace.emit("effect", 0, {})
