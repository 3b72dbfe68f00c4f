"""Shows a file in a prompt: the anchor, what stands around it and where it failed, or the best windows of it."""

from collections.abc import Iterator, Sequence

from agent.domain.edit import Anchor
from agent.prompts.excerpt import Span, clipped, lines_of, windows
from agent.prompts.fence import encodable, fenced, frame, one_line, revealed
from agent.prompts.output import failing_line, named_line

_PATH = 150  # characters of a path in a heading
_WIDEST: Span = (1_000_000, 1_000_000)  # to measure headings with


def anchored(anchor: Anchor, source: bytes, failure: str, limit: int) -> tuple[str, tuple[Span, ...]]:
    """The anchor between the lines before and after it, and the failing line's surroundings; the spans shown.

    What is cut is cut around the line at which the failure says the file failed; without one, around the anchor.
    """
    lines, old = lines_of(source), lines_of(anchor.old)
    failed = failing_line(failure, anchor.path)
    hole = (anchor.begin, anchor.end)
    inside = failed - anchor.begin + 1 if failed and hole[0] <= failed <= hole[1] else 1
    title = f"the anchor: lines {anchor.begin} to {anchor.end} of {one_line(anchor.path, _PATH)}"
    shown = fenced(title, encodable(clipped(old, limit - frame(title, ""), inside)))
    heading = _frame(anchor.path)
    room = limit - len(shown) + sum(len(line) for line in old) - heading
    cores = [hole, (failed, failed)] if failed else [hole]
    spans = tuple(_without(windows(lines, cores, room, heading), hole))
    before = "".join(_block(anchor.path, lines, span) for span in spans if span[1] < anchor.begin)
    after = "".join(_block(anchor.path, lines, span) for span in spans if span[0] > anchor.end)
    if len(before) + len(shown) + len(after) > limit:
        return shown, (hole,)
    return before + shown + after, (*spans, hole)


def excerpts(path: str, content: bytes, limit: int, failure: str, read: Sequence[int]) -> tuple[str, tuple[Span, ...]]:
    """A file whole, or around where it failed, else where it was read last, else its beginning; the spans shown.

    A test's file failed where its trace says so, or else where the test stands that the failure names.
    """
    lines = lines_of(content)
    if not lines:
        return fenced(f"{one_line(path, _PATH)}, empty", ""), ()
    failed = failing_line(failure, path) or named_line(failure, path, lines)
    core = min(max(failed or (read[-1] if read else 1), 1), len(lines))
    spans = windows(lines, [(core, core)], limit - _frame(path), 0)
    text = "".join(_block(path, lines, span) for span in spans)
    if len(text) <= limit:
        return text, spans
    body = encodable(revealed(clipped(lines, limit - _frame(path), core)))
    return fenced(f"{one_line(path, _PATH)}, around line {core}", body), ()


def _block(path: str, lines: Sequence[str], span: Span) -> str:
    return fenced(_heading(path, span), encodable(revealed("".join(lines[span[0] - 1 : span[1]]))))


def _heading(path: str, span: Span) -> str:
    return f"{one_line(path, _PATH)}, lines {span[0]} to {span[1]}"


def _frame(path: str) -> int:
    return frame(_heading(path, _WIDEST), "")


def _without(spans: Sequence[Span], hole: Span) -> Iterator[Span]:
    """The spans without the lines of the hole."""
    for begin, end in spans:
        if begin < hole[0]:
            yield begin, min(end, hole[0] - 1)
        if end > hole[1]:
            yield max(begin, hole[1] + 1), end
