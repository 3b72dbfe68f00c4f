"""Classify without a model: explicit rules over the state the loop sends, and lexical ranking for files and lines.

Its probabilities are fixed shapes, not measurements, and its label says so. It proposes; guards and suite decide.
"""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from agent.domain.answers import (
    Answer,
    Choice,
    Chosen,
    Classified,
    Missing,
    Noul,
    Nouled,
    Question,
    Score,
    Scored,
    choice_confidence,
)
from agent.domain.profiles import profile_of
from agent.index.localise import raised_at
from agent.index.rank import bm25, words

LABEL = "embedded rules, not calibrated"
_SURE = 0.9
"""What the rules' own pick gets; the rest shares what is left. Above every floor for 2 to 255 options."""
_NAMED, _TOLD = 0.25, 0.15
"""What being named in the goal, or in a failure, adds to a suspect's score. Not measured."""
_RAISED = 0.3
"""And what an exception of a red test having passed through it adds. Not measured."""
_ASKS = re.compile(r"^\s*(how|why|what|where|when|which|who|is|are|does|do|can|could)\b[^\n]*\?\s*$", re.I | re.M)
_DEF = re.compile(r"^(?P<indent>[ \t]*)(?:async +)?(?:def|class) +(?P<name>\w+)")
_NONE = "none"


class EmbeddedClassifier:
    """`agent.ports.Classifier` by rules."""

    label = LABEL
    profile = profile_of("embedded")

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """Answer each known question from the state; an unknown one is `Missing`."""
        view = _View(state, questions)
        return Classified(
            answers={name: view.answer(name, question) for name, question in questions.items()}, model="embedded/rules"
        )


