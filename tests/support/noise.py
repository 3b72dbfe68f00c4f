"""Models whose every answer is noise, from a seed: any value their ports allow. `noise_wire` has the same as bytes.

An answer depends on the seed and on what is asked, never on how often was asked before: a run that goes on from its
trace is told the same once more.
"""

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from agent.domain.answers import Answer, Choice, Chosen, Classified, Missing, Noul, Nouled, Question, Score, Scored
from agent.domain.edit import Draft, Hunk
from agent.domain.profiles import BENDCODER
from agent.errors import ModelError
from agent.ports import OUT_OF_TIME, WriteRequest, Written
from tests.support.toy_suite import IMPOSSIBLE, TRICKS, same

NUMBERS = (0.0, 0.3, 0.5, 0.7, 1.0, 1.7, -1.0, 1e308, float("nan"), float("inf"), float("-inf"))
WORDS = (
    "", "none", "1", "0", "-1", "007", "٣", "²", "9" * 5000, "read_code", "task_complete", "TASK_COMPLETE",
    "rm -rf /", "../outside", "<<<END>>>", "```", "\0", "\udcff", "\ud800", "‮", "a\nb", "\r", "{}", "null", "verified",
    "x" * 20_000,
)  # fmt: skip
PATHS = (
    "alpha.py", "free.py", "new.py", "sub/new.py", "sub/deep/er.py", "alpha.py/child.py", "tests/test_toy.py",
    "tests/test_new.py", "conftest.py", "sub/conftest.py", "pytest.ini", ".github/workflows/run.yml", ".git/config",
    ".GIT/config", ".git/hooks/post-checkout", "g\u200cit/x", ".g\u200cit/config", "link", "linked/evil.py",
    "../outside.txt", "../tree2/x.py", "sub/../../outside.txt", "sub/../free.py", "./free.py", "//etc/passwd", "/", ".",
    "..", "", " ", "a\0b.py", "\udcff.py", "x" * 300, "d/" * 300 + "e.py", "C:\\x.py", "~/.bashrc", "-rf", "$(id).py",
    "a\nb.py", "uv.lock", "\u202efree.py", "FREE.py", "free.py ", "free.py.", "free.py:1",
)  # fmt: skip
LEAVING = ("../outside.txt", "../planted.py", "sub/../../planted.py", "linked/planted.py", ".git/hooks/pre-commit")
"""Paths that would leave the tree, or reach what git runs, if they were followed."""
_OFTEN = frozenset({"read_code", "apply_edit", "reproduce", "alpha.py", "free.py"})
"""Options that keep a run going."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Temper:
    """How one run's noise is: `sense` is the share of answers that are well-formed, if senseless."""

    seed: int
    sense: float
    prose: bool
    repairs: bool
    outside: str
    """An absolute path outside of the tree that drafts may name."""
    huge: bool = False
    """Texts of 10 MB occur."""

    def dice(self, *about: object) -> random.Random:
        """Chance that depends on the seed and on what is asked alone."""
        text = json.dumps([self.seed, *map(str, about)])
        return random.Random(sha256(text.encode()).digest())


def temper_of(seed: int, outside: str) -> Temper:
    """The temper a seed stands for."""
    dice = random.Random(seed)
    return Temper(
        seed=seed,
        sense=dice.choice((0.0, 0.5, 0.9, 0.97, 1.0, 1.0, 1.0, 1.0)),
        prose=dice.random() < 0.7,
        repairs=dice.random() < 0.7,
        outside=outside,
        huge=dice.random() < 0.01,
    )


def about(state: Mapping[str, object], questions: Mapping[str, Question]) -> tuple[object, ...]:
    """What tells one call from another: all but the clock."""
    budget = state["budget"]
    told = {name: value for name, value in budget.items() if "seconds" not in name} if isinstance(budget, dict) else {}
    return told, sorted(questions), state["program"]


class NoiseClassifier:
    """`agent.ports.Classifier` that answers with any value its types allow."""

    label, profile = "noise", BENDCODER

    def __init__(self, temper: Temper) -> None:
        self.temper = temper
        self.asked = 0

    def ask(self, state: Mapping[str, object], questions: Mapping[str, Question]) -> Classified:
        """Answers to what was asked, to what was not, or to nothing."""
        self.asked += 1
        dice = self.temper.dice("ask", *about(state, questions))
        if dice.random() > self.temper.sense and dice.random() < 0.05:
            raise ModelError(dice.choice(WORDS))
        answers = {name: self._answer(dice, name, question, state) for name, question in questions.items()}
        if dice.random() > self.temper.sense:
            answers = {dice.choice((name, name, dice.choice(WORDS))): one for name, one in answers.items()}
        return Classified(
            answers=answers,
            model=dice.choice(WORDS),
            tokens=dice.choice((0, 1, 10**9)) if dice.random() > self.temper.sense else 7,
            money=dice.choice((None, *NUMBERS)),
            seconds=dice.choice(NUMBERS),
            request_id=dice.choice(WORDS),
            notes={dice.choice(WORDS): dice.choice(WORDS)},
        )

    def _answer(self, dice: random.Random, name: str, question: Question, state: Mapping[str, object]) -> Answer:
        if dice.random() <= self.temper.sense:
            return sensible(dice, question, name)
        junk = (*WORDS, json.dumps(state)[:5000])
        chances = {dice.choice((*junk, "apply_edit", "none")): dice.choice(NUMBERS) for _ in range(dice.randrange(6))}
        labels = list(question.options) if isinstance(question, Choice) else ["0"]
        return dice.choice(
            (
                Missing(reason=dice.choice(junk)),
                Nouled(probability=dice.choice(NUMBERS)),
                Scored(score=dice.choice(NUMBERS), probabilities=chances, confidence=dice.choice(NUMBERS)),
                Chosen(choice=dice.choice(junk), probabilities=chances, confidence=dice.choice(NUMBERS)),
                Chosen(choice=dice.choice(labels), probabilities=chances, confidence=dice.choice(NUMBERS)),
                Chosen(choice=dice.choice(labels), probabilities={}, confidence=1.0),
            )
        )


