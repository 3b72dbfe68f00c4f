"""The pinned parts of a prompt: how each is rendered within a limit, and which share of the room is its own."""

from collections.abc import Callable
from dataclasses import dataclass

from agent.domain.edit import Anchor
from agent.prompts.excerpt import Span, clip_head, clip_rows
from agent.prompts.fence import encodable, fenced, frame, one_line, seen
from agent.prompts.material import Attempt, Material
from agent.prompts.output import Weighed, telling_line
from agent.prompts.source import anchored, excerpts

FAILURE = "what fails now"
PATHS = "files of the repository, the likeliest first"
GOAL_CHARS = 16_384  # issue text is untrusted and may be huge
FILE_CHARS = 20_000
BESIDE_CHARS = 3_000
OUTPUT_CHARS = 5_000
PATHS_CHARS = 4_000
ATTEMPTS = 12
_ATTEMPT_CHARS = 300
_PLAN_CHARS, _ITEM_CHARS = 4_500, 260  # sixteen items of 240 characters, and their boxes


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A part as text; `shown` are the lines of files in it, which need not be shown again."""

    text: str
    shown: tuple[tuple[str, Span], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One pinned part: always there, whole or clipped with a marker."""

    name: str
    render: Callable[[int], Rendered]
    """The part within about this many characters; `fit` makes it exact."""
    share: float
    """Of the room, what is kept for it however large the others are."""
    whole: str = ""
    """What it must hold word for word to count as not clipped."""


def fit(section: Section, limit: int) -> Rendered:
    """The part in at most `limit` characters; a fence longer than thought makes it try with less."""
    asked = limit
    made = section.render(asked)
    while len(made.text) > limit and asked > 0:
        asked = min(asked - 1, asked * limit // len(made.text))
        made = section.render(asked)
    return made if len(made.text) <= limit else Rendered(text="")


def pinned(material: Material) -> tuple[Section, ...]:
    """The parts this material has, in the order in which they claim room."""
    found = [_text("issue", encodable(material.goal), 0.25, GOAL_CHARS)]
    if material.anchor is not None:
        found.append(_file(material.anchor, material))
    if material.failure:
        found.append(_failure(material))
    if material.original is not None:
        before = encodable(material.original.decode("utf-8", "backslashreplace").replace("\r\n", "\n"))
        found.append(_text("the lines before the failed draft", before, 0.07, OUTPUT_CHARS))
    if material.plan:
        items = "\n".join(one_line(item, _ITEM_CHARS) for item in material.plan)
        found.append(_text("plan", items, 0.05, _PLAN_CHARS))
    if material.paths:
        rows = "\n".join(one_line(path) for path in material.paths)
        found.append(_text(PATHS, rows, 0.05, PATHS_CHARS, cut=clip_rows))
    if material.attempts:
        rows = "\n".join(_attempt(one) for one in material.attempts[-ATTEMPTS:])
        found.append(_text("earlier drafts that failed", rows, 0.05, ATTEMPTS * _ATTEMPT_CHARS))
    if material.files:
        found.append(_further(material))
    return tuple(found)


def _text(name: str, text: str, share: float, cap: int, cut: Callable[[str, int], str] = clip_head) -> Section:
    def render(limit: int) -> Rendered:
        return Rendered(text=fenced(name, cut(text, min(cap, limit - frame(name, "")))))

    return Section(name=name, render=render, share=share, whole=text)


def _failure(material: Material) -> Section:
    path = material.anchor.path if material.anchor else ""
    output = Weighed.of(encodable(seen(material.failure)), path)

    def render(limit: int) -> Rendered:
        room = max(0, min(OUTPUT_CHARS, limit - frame(FAILURE, "")))
        return Rendered(text=fenced(FAILURE, output.cut(room)))

    return Section(name=FAILURE, render=render, share=0.12, whole=output.output)


def _file(anchor: Anchor, material: Material) -> Section:
    def render(limit: int) -> Rendered:
        text, spans = anchored(anchor, material.source, material.failure, min(limit, FILE_CHARS + len(anchor.old)))
        return Rendered(text=text, shown=tuple((anchor.path, span) for span in spans))

    old = anchor.old.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    return Section(name="the anchor and its file", render=render, share=0.30, whole=encodable(old))


def _further(material: Material) -> Section:
    """Further files, each with an equal part of what the ones before it left; a piece of each beside an anchor."""
    most = BESIDE_CHARS if material.anchor else FILE_CHARS

    def render(limit: int) -> Rendered:
        text, shown = "", list[tuple[str, Span]]()
        for place, (path, content) in enumerate(material.files):
            room = (min(limit, most) - len(text)) // (len(material.files) - place)
            read = tuple(one.begin for one in material.observations if one.path == path and one.begin)
            more, spans = excerpts(path, content, room, material.failure, read)
            text += more
            shown += [(path, span) for span in spans]
        return Rendered(text=text, shown=tuple(shown))

    return Section(name="further files", render=render, share=0.12 if material.anchor else 0.40)


def _attempt(one: Attempt) -> str:
    """Where, the first line that says anything, and why it failed: one line."""
    first = next((line.strip() for line in one.text.decode("utf-8", "replace").split("\n") if line.strip()), "nothing")
    return one_line(f"{one.place}: `{one_line(first, 100)}`: {telling_line(seen(one.output))}", _ATTEMPT_CHARS)
