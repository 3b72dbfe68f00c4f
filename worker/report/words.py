"""Makes foreign text safe to post: no mention, reference, markup or invisible character survives in prose; no IO.

Code is left byte-identical but for characters nobody can see.
"""

import re
import unicodedata
from collections.abc import Iterator

from markdown_it import MarkdownIt

BREAK = "\u200b"
"""Zero-width space: splits `@name` and `#12` for GitHub and for nobody's eyes."""

_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ALT_TEXT = re.compile(r"!\[([^\]]*)\]")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_MENTION = re.compile(r"@(?=\w)")
_REFERENCE = re.compile(r"#(?=\d)")
_GH_REFERENCE = re.compile(r"\b(GH-)(?=\d)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=[A-Za-z]):(?=//)")
_WWW = re.compile(r"\bwww\.", re.IGNORECASE)
_COMMIT = re.compile(r"\b([0-9a-f]{7})(?=[0-9a-f]{0,33}\b)")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")


def visible(text: str) -> str:
    """Text without terminal escapes, control and format characters (bidirectional marks, tags, zero width)."""
    plain = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char for char in plain if char in "\n\t" or unicodedata.category(char) not in _UNSEEN)


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def prose(text: str) -> str:
    """One piece of running text, with nothing left that GitHub or Markdown would act on."""
    plain = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = re.sub(r"([\\`*_\[\]|~])", r"\\\1", plain)
    return _unlink(plain)


def line(text: str, limit: int = 300) -> str:
    """`prose` on a single line, at most `limit` characters before neutralising."""
    return prose(_one_line(text, limit))


def heading(text: str, limit: int = 120) -> str:
    """A title or commit subject: plain text, no Markdown escapes, no reference that would close or ping anything."""
    return _unlink(_one_line(text, limit))


def cell(text: str, limit: int = 300) -> str:
    """`code` inside a table, where a bar would otherwise end the cell."""
    return code(text, limit).replace("|", "\\|")


def code(text: str, limit: int = 300) -> str:
    """An inline code span that ends where we say it ends."""
    plain = _one_line(text, limit)
    ticks = "`" * (1 + max((len(run) for run in re.findall(r"`+", plain)), default=0))
    pad = " " if plain.startswith("`") or plain.endswith("`") or not plain else ""
    return f"{ticks}{pad}{plain}{pad}{ticks}"


def fence(text: str, language: str = "", limit: int = 4000) -> str:
    """A code block whose fence is longer than any in the text; head and tail are kept when it is cut."""
    plain = visible(text).strip("\n")
    if len(plain) > limit:
        head, tail = plain[: limit // 3], plain[-(limit - limit // 3) :]
        plain = f"{head}\n… {len(plain) - limit} characters cut …\n{tail}"
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", plain)), default=0))
    return f"{ticks}{language}\n{plain}\n{ticks}"


def document(text: str) -> str:
    """Markdown somebody else wrote: prose neutralised, code kept, a fence left open is closed."""
    return "".join(piece if is_code else _document_prose(piece) for is_code, piece in _pieces(visible(text)))


def split_hidden(text: str) -> tuple[str, tuple[str, ...]]:
    """What a reader of the issue sees, and what was hidden: comments, alt text, unseen characters."""
    hidden: list[str] = []
    shown: list[str] = []
    for is_code, piece in _pieces(text.replace("\r\n", "\n").replace("\r", "\n")):
        shown.append(piece if is_code else _show(piece, hidden))
    result = "".join(shown)
    seen = visible(result)
    unseen = len(result) - len(seen)
    if unseen > 0:
        hidden.append(f"{unseen} invisible characters")
    return seen, tuple(hidden)


def cap(text: str, limit: int = 60_000) -> str:
    """At most `limit` characters, cut at a line's end and never inside a fence; says that it was cut."""
    if len(text) <= limit:
        return text
    note = "\n\n… cut here: this text would be longer than GitHub takes.\n"
    kept: list[str] = []
    size, open_fence = 0, ""
    for row in _rows(text):
        if size + len(row) + len(note) + len(open_fence) + 1 > limit:
            break
        kept.append(row)
        size += len(row)
        open_fence = _fence_after(open_fence, row)
    closing = f"\n{open_fence}" if open_fence else ""
    return "".join(kept).rstrip("\n") + closing + note


def _fence_after(open_fence: str, row: str) -> str:
    """The fence that is open after one more line; empty outside code."""
    found = re.match(r" {0,3}(`{3,}|~{3,})(.*)", row)
    if not found:
        return open_fence
    ticks, rest = found.groups()
    if not open_fence:
        return "" if ticks[0] == "`" and "`" in rest else ticks
    closes = ticks[0] == open_fence[0] and len(ticks) >= len(open_fence) and not rest.strip()
    return "" if closes else open_fence


def _one_line(text: str, limit: int) -> str:
    plain = " ".join(visible(text).split())
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


def _unlink(plain: str) -> str:
    plain = _MENTION.sub("@" + BREAK, plain)
    plain = _REFERENCE.sub("#" + BREAK, plain)
    plain = _GH_REFERENCE.sub(r"\1" + BREAK, plain)
    plain = _COMMIT.sub(r"\1" + BREAK, plain)
    plain = _WWW.sub("www" + BREAK + ".", plain)
    return _ADDRESS.sub(":" + BREAK, plain)


def _document_prose(text: str) -> str:
    """Prose between code blocks: tags and images become text, links lose their address, code spans stay."""
    result, last = [], 0
    for span in _CODE_SPAN.finditer(text):
        result += [_plain_markdown(text[last : span.start()]), span.group(0)]
        last = span.end()
    return "".join([*result, _plain_markdown(text[last:])])


def _plain_markdown(text: str) -> str:
    plain = text.replace("<", "&lt;").replace("![", "!\\[")
    return _unlink(plain)


def _show(text: str, hidden: list[str]) -> str:
    """Take comments and alt text out of prose, noting each."""

    def note(match: re.Match[str]) -> str:
        inside = match.group(1) if match.re is _ALT_TEXT else match.group(0)
        if inside.strip():
            hidden.append(inside)
        return "![" + "]" if match.re is _ALT_TEXT else ""

    return _ALT_TEXT.sub(note, _HTML_COMMENT.sub(note, text))


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """The text in order as (is a code block, lines); a fence nobody closed is closed by the last piece."""
    rows = _rows(text)
    at = 0
    for token in MarkdownIt("commonmark").parse(text):
        if token.type not in ("fence", "code_block") or token.map is None or token.map[0] < at:
            continue
        begin, end = token.map
        yield False, "".join(rows[at:begin])
        block = "".join(rows[begin:end])
        if token.type == "fence" and _fence_left_open(block):
            block = block.rstrip("\n") + "\n" + token.markup + "\n"
        yield True, block
        at = end
    yield False, "".join(rows[at:])


def _rows(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends one, as in Markdown (str.splitlines knows eight more)."""
    return [row for row in re.split(r"(?<=\n)", text) if row]


def _fence_left_open(block: str) -> bool:
    state = ""
    for row in _rows(block):
        state = _fence_after(state, row)
    return bool(state)
