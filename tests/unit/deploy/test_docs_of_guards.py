"""The page about the guards says what their code says, in the catalogue's order."""

from functools import partial

import pytest

from agent.domain.action import Action
from agent.guards.catalogue import guards
from agent.guards.events import READ, STOP, Bid, Event, Thread, is_action
from agent.guards.paths import PathRules
from deploy.docs_of_guards import page

LIMIT = 3


def sleepy(hours: int) -> Thread:
    """Block reading at night.

    Until a page was served.
    """
    state = "awake"

    def late(event: Event) -> str | None:
        if event.type == Action.READ_CODE and state != "awake":
            return f"{event.text('path')} sleeps after {hours + 1} of {LIMIT} hours"
        return _excuse(event)

    while True:
        event = yield Bid(request=((1.0, Event(STOP, {"why": "stalled"})),), wait=(READ, is_action), block=(late,))
        state = event.type


def _excuse(event: Event) -> str | None:
    """Not a reason."""
    return "it is Sunday" if event.type == Action.PLAN else None


def test_a_paragraph_holds_what_a_guard_is_for_hears_asks_for_and_says() -> None:
    text = " ".join(page([("sleepy", partial(sleepy, 2), 4)]).split())

    assert (
        "## sleepy Block reading at night. Until a page was served. It asks for `stop`. It listens for `read.done` and "
        "any action. It says: “<path> sleeps after <hours + 1> of 3 hours”; “it is Sunday”. "
        "`tests/unit/deploy/test_docs_of_guards.py`, rank 4."
    ) in text
    assert "| `read.done` | A page of `path` was served" in text
    assert "`suite.green`" not in text


def test_every_guard_has_a_paragraph_in_the_catalogues_order() -> None:
    named = guards(PathRules())
    titles = [line[3:] for line in page(named).split("\n") if line.startswith("## ")]

    assert titles == [*(name for name, _, _ in named), "The events they speak of"]


def test_a_guard_without_a_docstring_of_its_own_cannot_be_listed() -> None:
    with pytest.raises(SystemExit, match="bind arguments with `partial`"):
        page([("nameless", lambda: sleepy(1), 1)])
