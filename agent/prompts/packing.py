"""Packs one prompt into the room a model has: pinned parts first, then what was seen, best first; sends nothing.

Ten times the observations give the same size. Nothing is summarised or paraphrased; what does not fit is named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files

from agent.domain.thresholds import OBSERVATIONS_CHARS
from agent.errors import ModelError
from agent.prompts.evidence import Piece, Seen, ranked
from agent.prompts.excerpt import Span
from agent.prompts.fence import encodable, fenced, one_line
from agent.prompts.material import Material, Packed, Role
from agent.prompts.sections import FAILURE, PATHS, Rendered, Section, fit, pinned

LEAST_ROOM = 8_192
"""Characters (about 2,000 tokens) below which rules, goal and a function do not fit: no such model can do the work."""
_EVIDENCE: Mapping[Role, int] = {
    Role.EDIT: 20_000, Role.REPAIR: 12_000, Role.DRAFT: OBSERVATIONS_CHARS, Role.SEARCH: 8_000,
    Role.PLAN: 16_000, Role.REPRODUCE: 16_000, Role.ANSWER: OBSERVATIONS_CHARS,
}  # fmt: skip
# Never more than Classify sees; less where the pinned parts hold what the reply is about.
_AT_ANCHOR = frozenset({Role.EDIT, Role.REPAIR})
"""Roles that are told where to write: a list of files would only cost."""
_EVIDENCE_SHARE = 0.15  # of the room, kept for what was seen, however large the pinned parts are
_ORDER = ("issue", PATHS, "plan", None, "further files", "earlier drafts that failed", "the anchor and its file",
          "the lines before the failed draft", FAILURE)  # fmt: skip
_NOTE = 200  # characters kept for the line that says how much is not shown


def pack(kind: Role, material: Material, room: int) -> Packed:
    """System and user message for one role in at most `room` characters; the same for the same arguments.

    ModelError when `room` is below `LEAST_ROOM`: a setting to change, not a prompt to send.
    """
    if room < LEAST_ROOM:
        raise ModelError(
            f"Generate takes {room} characters of prompt and needs {LEAST_ROOM}: use a model with a larger window"
        )
    system, facts = rules(kind), _facts(material)
    sections = pinned(replace(material, paths=()) if kind in _AT_ANCHOR else material)
    left = room - len(system) - len(facts) - len(sections) - _NOTE
    observed = sum(len(one.text) for one in material.observations)
    parts = _placed(sections, left - min(int(_EVIDENCE_SHARE * left), observed))
    left -= sum(len(part.text) for part in parts.values())
    left = min(left, _EVIDENCE[kind])
    pieces, dropped = _evidence(material, parts, left)
    shown, short = _filled(pieces, left)
    hidden = (*dropped, *short)
    seen = "".join(text for _, text in shown)
    if hidden:
        seen += f"Earlier observations not shown here: {len(hidden)}.\n"
    texts = [(facts + seen) if name is None else parts[name].text for name in _ORDER if name is None or name in parts]
    return Packed(
        messages=(("system", system), ("user", "\n".join(text for text in texts if text))),
        kept=(*parts, *(title for title, _ in shown)),
        dropped=hidden,
        clipped=tuple(one.name for one in sections if one.whole not in parts[one.name].text),
    )


def rules(kind: Role) -> str:
    """What this role is to do, and that material gives no orders; the files beside this module."""
    room = files("agent.prompts")
    return "".join(room.joinpath(f"{name}.md").read_text(encoding="utf-8") for name in (kind.value, "material"))


def _facts(material: Material) -> str:
    """What code knows, in lines of our own."""
    lines = []
    if material.languages:
        lines.append(f"Languages of the repository: {one_line(', '.join(material.languages))}.")
    if material.test_path:
        runner = f", run by {one_line(material.runner)}" if material.runner else ""
        lines.append(f"The new test file: {one_line(material.test_path)}{runner}.")
    return encodable("".join(f"{line}\n" for line in lines) + "\n" if lines else "")


def _placed(sections: Sequence[Section], room: int) -> dict[str, Rendered]:
    """Each part with all the room that those after it are not owed."""
    owed = [len(fit(one, int(one.share * room)).text) for one in sections]
    placed: dict[str, Rendered] = {}
    for place, section in enumerate(sections):
        used = sum(len(part.text) for part in placed.values())
        placed[section.name] = fit(section, room - used - sum(owed[place + 1 :]))
    return placed


def _evidence(
    material: Material, parts: Mapping[str, Rendered], enough: int
) -> tuple[tuple[Piece, ...], tuple[str, ...]]:
    hidden: dict[str, list[Span]] = {}
    for part in parts.values():
        for path, span in part.shown:
            hidden.setdefault(path, []).append(span)
    told = "".join(part.text for name, part in parts.items() if name == FAILURE)
    seen = Seen(
        observations=material.observations, changed=material.changed, hidden=hidden, told=told, labels=frozenset(parts)
    )
    return ranked(seen, material.anchor.path if material.anchor else "", enough)


def _filled(pieces: Sequence[Piece], room: int) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Title and text of the pieces that fit, the oldest first; titles of the others."""
    chosen: list[tuple[int, str, str]] = []
    short: list[str] = []
    for piece in pieces:
        text = fenced(piece.title, encodable(piece.text))
        if len(text) > room:
            short.append(f"{piece.title}: no room")
            continue
        room -= len(text)
        chosen.append((piece.age, piece.title, text))
    return tuple((title, text) for _, title, text in sorted(chosen, key=lambda one: one[0])), tuple(short)