class _View:
    """The state as the rules read it: only what they use, with anything odd read as absent."""

    def __init__(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> None:
        self.goal = str(state.get("directive", ""))
        self.facts = _mapping(state.get("facts"))
        told = " ".join(str(entry) for entry in _sequence(state.get("observations"))[:1])
        self.suspects = _ranked([_mapping(one) for one in _sequence(self.facts.get("suspects"))], self.goal, told)
        self.tried = [_mapping(one) for one in _sequence(self.facts.get("tried"))]
        self.read = {str(path) for path in _sequence(self.facts.get("read"))}
        self.red = [str(test) for test in _sequence(self.facts.get("red_left"))]
        self.kept = bool(_sequence(self.facts.get("kept")))
        self.questions = questions
        self.wanted = _action(self)

    def answer(self, name: str, question: Question) -> Answer:
        """One answer of the question's own kind."""
        match question:
            case Choice():
                pick = _PICKS.get(name.partition("@")[0])  # `edit_anchor@201`: the lines of one part of several
                return _chosen(pick(self, question), question) if pick else Missing(reason=f"no rule for {name}")
            case Score():
                return _scored(self, name, question)
            case Noul():
                likely = {
                    "repeats": 0.05,
                    "needs_code_change": self._needs_change(),
                    "is_blocked": 0.95 if self.facts.get("failed_path") else 0.05,
                    "edit_present": 0.95,
                }.get(name.partition("@")[0])
                return Missing(reason=f"no rule for {name}") if likely is None else Nouled(probability=likely)

    def _needs_change(self) -> float:
        return 0.1 if not self.red and _ASKS.search(self.goal) else 0.95

    def target(self) -> str:
        """The file the next edit belongs in: the first suspect's, else the first listed one; empty for none.

        Options come ranked against goal and failures; of 28 real issues the right file was first in 24.
        """
        if self.suspects:
            return str(self.suspects[0].get("path", ""))
        question = self.questions.get("file_to_edit")
        if not isinstance(question, Choice) or self.tried:
            return ""
        judges = {test.split("::")[0] for test in self.red}  # files that fail as tests, whatever they are called
        return next((k for k in question.options if k != _NONE and k not in judges and not _is_test(k)), "")


def _ranked(suspects: Sequence[Mapping[str, object]], goal: str, told: str) -> list[Mapping[str, object]]:
    """Suspects by score, those first that the goal or the failures before any change call by their name.

    A helper that only the one red test happens to run can score above the function the issue is about.
    """

    def weight(one: Mapping[str, object]) -> float:
        name = str(one.get("name", "")).rpartition(".")[2]
        score = one.get("score")
        known = float(score) if isinstance(score, int | float) else 0.0
        begin, end = _span(one)
        if any(begin <= line <= end for line in raised_at(str(one.get("path", "")), told)):
            known += _RAISED
        if not name.isidentifier() or name.startswith("__"):
            return known
        word = re.compile(rf"\b{re.escape(name)}\b")
        return known + (_NAMED if word.search(goal) else 0.0) + (_TOLD if word.search(told) else 0.0)

    return sorted(suspects, key=weight, reverse=True)


def _action(view: _View) -> str:
    """What the rules want next, whether it is offered or not."""
    facts = view.facts
    if facts.get("provisional"):
        return "run_suite"
    if view.kept and not (view.red and view.suspects):
        return "task_complete"
    if not view.red and _ASKS.search(view.goal):
        return "generate_answer"
    failed = facts.get("failed_path")
    if failed:
        return "apply_edit"
    target = view.target()
    if not target:
        return _NONE
    if target not in view.read:
        return "read_code"
    return "reproduce" if not view.red and _offered(view, "reproduce") else "apply_edit"


def _offered(view: _View, action: str) -> bool:
    question = view.questions.get("action")
    return isinstance(question, Choice) and action in question.options


def _pick_action(view: _View, question: Choice) -> str:
    return view.wanted if view.wanted in question.options else _NONE


def _pick_read(view: _View, question: Choice) -> str:
    target = view.target()
    return target if target in question.options else _closest(view.goal, question.options) or _NONE


def _pick_edit(view: _View, question: Choice) -> str:
    target = str(view.facts.get("failed_path") or "") or view.target()
    return target if target in question.options else _NONE


def _pick_window(view: _View, question: Choice) -> str:
    """The last window that begins at or before the suspect."""
    if not view.suspects:
        return next(iter(question.options))
    begin, end = _span(view.suspects[0])
    holding = [(int(key), text) for key, text in question.options.items() if key.isdecimal() and int(key) <= begin]
    whole = [key for key, text in holding if (found := re.search(r"to (\d+)", text)) and int(found[1]) >= end]
    return str(max(whole or [key for key, _ in holding] or [1]))


def _pick_anchor(view: _View, question: Choice) -> str:
    return str(_lines(view, question)[0])


def _pick_end(view: _View, question: Choice) -> str:
    return str(_lines(view, question)[1])


_PICKS = {
    "action": _pick_action,
    "file_to_read": _pick_read,
    "file_to_edit": _pick_edit,
    "edit_window": _pick_window,
    "edit_anchor": _pick_anchor,
    "edit_end": _pick_end,
}


def _lines(view: _View, question: Choice) -> tuple[int, int]:
    """First and last line to replace: the suspect's, cut to what is shown, else the function most like the goal."""
    shown = [int(key) for key in question.options if key.isdecimal()]
    low, high = min(shown), max(shown)
    if view.suspects:
        begin, end = _span(view.suspects[0])
        return min(max(begin, low), high), max(min(end, high), low)
    blocks = _blocks([(number, question.options[str(number)]) for number in shown])
    best = _closest(view.goal, {key: text for key, (_, _, text) in blocks.items()})
    return blocks[best][:2] if best else (low, high)


def _blocks(lines: Sequence[tuple[int, str]]) -> dict[str, tuple[int, int, str]]:
    """Functions among numbered lines, by indentation: key -> first line, last line, text."""
    found: dict[str, tuple[int, int, str]] = {}
    for place, (number, text) in enumerate(lines):
        head = _DEF.match(text)
        if head is None:
            continue
        indent, last, body = len(head["indent"]), number, [text]
        for later, line in lines[place + 1 :]:
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                break
            body.append(line)
            last = later if line.strip() else last
        found[str(number)] = (number, last, "\n".join(body))
    return found


def _closest(goal: str, options: Mapping[str, str]) -> str:
    """The option with most in common with the goal; empty when none has anything."""
    scores = bm25(words(goal), options)
    best = max(scores, key=lambda key: scores[key], default="")
    return best if best and scores[best] > 0 else ""


def _chosen(pick: str, question: Choice) -> Chosen | Missing:
    if pick not in question.options:
        return Missing(reason="nothing listed fits, and there is no option to say so")
    rest = (1 - _SURE) / (len(question.options) - 1)
    probabilities = {label: _SURE if label == pick else rest for label in question.options}
    return Chosen(choice=pick, probabilities=probabilities, confidence=choice_confidence(probabilities))


def _scored(view: _View, name: str, question: Score) -> Answer:
    """Risk by what the wanted action does, progress by what is known; two of three levels share the rest."""
    levels = len(question.levels)
    if name == "risk":
        level = {"apply_edit": levels - 1, "run_suite": 1}.get(view.wanted, 0)
    elif name == "progress_score":
        level = levels - 1 if view.kept else (1 if view.read else 0)
    else:
        return Missing(reason=f"no rule for {name}")
    rest = (1 - _SURE) / (levels - 1)
    probabilities = {str(number): _SURE if number == level else rest for number in range(levels)}
    score = sum(int(number) * share for number, share in probabilities.items())
    return Scored(score=score, probabilities=probabilities, confidence=choice_confidence(probabilities))


def _is_test(path: str) -> bool:
    parts = path.split("/")
    return bool({"test", "tests", "testing"} & set(parts[:-1])) or parts[-1].startswith(("test_", "conftest"))


def _span(place: Mapping[str, object]) -> tuple[int, int]:
    begin, end = place.get("begin"), place.get("end")
    return (begin, end) if isinstance(begin, int) and isinstance(end, int) else (1, 1)


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()
