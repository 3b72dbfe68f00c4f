"""The effects that only look: a page of a file, a literal search, an answer in prose; must not write a file."""

from agent.domain.thresholds import GENERATE_SECONDS, PAGE_LINES
from agent.errors import WorkspaceError
from agent.guards.events import DECLINED, READ, SEARCH_HIT, SEARCH_MISS, Event
from agent.loop.context import Context
from agent.loop.prompting import prompt
from agent.ports import WriteRequest
from agent.prompts.material import Role
from agent.tools.grep import Found, grep
from agent.tools.read import read_page


def read_file(context: Context, path: str) -> tuple[Event, ...]:
    """Serve the next page of a file as an observation; returns what to tell the guards."""
    book = context.book
    begin = book.reading.get(path, 1)
    try:
        page = read_page(context.ports.workspace.read(path), offset=begin, limit=PAGE_LINES)
    except WorkspaceError as error:
        book.finished.add(path)
        return (*context.note(f"read {path}", f"error: {error}"), Event(DECLINED))  # it was not read
    book.reading[path] = max(begin, page.end + 1)
    if page.done:
        book.finished.add(path)
    wanted = book.want == path
    book.want = "" if wanted else book.want
    label = f"read {path} from line {begin} of {page.total}"
    events = context.note(label, page.render(), path=path, begin=page.begin, end=page.end)
    return (*events, Event(READ, {"path": path, "last": page.done, "wanted": wanted}))


def search(context: Context, pattern: str) -> tuple[Event, ...]:
    """Search the tracked files for a literal string: what was asked for, else what Generate names."""
    book = context.book
    wanted = pattern or _asked_pattern(context)
    if not wanted or wanted in book.searched:
        why = f"`{wanted}` was searched already" if wanted else "there is nothing left to search for"
        return (*context.note("search", why), Event(SEARCH_MISS, {"pattern": wanted}))
    book.searched.add(wanted)
    found = grep(context.ports.workspace, wanted)
    events = context.note(f"search {wanted}", found.render(), hit=True)
    if isinstance(found, Found) and found.blocks:
        return (*events, Event(SEARCH_HIT, {"pattern": wanted}))
    return (Event(SEARCH_MISS, {"pattern": wanted}),)


def answer(context: Context) -> tuple[Event, ...]:
    """Let Generate answer the goal in prose; an empty answer ends nothing."""
    messages = prompt(context, Role.ANSWER)
    request = WriteRequest(anchor=None, role="answer", messages=messages, seconds=max(1.0, context.meter.loop_left))
    text = _generate_text(context, request).strip()
    context.book.answer = text
    return () if text else context.note("answer", "Generate wrote no answer")


def _asked_pattern(context: Context) -> str:
    messages = prompt(context, Role.SEARCH)
    seconds = max(1.0, min(GENERATE_SECONDS, context.meter.loop_left))
    request = WriteRequest(anchor=None, role="search", messages=messages, seconds=seconds)
    lines = [line.strip() for line in _generate_text(context, request).splitlines() if line.strip()]
    return lines[-1].strip("`\"'") if lines else ""


def _generate_text(context: Context, request: WriteRequest) -> str:
    written = context.write(request, 1)
    return written.drafts[0].text.decode(errors="replace") if written.drafts else ""
