"""Asks Classify which lines of a file an edit replaces: a window when the file is long, then first and last line."""

from agent.domain.answers import Chosen
from agent.domain.thresholds import MAX_WINDOW, WINDOW_LINES
from agent.edits.anchor import lines_of
from agent.errors import WorkspaceError
from agent.loop.context import Context
from agent.loop.questions import anchor_questions, window_question

_PROBE = 8192  # bytes in which a NUL makes a file binary


def pick_place(context: Context, path: str) -> tuple[str, str]:
    """The lines to replace as `begin-end`, or an empty text and why there are none. One or two Classify calls."""
    try:
        content = context.ports.workspace.read(path)
    except WorkspaceError as error:
        return "", str(error)
    lines = lines_of(content)
    if not lines or b"\0" in content[:_PROBE]:
        return "", f"{path} is {'binary' if lines else 'empty'}"
    begin, end, reason = _window(context, lines)
    if reason:
        return "", reason
    shown = [_shown(line) for line in lines[begin - 1 : end]]
    answered = context.ask(anchor_questions(begin, shown)).answers
    first, last = answered.get("edit_anchor"), answered.get("edit_end")
    if not isinstance(first, Chosen) or not isinstance(last, Chosen):
        return "", "Classify picked no lines to replace"
    floors = context.ports.classifier.profile
    if first.confidence < floors.anchor.value or last.confidence < floors.pick.value:
        return "", f"the pick of lines is too weak ({first.confidence:.2f}, {last.confidence:.2f})"
    if not (first.choice.isdecimal() and last.choice.isdecimal()):
        return "", "none of the shown lines was picked"
    if not begin <= int(first.choice) <= int(last.choice) <= end:
        return "", f"lines {first.choice} to {last.choice} are no part of the shown ones"
    return f"{first.choice}-{last.choice}", ""


def windows(lines: list[bytes]) -> tuple[tuple[int, int], ...]:
    """Spans of 200 lines (1-based, inclusive), widened to the end of the last top-level block where 255 allow it."""
    spans = []
    for begin in range(1, len(lines) + 1, WINDOW_LINES):
        end = min(begin + WINDOW_LINES - 1, len(lines))
        most = min(begin + MAX_WINDOW - 1, len(lines))
        while end < most and (not lines[end].strip() or lines[end][:1] in b" \t"):
            end += 1
        spans.append((begin, end))
    return tuple(spans)


def _window(context: Context, lines: list[bytes]) -> tuple[int, int, str]:
    if len(lines) <= MAX_WINDOW:
        return 1, len(lines), ""
    spans = windows(lines)
    answer = context.ask(window_question(spans)).answers.get("edit_window")
    if not isinstance(answer, Chosen) or answer.confidence < context.ports.classifier.profile.pick.value:
        return 0, 0, "Classify picked no part of the file"
    chosen = {str(begin): (begin, end) for begin, end in spans}.get(answer.choice)
    return (*chosen, "") if chosen else (0, 0, "none of the file's parts was picked")


def _shown(line: bytes) -> str:
    return line.rstrip(b"\r\n").decode(errors="replace")
