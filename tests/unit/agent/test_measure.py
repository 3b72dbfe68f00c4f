"""The figures of a trace, by hand-made records and by the trace of a real, scripted run."""

from collections.abc import Mapping

from agent.measure import Measures, measure
from agent.trace import Record

NEW = [{"action": "evidence"}]


def _records(*events: tuple[str, Mapping[str, object]]) -> list[Record]:
    return [
        Record(v=1, run="r", seq=place, at=0.0, step=0, kind=kind, data=data)
        for place, (kind, data) in enumerate(events)
    ]


def _step(action: str, path: str = "", *, events: list[dict[str, str]] | None = None, spot: str = "") -> list[Record]:
    return _records(
        ("decision", {"selected": {"action": action, "path": path, "spot": spot}, "blocked": []}),
        ("effect", {"action": action, "events": events or []}),
    )


def test_an_empty_trace_has_no_figures() -> None:
    assert measure(()) == Measures()


def test_the_same_step_without_anything_new_is_waste() -> None:
    records = [*_step("search_code"), *_step("search_code"), *_step("read_code", "a.py"), *_step("search_code")]

    assert (measure(records).steps, measure(records).waste) == (4, 2)


def test_new_evidence_makes_a_repetition_worth_it() -> None:
    records = [*_step("read_code", "a.py", events=NEW), *_step("read_code", "a.py", events=NEW)]

    assert measure(records).waste == 0


def test_other_lines_of_the_same_file_are_another_step() -> None:
    assert measure([*_step("apply_edit", "a.py", spot="1-2"), *_step("apply_edit", "a.py", spot="3-4")]).waste == 0


def test_steps_before_the_edit_that_was_kept_first_are_counted() -> None:
    records = [
        *_step("read_code", "a.py"),
        *_step("apply_edit", "a.py"),
        *_step("read_code", "b.py"),
        *_step("apply_edit", "b.py"),
        *_records(("kept", {"path": "b.py"})),
        *_step("run_suite"),
        *_step("apply_edit", "c.py"),
        *_records(("kept", {"path": "c.py"})),
    ]

    assert measure(records).before_first_change == 3
    assert measure(records[:4]).before_first_change is None


def test_a_top_proposal_counts_for_the_guard_that_blocked_it_first() -> None:
    edit = {"action": "apply_edit", "path": "a.py"}
    blocked = [
        {**edit, "top": True, "by": "read-before-edit", "why": "x"},
        {**edit, "top": True, "by": "floors", "why": "x"},
        {"action": "run_suite", "top": False, "by": "floors", "why": "x"},
    ]
    records = _records(("decision", {"selected": None, "blocked": blocked}))

    assert measure(records).refusals == {"read-before-edit": 1}


def test_time_is_told_apart() -> None:
    records = _records(
        ("suite", {"seconds": 1.5}), ("classify", {"seconds": 0.2}), ("generate", {"seconds": 0.3}), ("suite", {})
    )
    found = measure(records)

    assert (found.suites, found.suite_seconds, found.model_seconds) == (2, 1.5, 0.5)
