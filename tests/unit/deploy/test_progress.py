"""What a person is told of a run's events."""

import io

import pytest
from rich.console import Console

from deploy.delegate.progress import Display, Followed, Nowhere, told


@pytest.mark.parametrize(
    ("kind", "data", "line"),
    [
        ("baseline", {"red": ["a", "b"], "passed": 7}, "the suite as it is: 2 red, 7 passed"),
        ("decision", {"selected": {"action": "read_code", "path": "m.py"}}, "read code m.py"),
        ("decision", {"selected": {"action": "apply_edit", "path": "m.py", "spot": "1-3"}}, "apply edit m.py:1-3"),
        ("decision", {"selected": {"action": "stop", "why": "stalled"}}, "stop stalled"),
        ("decision", {"selected": None}, ""),
        ("generate", {"drafts": 2, "path": "m.py", "lines": "1-3", "note": "n"}, "2 drafts for m.py:1-3 (n)"),
        ("draft", {"passed": False, "note": "sign changed"}, "draft failed: sign changed"),
        ("kept", {"path": "m.py", "spot": "1-3", "fixed": ["a"]}, "kept m.py:1-3, which fixes 1 tests"),
        ("verdict", {"verdict": "verified", "reason": "r"}, "verdict verified: r"),
        ("classify", {"answers": {}}, ""),
        ("a kind of tomorrow", {"x": object()}, ""),
    ],
)
def test_an_event_in_words(kind: str, data: dict[str, object], line: str) -> None:
    assert told(kind, data) == line


def test_markup_of_a_repository_is_text() -> None:
    console = Console(file=io.StringIO(), width=200)
    with Display(console) as display:
        Followed(Nowhere(), display.event).emit("draft", 1, {"passed": True, "note": "[bold]x[/bold] [/nothing]"})
    assert "step 2: draft passed: [bold]x[/bold] [/nothing]" in console.file.getvalue()  # type: ignore[attr-defined]
