"""Markdown of issues and comments as safe HTML: raw HTML is shown as text, but for a few bare tags; comments vanish."""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_BARE_TAG = re.compile(r"&lt;(/?(?:details|summary|sub|sup|kbd|br|hr|b|i|em|strong))\s*/?&gt;")


def safe_html(raw: str) -> str:
    """Raw HTML of a document: comments dropped, bare harmless tags kept, everything else as text."""
    return _BARE_TAG.sub(r"<\1>", str(escape(_COMMENT.sub("", raw))))


class _Renderer(RendererHTML):
    def html_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Raw HTML standing alone."""
        del options, env
        return safe_html(tokens[idx].content)

    def html_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Raw HTML inside a paragraph."""
        del options, env
        return safe_html(tokens[idx].content)


_PARSER = MarkdownIt("commonmark", {"html": True, "linkify": False}, renderer_cls=_Renderer).enable(
    ["table", "strikethrough"]
)


def render(text: str | None) -> Markup:
    """A document as HTML that is safe to put into a page."""
    return Markup(_PARSER.render(text or ""))  # noqa: S704 - the renderer escapes what it does not make itself
