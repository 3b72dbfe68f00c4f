import json

import pytest

from agent.verify.traces import read_trace


def lines(*entries):
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


def test_entries_of_one_test_are_joined():
    found = read_trace(
        lines(
            {"id": "", "files": {"a.py": [1]}}, {"id": "t", "files": {"a.py": [2]}}, {"id": "t", "files": {"a.py": [3]}}
        )
    )
    assert found.problem == ""
    assert found.lines == {"": {"a.py": {1}}, "t": {"a.py": {2, 3}}}


def test_a_cut_last_line_is_left_out():
    found = read_trace(lines({"id": "t", "files": {}}) + b'{"id": "u", "fil')
    assert found.lines == {"t": {}}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "the tracer left no record"),
        (b"", "the tracer saw no test"),
        (lines({"id": "", "files": {}}), "the tracer saw no test"),
        (b"nonsense\n", "the tracer's record could not be read"),
        (lines([1]), "the tracer's record could not be read"),
        (lines({"id": 1, "files": {}}), "the tracer's record could not be read"),
        (lines({"id": "t", "files": []}), "the tracer's record could not be read"),
        (b"[" * 100_000 + b"\n", "the tracer's record could not be read"),
    ],
)
def test_what_is_no_trace(content, problem):
    found = read_trace(content)
    assert found.problem == problem
    assert found.lines == {}


def test_lines_of_another_kind_are_dropped():
    found = read_trace(lines({"id": "t", "files": {"a.py": [1, "2", True, -3, 4.0, None], "b.py": "x"}}))
    assert found.lines == {"t": {"a.py": {1}}}
