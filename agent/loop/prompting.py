"""Puts together what Generate is shown for one role, from the notebook; must not send it nor word a rule."""

from collections.abc import Iterable
from dataclasses import replace

from agent.domain.edit import Anchor
from agent.errors import WorkspaceError
from agent.loop.context import Context
from agent.loop.notebook import Standing
from agent.prompts.languages import languages_of
from agent.prompts.material import Attempt, Material, Role
from agent.prompts.packing import pack

_FILES = 4  # further files shown whole or in part: a transaction over more is a plan's business
_SHOWN = "\n>"  # how pytest marks the line that failed, between the lines of its test
_ATTEMPTS = 12  # failed drafts that are told of, one line each

Messages = tuple[tuple[str, str], ...]


def prompt(context: Context, kind: Role, material: Material | None = None) -> Messages:
    """The messages of one role, within the model's room; none for a Generate that reads no messages."""
    generator = context.ports.generator
    if not generator.room:
        return ()
    packed = pack(kind, material or material_of(context), generator.room)
    context.trace("context_packed", role=kind.value, **packed.record())
    return packed.messages


def material_of(context: Context) -> Material:
    """What every role may be shown."""
    book = context.book
    return Material(
        goal=context.task.goal,
        languages=_languages(context),
        paths=context.listing.ranked(),
        observations=tuple(book.observations),
        changed=dict(book.stale),
        attempts=tuple(book.attempts[-_ATTEMPTS:]),
        plan=tuple(item.shown() for item in book.plan),
    )


def _languages(context: Context) -> tuple[str, ...]:
    """Counted once: a run does not change what a repository is written in."""
    if context.book.languages is None:
        context.book.languages = languages_of(context.listing.paths())
    return context.book.languages


def for_draft(
    context: Context, place: tuple[str, str], anchor: Anchor | None, broken: Standing | None, failure: str
) -> Messages:
    """The prompt of an edit: at its anchor, for its own failed draft, or without an anchor."""
    material = replace(material_of(context), failure=broken.output if broken else failure)
    if anchor is None:
        files = present_files(context, [place[0], *reversed(context.book.reading)])
        return prompt(context, Role.DRAFT, replace(material, files=files))
    source = context.ports.workspace.read(anchor.path)
    original = broken.original.old if broken and broken.original else None
    tests = () if _SHOWN in material.failure else present_files(context, _red_files(context))[:1]
    kind = Role.EDIT if broken is None else Role.REPAIR
    return prompt(context, kind, replace(material, anchor=anchor, source=source, original=original, files=tests))


def _red_files(context: Context) -> list[str]:
    """Files of the red tests the goal is about: a failure without its source tells what came, not what was asked."""
    red = context.book.focus & context.book.red or context.book.red
    return [test.split("::", 1)[0] for test in sorted(red)]


def present_files(context: Context, paths: Iterable[str]) -> tuple[tuple[str, bytes], ...]:
    """The first few of these files that exist, with their present bytes."""
    found: dict[str, bytes] = {}
    for path in dict.fromkeys(paths):
        if len(found) < _FILES and path and context.listing.exists(path):
            try:
                found[path] = context.ports.workspace.read(path)
            except WorkspaceError:
                continue
    return tuple(found.items())


def attempt(context: Context, place: tuple[str, str], text: bytes, output: str) -> None:
    """Remember a draft that came to nothing, for the next one's author."""
    context.book.attempts.append(Attempt(place=":".join(place), text=text, output=output))