def sensible(dice: random.Random, question: Question, name: str) -> Answer:
    """A well-formed answer nobody has thought about, that lets the run go on more often than not."""
    if isinstance(question, Noul):
        against = name in ("repeats", "is_blocked")
        return Nouled(probability=dice.choice((0.0,) * 9 + (0.9,) if against else (0.1, 0.9, 1.0, 1.0, 1.0)))
    if isinstance(question, Score):
        score = float(dice.randrange(len(question.levels)))
        return Scored(score=score, probabilities={str(int(score)): 1.0}, confidence=1.0)
    labels = list(question.options)
    liked = [label for label in labels if label in _OFTEN]
    if name.startswith("edit_anchor"):
        liked = labels[:1]
    elif name.startswith("edit_end"):
        liked = labels[-1:]
    choice = dice.choice(liked if liked and dice.random() < 0.8 else labels)
    others = dice.choice((0.0, 0.0, 0.0, 0.0, 0.5))
    return Chosen(
        choice=choice,
        probabilities={label: 1 - others if label == choice else others / (len(labels) - 1) for label in labels},
        confidence=dice.choice((0.3, 0.5, 0.9, *(1.0,) * 9)),
    )


class NoiseGenerator:
    """`agent.ports.Generator` that writes anything."""

    label = "noise"

    def __init__(self, temper: Temper, files: Mapping[str, bytes]) -> None:
        self.temper, self._files = temper, files
        self.prose, self.repairs = temper.prose, temper.repairs
        self.room = 96_000 if temper.prose or temper.repairs else 0

    def write(self, request: WriteRequest, n: int) -> Written:
        """Too few drafts, too many, or none."""
        dice = self.temper.dice("write", request.role, request.anchor, request.messages, len(request.changes))
        if dice.random() < 0.02:
            raise ModelError(dice.choice(WORDS))
        count = dice.choice((0, 1, 1, n, n + 3))
        return Written(
            drafts=tuple(self._draft(dice, request) for _ in range(count)),
            tokens=dice.choice((0, 1, 500)),
            money=dice.choice((None, *NUMBERS)),
            seconds=dice.choice(NUMBERS),
            stop=dice.choice((*WORDS, OUT_OF_TIME)),
            model=dice.choice(WORDS),
            note=dice.choice(WORDS),
        )

    def _draft(self, dice: random.Random, request: WriteRequest) -> Draft:
        hunks: tuple[Hunk, ...] = ()
        if dice.random() < (0.9 if request.anchor is None else 0.4):
            hunks = tuple(self._hunk(dice, request) for _ in range(dice.choice((1, 1, 1, 2, 5))))
        return Draft(
            text=text_for(dice, request, huge=self.temper.huge),
            hunks=hunks,
            problem=dice.choice(WORDS) if dice.random() < 0.1 else "",
            note=dice.choice(WORDS),
            rivals=dice.choice((0, 0, -1, 10**9)),
            differ=dice.choice((0, 0, -1, 10**9)),
        )

    def _hunk(self, dice: random.Random, request: WriteRequest) -> Hunk:
        path = dice.choice((dice.choice(PATHS), dice.choice((*LEAVING, self.temper.outside)), *self._files))
        held = self._files.get(path, b"").decode(errors="replace")
        there = dice.choice((held, held.split("\n", 1)[0], *held.split("\n")[:3], *WORDS))
        old = "" if path not in self._files and dice.random() < 0.8 else there
        new = text_for(dice, request).decode(errors="surrogateescape")
        return Hunk(path=path, old=old, new=new, delete=dice.random() < 0.1)


def text_for(dice: random.Random, request: WriteRequest, *, huge: bool = False) -> bytes:
    """A text nobody has thought about: nothing, bytes, an echo, a test that can never be green, a trick."""
    echo = "\n".join(text for _, text in request.messages)
    begin = dice.randrange(len(echo) + 1)
    old = request.anchor.old if request.anchor else request.source
    rows = old.split(b"\n")
    dice.shuffle(rows)
    return dice.choice(
        (
            b"", b" \n", dice.randbytes(200), dice.choice(WORDS).encode(errors="surrogatepass"), old, b"1\t" + old,
            echo.encode(errors="replace")[:50_000], echo[begin : begin + dice.randrange(500)].encode(errors="replace"),
            b"\n".join(rows) + b"\n", old + b"# nothing\n", b"# nothing\n", dice.choice(TRICKS) + b"\n",
            same("new", "free.py", IMPOSSIBLE), same("new", "alpha.py", IMPOSSIBLE) * 2, b"- alpha.py: x\n- free.py\n",
            dice.choice(PATHS).encode(errors="replace"), b"x" * (10_000_000 if huge else 100_000),
            sentinel(dice, old).encode(errors="surrogatepass"),
        )
    )  # fmt: skip


def sentinel(dice: random.Random, old: bytes) -> str:
    """Groups in the form drafts without an anchor have, whole or torn."""
    groups = "".join(
        f"<<<PATH>>>\n{dice.choice(PATHS)}\n<<<OLD>>>\n{old.decode(errors='replace') if dice.random() < 0.5 else ''}\n"
        f"<<<NEW>>>\n{dice.choice(WORDS)}\n<<<END>>>\n"
        for _ in range(dice.randrange(1, 4))
    )
    return groups if dice.random() < 0.7 else groups[: dice.randrange(len(groups))]
