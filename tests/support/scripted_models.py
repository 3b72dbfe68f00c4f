"""Classify and Generate that say what a test wrote down for them; they decide nothing and see the real questions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from agent.domain.answers import Answer, Choice, Chosen, Classified, Missing, Noul, Nouled, Question, Scored
from agent.domain.edit import Draft
from agent.domain.profiles import BENDCODER, Profile
from agent.edits.reply import draft_of
from agent.ports import WriteRequest, Written


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """What a scripted Classify answers in one step and in the line picks that follow it."""

    action: str
    confidence: float = 0.9
    read: str = "none"
    edit: str = "none"
    window: str = "1"
    lines: tuple[int, int] = (1, 1)
    sure: float = 0.95
    """Confidence of every pick of file and lines."""
    repeats: float = 0.0
    needs: float = 1.0
    blocked: float = 0.0
    present: float = 1.0
    """Whether the shown lines hold the code to change."""
    risk: float = 0.0
    progress: float = 1.0
    missing: frozenset[str] = frozenset()
    """Questions left without an answer."""
    rest: Mapping[str, float] = field(default_factory=dict)
    """Probabilities of runner-up actions."""


Script = Sequence[Say] | Callable[[Mapping[str, object], Mapping[str, Question]], Say]


class ScriptedClassifier:
    """Answers step after step from a list (the last one again and again), or from a function of state and questions."""

    label = "scripted, not calibrated"

    def __init__(self, script: Script, profile: Profile = BENDCODER) -> None:
        self._script, self.profile = script, profile
        self._steps = 0
        self._now: Say | None = None
        self.asked: list[tuple[Mapping[str, object], Mapping[str, Question]]] = []

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """Answer every question."""
        self.asked.append((state, questions))
        if "action" in questions or self._now is None:
            self._now = self._next(state, questions)
        answers = {name: self._answer(self._now, name, question) for name, question in questions.items()}
        return Classified(answers=answers, model="scripted/1", tokens=10)

    def forget(self, steps: int) -> None:
        """Take it that the first steps of the list were answered already, the last of them just now."""
        if not callable(self._script) and steps:
            self._steps = steps
            self._now = self._script[min(steps, len(self._script)) - 1]

    def _next(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Say:
        if callable(self._script):
            return self._script(state, questions)
        say = self._script[min(self._steps, len(self._script) - 1)]
        self._steps += 1
        return say

    def _answer(self, say: Say, name: str, question: Question) -> Answer:
        if name in say.missing:
            return Missing(reason=f"the script leaves `{name}` out")
        if isinstance(question, Noul):
            told = {"repeats": say.repeats, "is_blocked": say.blocked, "needs_code_change": say.needs}
            return Nouled(probability=told.get(name, say.present))
        if isinstance(question, Choice):
            wanted = {
                "action": say.action,
                "file_to_read": say.read,
                "file_to_edit": say.edit,
                "edit_window": say.window,
                "edit_anchor": str(say.lines[0]),
                "edit_end": str(say.lines[1]),
            }[name.partition("@")[0]]
            if name == "action":
                return _chosen(question, wanted, say.confidence, say.rest)
            return _chosen(question, wanted, say.sure, {})
        score = say.risk if name == "risk" else say.progress
        return Scored(score=score, probabilities={}, confidence=1.0)


def _chosen(question: Choice, wanted: str, confidence: float, rest: Mapping[str, float]) -> Answer:
    if wanted not in question.options:
        return Missing(reason=f"the script wants `{wanted}`, which is not among {list(question.options)}")
    others = [name for name in question.options if name != wanted]
    top = confidence if rest else confidence + (1 - confidence) / len(question.options)
    left = (1 - top - sum(rest.values())) / len(others)
    return Chosen(
        choice=wanted,
        probabilities={wanted: top, **{name: rest.get(name, max(0.0, left)) for name in others}},
        confidence=confidence,
    )


class ScriptedGenerator:
    """Writes what a test wrote down: one tuple of texts per call, then nothing."""

    def __init__(
        self, *calls: Sequence[bytes], label: str = "scripted", repairs: bool = True, prose: bool = False
    ) -> None:
        self.label, self.repairs, self.prose, self.room = label, repairs, prose, 96_000
        self._calls = list(calls)
        self.requests: list[WriteRequest] = []

    def forget(self, calls: int) -> None:
        """Take it that the first calls were answered already."""
        del self._calls[:calls]

    def write(self, request: WriteRequest, n: int) -> Written:
        """The next tuple of drafts."""
        self.requests.append(request)
        texts = self._calls.pop(0) if self._calls else ()
        return Written(drafts=tuple(self._draft(text, request) for text in texts[:n]), tokens=100, model="scripted/1")

    def _draft(self, text: bytes, request: WriteRequest) -> Draft:
        """What a chat backend would make of a reply, when this one writes freely."""
        if self.prose and request.role == "draft":
            return draft_of(text.decode(errors="replace"), request.anchor)
        return Draft(text=text)
