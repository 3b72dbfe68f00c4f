"""The `/bendcoder` grammar: which line of a comment is a command and what it asks for; no IO, no thought of who may.

    /bendcoder [steps=N] [base=BRANCH] [model=NAME]
    /bendcoder stop | status | retry | help | ci

A line that starts so but goes on otherwise is INVALID with a sentence to answer; it never runs half understood.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from worker.contract.job import Command

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

NAME = "/bendcoder"
MAX_STEPS = 40
"""The highest ceiling there is; the operator's and the repository's own may lie lower."""
_READ = 16_384
"""Characters looked at: a command stands at the top, and block parsing costs more the longer the text."""

_BRANCH = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)))[A-Za-z0-9._/+@-]{1,200}(?<![/.])", re.ASCII)
_MODEL = re.compile(r"(?!-)[A-Za-z0-9._:/+@-]{1,100}", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,6}", re.ASCII)
_UNPRINTED = re.compile(r"[^A-Za-z0-9=._/:+-]", re.ASCII)

_WORDS = {command.value: command for command in (Command.STOP, Command.STATUS, Command.RETRY, Command.HELP, Command.CI)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a comment asks for; `problem` is the sentence to answer when `command` is INVALID."""

    command: Command
    options: dict[str, str] = field(default_factory=dict)
    problem: str = ""


def parse(comment: str) -> Ask | None:
    """What the comment asks for, or None when its first own line is not a command."""
    line = first_own_line(comment)
    words = line.split()
    if not words or words[0].lower() != NAME:
        return None
    return _ask(words[1:])


def first_own_line(comment: str) -> str:
    """The first line of plain text, past quotes, code and hidden HTML; empty when a list or heading comes first."""
    if NAME not in comment.lower():
        return ""  # most comments: not worth a parser
    tokens = _markdown().parse(comment[:_READ])
    for opening, content in pairwise(tokens):
        if opening.level == 0 and opening.type == "paragraph_open":
            return content.content.split("\n", 1)[0].strip()
        if opening.level == 0 and opening.type in _NOT_PLAIN:
            return ""
    return ""


_NOT_PLAIN = frozenset({"heading_open", "bullet_list_open", "ordered_list_open", "hr"})
"""Visible text that comes first: a command below it is somebody's example, not a request."""


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # a tenth of a second that only a comment with a command needs

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _ask(words: Sequence[str]) -> Ask:
    if words and words[0].lower() in _WORDS:
        if len(words) > 1:
            return _invalid(f"`{words[0].lower()}` stands alone; `{_shown(words[1])}` is one word too many.")
        return Ask(command=_WORDS[words[0].lower()])
    options: dict[str, str] = {}
    for word in words:
        name, separator, value = word.partition("=")
        problem = _problem(name, separator, value, options)
        if problem:
            return _invalid(problem)
        options[name] = str(int(value)) if name == "steps" else value
    return Ask(command=Command.RUN, options=options)


def _problem(name: str, separator: str, value: str, seen: dict[str, str]) -> str:
    """Why this word cannot be taken; empty when it can."""
    if not separator or name not in ("steps", "base", "model"):
        return f"`{_shown(name + separator + value)}` is not understood."
    if name in seen:
        return f"`{name}` is given twice."
    if name == "steps" and not (_NUMBER.fullmatch(value) and 1 <= int(value) <= MAX_STEPS):
        return f"`steps` is a whole number from 1 to {MAX_STEPS}, not `{_shown(value)}`."
    if name == "base" and not _BRANCH.fullmatch(value):
        return f"`base` is the name of a branch, not `{_shown(value)}`."
    if name == "model" and not _MODEL.fullmatch(value):
        return f"`model` is the name of a model, not `{_shown(value)}`."
    return ""


def _invalid(problem: str) -> Ask:
    usage = (
        "Nothing was started. Write `/bendcoder`, if you like with `steps=N`, `base=BRANCH` or `model=NAME`; or "
        "`/bendcoder` followed by one of `stop`, `status`, `retry`, `help`, `ci`."
    )
    return Ask(command=Command.INVALID, problem=f"{problem} {usage}")


def _shown(word: str) -> str:
    """A stranger's word made harmless to repeat: short, without backticks, mentions or invisible characters."""
    short = word if len(word) <= 40 else word[:39] + "..."
    return _UNPRINTED.sub("?", short) or "nothing"
