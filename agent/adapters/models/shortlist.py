"""Makes a wide Choice small enough for a chat model, and its answer whole again; pure, and must not judge an option.

Ranked options (files) keep their first ones. Places (lines, windows: labels are rising numbers) keep all of them: asked
in rounds, first which group of neighbours, then which of its members, with the probabilities of the rounds multiplied.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from agent.domain.answers import Answer, Choice, Chosen, Missing, choice_confidence

MOST = 12
"""Options of one question: verbalised probabilities get worse with every further one (0.846 against 0.894 on 104 items,
the whole gap on eight-way choices), and each costs a line of the reply."""
NONE = "none"
_SHOWN = 120  # characters of one member in the description of its group


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """One Choice on its way: what it was, what is asked now, and what is known of the options so far."""

    whole: Choice
    groups: Mapping[str, tuple[str, ...]]
    """Label asked now -> labels of the whole question it stands for."""
    asked: Choice
    share: float = 1.0
    """Probability of what `groups` holds."""
    known: Mapping[str, float]
    """Labels outside of `groups` -> probability."""

    def answered(self, answer: Answer) -> "Narrowing | Answer":
        """The next round, or the answer to the whole question; `Missing` stays missing."""
        if not isinstance(answer, Chosen):
            return answer
        shares = {name: self.share * answer.probabilities.get(name, 0.0) for name in self.groups}
        best = max(shares, key=lambda name: shares[name])
        members = self.groups[best]
        if len(members) == 1:
            return _whole(self.whole, {**self.known, **_spread(self.groups, shares)})
        outside = {name: members for name, members in self.groups.items() if name != best}
        known = {**self.known, **_spread(outside, shares)}
        return _round(self.whole, members, shares[best], known)


def narrowed(question: Choice) -> Narrowing | Choice:
    """What to ask first: the question itself when it is small enough."""
    if len(question.options) <= MOST:
        return question
    labels = tuple(label for label in question.options if label != NONE)
    if _places(labels):
        return _round(question, tuple(question.options), 1.0, {})
    room = MOST - (NONE in question.options)
    kept = (*labels[:room], *([NONE] if NONE in question.options else []))
    return Narrowing(
        whole=question,
        groups={label: (label,) for label in kept},
        asked=replace(question, options={label: question.options[label] for label in kept}),
        known=dict.fromkeys(labels[room:], 0.0),
    )


def _round(whole: Choice, labels: tuple[str, ...], share: float, known: Mapping[str, float]) -> Narrowing:
    """Ask for one of at most `MOST` groups of neighbours; as many rounds as that takes are made about equally wide."""
    places = [label for label in labels if label != NONE]
    out = [NONE] if NONE in labels else []
    width = MOST - len(out)
    size = 1
    while size * width < len(places):
        size *= width
    size = -(-len(places) // width) if size > 1 else 1
    groups: dict[str, tuple[str, ...]] = {}
    for first in range(0, len(places), size):
        members = tuple(places[first : first + size])
        groups[members[0] if len(members) == 1 else f"{members[0]}-{members[-1]}"] = members
    groups.update({label: (label,) for label in out})
    options = {label: _described(whole, members) for label, members in groups.items()}
    asked = Choice(instructions=whole.instructions, options=options)
    return Narrowing(whole=whole, groups=groups, asked=asked, share=share, known=known)


def _described(whole: Choice, members: tuple[str, ...]) -> str:
    if len(members) == 1:
        return whole.options[members[0]]
    return "\n".join(f"{label}: {whole.options[label][:_SHOWN]}" for label in members)


def _places(labels: tuple[str, ...]) -> bool:
    numbers = [int(label) for label in labels if label.isascii() and label.isdecimal() and len(label) < 10]
    return len(numbers) == len(labels) and all(a < b for a, b in pairwise(numbers))


def _spread(groups: Mapping[str, tuple[str, ...]], shares: Mapping[str, float]) -> dict[str, float]:
    """A group's probability evenly over its members."""
    return {label: shares[name] / len(members) for name, members in groups.items() for label in members}


def _whole(question: Choice, shares: Mapping[str, float]) -> Answer:
    total = sum(shares.values())
    if total <= 0:
        return Missing(reason="no option has any probability")
    probabilities = {label: shares.get(label, 0.0) / total for label in question.options}
    best = max(probabilities, key=lambda label: probabilities[label])
    return Chosen(choice=best, probabilities=probabilities, confidence=choice_confidence(probabilities))
