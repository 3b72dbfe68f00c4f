"""Asks Classify which lines of a file an edit replaces: a window when the file is long, then first and last line."""

from collections.abc import Mapping

from agent.domain.answers import Answer, Chosen, Nouled
from agent.domain.thresholds import MAX_WINDOW, WINDOW_LINES
from agent.edits.anchor import lines_of
from agent.errors import WorkspaceError
from agent.loop.context import Context
from agent.loop.questions import anchor_questions, window_question

_PROBE = 8192  # bytes in which a NUL makes a file binary
_AT_ONCE = 3  # parts whose lines are all asked in one call: some 25,000 tokens of the 64,000 a request may have


def pick_place(context: Context, path: str) -> tuple[str, str]:
    """The lines to replace as `begin-end`, or an empty text and why there are none.

    One Classify call, in which a file of a few parts is asked for part and lines at once; two for a longer one.
    """
    try:
        content = context.ports.workspace.read(path)
    except WorkspaceError as error:
        return "", str(error)
    lines = lines_of(content)
    if not lines or b"\0" in content[:_PROBE]:
        return "", f"{path} is {'binary' if lines else 'empty'}"
    spans = windows(lines) if len(lines) > MAX_WINDOW else ((1, len(lines)),)
    if len(spans) > _AT_ONCE:
        chosen = _window(context, spans, context.ask(window_question(spans)).answers)
        if chosen is None:
            return "", "Classify picked no part of the file"
        spans = (chosen,)
    several = len(spans) > 1
    questions = dict(window_question(spans)) if several else {}
    for begin, end in spans:
        shown = [_shown(line) for line in lines[begin - 1 : end]]
        questions.update(anchor_questions(begin, shown, f"@{begin}" if several else ""))
    answers = context.ask(questions).answers
    span = _window(context, spans, answers) if several else spans[0]
    if span is None:
        return "", "Classify picked no part of the file"
    return _lines(context, span, answers, f"@{span[0]}" if several else "")


# floors are written as what is reached, not as what falls below: a number that is none reaches nothing
def _lines(context: Context, span: tuple[int, int], answers: Mapping[str, Answer], part: str) -> tuple[str, str]:
    first, last = answers.get(f"edit_anchor{part}"), answers.get(f"edit_end{part}")
    present = answers.get(f"edit_present{part}")
    floors = context.ports.classifier.profile
    if not isinstance(first, Chosen) or not isinstance(last, Chosen):
        return "", "Classify picked no lines to replace"
    if not isinstance(present, Nouled) or not present.probability >= floors.present.value:
        return "", "Classify does not see the code that has to change in what is shown"
    if not (first.confidence >= floors.anchor.value and last.confidence >= floors.pick.value):
        return "", f"the pick of lines is too weak ({first.confidence:.2f}, {last.confidence:.2f})"
    shown = {str(number): number for number in range(span[0], span[1] + 1)}
    begin, end = shown.get(first.choice), shown.get(last.choice)
    if begin is None or end is None:
        return "", "none of the shown lines was picked"
    if begin > end:
        return "", f"lines {begin} to {end} are no part of the shown ones"
    return f"{begin}-{end}", ""


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


def _window(
    context: Context, spans: tuple[tuple[int, int], ...], answers: Mapping[str, Answer]
) -> tuple[int, int] | None:
    answer = answers.get("edit_window")
    if not isinstance(answer, Chosen) or not answer.confidence >= context.ports.classifier.profile.pick.value:
        return None
    return {str(begin): (begin, end) for begin, end in spans}.get(answer.choice)


def _shown(line: bytes) -> str:
    return line.rstrip(b"\r\n").decode(errors="replace")
