"""Plays a script: which say or reply is next, how often a fault is still due, what was asked so far; knows no HTTP."""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TypeVar

from pydantic import JsonValue

from deploy.standin.classify import Answered, answer, texts
from deploy.standin.script import Fault, Reply, Role, Say, Script, When, joined

CHARACTERS = 4
"""Of text per token: a rule of thumb, good enough to compare runs of the same scripted model."""
_PROMPTS: Mapping[str, Role] = {
    "edit": "draft", "draft": "draft", "repair": "repair", "search": "search", "plan": "plan",
    "reproduce": "reproduce", "answer": "answer",
}  # fmt: skip
_OPENING = 36
"""Characters of a prompt's beginning by which it is known: what follows may be filled in."""
_MEETING: Mapping[Role, tuple[Role, ...]] = {"repair": ("repair", "draft", "any"), "any": ("any",)}
_OVER = Say(action="none")
_SILENT = Reply()

Entry = TypeVar("Entry", Say, Reply)


class Player:
    """One script's progress; safe to use from several threads."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._lock = threading.Lock()
        self._used: Counter[int] = Counter()
        self._faults: Counter[int] = Counter()
        self._say = _OVER
        self._counts: Counter[str] = Counter()
        self._roles: Counter[str] = Counter()
        self._problems: list[str] = []
        self._written: tuple[str, Reply] | None = None
        """The last request Generate has answered usably, and the reply."""

    def classify(
        self, state: JsonValue, questions: Mapping[str, Mapping[str, object]], size: int
    ) -> tuple[Answered, Fault | None]:
        """The answers to one request of `size` characters, and the fault that is due first (it may only delay)."""
        fault = None
        with self._lock:
            self._count("classify", size)
            if "action" in questions:
                say = self._next(self._script.says, state, "\n".join(texts(state)))
                fault = self._due(say)
                if fault is not None and fault.fails:
                    return Answered(), fault
                if say is None:
                    self._problems.append("Classify was asked for a step after the script's last say")
                self._say = self._take(say) if say is not None else _OVER
            answered = answer(self._say, state, questions)
            self._problems += answered.problems
            return answered, fault

    def generate(self, messages: Sequence[tuple[str, str]], n: int) -> tuple[tuple[str, ...], str, Fault | None]:
        """Up to `n` texts, the finish reason, and the fault that is due first. Without a reply: one empty text.

        The very same request once more gets the same reply, as of a model that samples without chance.
        """
        shown = "\n".join(text for _, text in messages)
        with self._lock:
            self._count("generate", len(shown))
            role = role_of(messages)
            again = self._written is not None and self._written[0] == shown
            reply = self._written[1] if again and self._written else self._reply(role, shown)
            fault = None if again else self._due(reply)
            if fault is not None and fault.fails:
                return (), "", fault
            chosen = reply or _SILENT
            if not again:
                self._roles[role] += 1
                if reply is None:
                    self._problems.append(f"Generate was asked for `{role}` after the script's last fitting reply")
                else:
                    self._take(reply)
            self._written = (shown, chosen) if chosen.text and chosen.finish == "stop" else None
            written = (joined(chosen.text), *(joined(text) for text in chosen.more[: n - 1]))
            self._counts["tokens_written"] += sum(tokens(text) for text in written)
            return written, chosen.finish, fault

    def _reply(self, role: Role, shown: str) -> Reply | None:
        meant = [one for one in self._script.replies if one.role in _MEETING.get(role, (role, "any"))]
        return self._next(meant, None, shown)

    def record(self) -> dict[str, object]:
        """What was asked so far, and what of the script nobody asked for."""
        with self._lock:
            return {
                "classify": {"calls": self._counts["classify"], "tokens": self._counts["classify_tokens"]},
                "generate": {
                    "calls": self._counts["generate"],
                    "tokens": self._counts["generate_tokens"],
                    "written": self._counts["tokens_written"],
                    "roles": dict(sorted(self._roles.items())),
                },
                "problems": list(self._problems),
                "left": {"says": self._left(self._script.says), "replies": self._left(self._script.replies)},
            }

    def _next(self, entries: Sequence[Entry], state: JsonValue, shown: str) -> Entry | None:
        for entry in entries:
            if (not entry.times or self._used[id(entry)] < entry.times) and holds(entry.when, state, shown):
                return entry
        return None

    def _take(self, entry: Entry) -> Entry:
        self._used[id(entry)] += 1
        return entry

    def _due(self, entry: Say | Reply | None) -> Fault | None:
        fault = entry.fault if entry is not None else None
        if fault is None or self._faults[id(fault)] >= fault.times:
            return None
        self._faults[id(fault)] += 1
        return fault

    def _left(self, entries: Sequence[Say] | Sequence[Reply]) -> int:
        return sum(1 for entry in entries if entry.times and self._used[id(entry)] < entry.times)

    def _count(self, what: str, size: int) -> None:
        self._counts[what] += 1
        self._counts[f"{what}_tokens"] += -(-size // CHARACTERS)


def holds(when: When, state: JsonValue, shown: str) -> bool:
    """Whether everything a condition names is so."""
    return (
        all(piece in shown for piece in when.has)
        and not any(piece in shown for piece in when.lacks)
        and all(_at(state, place) == value for place, value in when.state.items())
    )


def _at(state: JsonValue, place: str) -> JsonValue:
    here = state
    for name in place.split("."):
        here = here.get(name) if isinstance(here, dict) else None
    return here


def tokens(text: str) -> int:
    """About how many tokens a text is."""
    return -(-len(text) // CHARACTERS)


def role_of(messages: Sequence[tuple[str, str]]) -> Role:
    """What kind of text is asked for: that of the prompt file the system message begins with; `any` when none fits."""
    system = next((text for role, text in messages if role == "system"), "")
    for prompt in files("agent.prompts").iterdir():
        name, _, kind = prompt.name.partition(".")
        if kind == "md" and system.startswith(prompt.read_text(encoding="utf-8").strip()[:_OPENING]):
            return _PROMPTS.get(name, "any")
    return "any"
