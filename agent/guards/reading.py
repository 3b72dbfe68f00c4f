"""Rules of reading and picking: no edit of an unread file, no second reading of the same; must not read anything."""

from agent.domain.action import Action
from agent.domain.thresholds import DECLINED_LIMIT
from agent.guards.events import APPLIED, DECLINED, READ, RESTORED, Bid, Event, Thread


def read_before_edit() -> Thread:
    """Block an edit of a file this run has not read, and any edit while nothing was read.

    A file the edit creates needs no reading.
    """
    seen: frozenset[str] = frozenset()

    def unread(event: Event) -> str | None:
        if event.type != Action.APPLY_EDIT or event.text("path") in seen or event.detail.get("new"):
            return None
        if event.text("path"):
            return f"{event.text('path')} has not been read in this run"
        return None if seen else "no file has been read yet"

    while True:
        event = yield Bid(wait=(READ,), block=(unread,))
        seen |= {event.text("path")}


def reads() -> Thread:
    """Block reading a file again that was read to its end and not changed since, and reading after declined picks.

    Two declined picks in a row end it until a page is served or a file changes; the fallback may read all the same.
    """
    finished: frozenset[str] = frozenset()
    declined = 0

    def useless(event: Event) -> str | None:
        if event.type != Action.READ_CODE:
            return None
        if event.text("path") in finished:
            return f"{event.text('path')} was read to its end and has not changed since"
        if declined >= DECLINED_LIMIT and "fallback" not in event.detail:
            return f"the last {declined} picks of a file to read were declined"
        return None

    while True:
        event = yield Bid(wait=(READ, DECLINED, APPLIED, RESTORED), block=(useless,))
        if event.type == DECLINED:
            declined += 1
            continue
        declined = 0
        if event.type == READ and event.detail.get("last"):
            finished |= {event.text("path")}
        elif event.type != READ:
            finished -= {event.text("path")}


def picked() -> Thread:
    """Block an edit without lines and a read without a file: Classify declined, or was not sure enough of its pick."""

    def nowhere(event: Event) -> str | None:
        if event.type == Action.READ_CODE and event.detail.get("path") == "":
            return "no listed file was picked for reading"
        return event.text("unpicked") or None if event.type == Action.APPLY_EDIT else None

    while True:
        yield Bid(block=(nowhere,))
