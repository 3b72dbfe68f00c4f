"""Fills the templates beside it; a value that passed no neutralising filter cannot be printed."""

import re
from collections.abc import Callable
from functools import cache
from typing import NoReturn

from jinja2 import Environment, PackageLoader, StrictUndefined

from worker.report import words

_SHA = re.compile(r"[0-9a-f]{7,64}")
_HTML = re.compile(r"<!-- bendcoder:(?:job=[0-9a-f]{16}|refused=\d+|reply=\d+|begin|end) -->")
_URL = re.compile(r"https?://[A-Za-z0-9._~:/?#@!$&*+,;=%\[\]-]+")


class Safe(str):
    """Text that went through one of the filters."""

    __slots__ = ()


def render(template: str, **values: object) -> str:
    """One template with its values, capped to what GitHub takes."""
    return words.cap(_environment().get_template(template).render(values).strip() + "\n")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("worker.report", "templates"),
        autoescape=False,  # noqa: S701 - Markdown, not HTML: the filters below and `finalize` do the work
        undefined=StrictUndefined,
        finalize=_only_safe,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters: dict[str, Callable[..., str]] = {
        "prose": words.prose,
        "line": words.line,
        "heading": words.heading,
        "code": words.code,
        "cell": words.cell,
        "fence": words.fence,
        "document": words.document,
        "paragraph": _paragraph,
        "cells": _cells,
        "html": _html,
        "sha": _sha,
        "url": _url,
        "seconds": _seconds,
    }
    environment.filters.update({name: _marking(one) for name, one in filters.items()})
    return environment


def _marking(one: Callable[..., str]) -> Callable[..., Safe]:
    def marked(*arguments: object) -> Safe:
        return Safe(one(*arguments))

    return marked


def _only_safe(value: object) -> object:
    """Jinja's last look at a value; whatever is neither neutralised nor a whole number is our mistake."""
    if isinstance(value, Safe) or type(value) is int:
        return value
    return _refuse(value)


def _refuse(value: object) -> NoReturn:
    raise TypeError(f"a template printed a {type(value).__name__} without a neutralising filter")


def _paragraph(value: str) -> str:
    """A sentence of ours that may carry foreign words: code spans stay, everything that links or pings goes."""
    plain = " ".join(words.visible(value).split())
    return words.document(plain if len(plain) <= 1500 else plain[:1499] + "…")


def _cells(value: str) -> str:
    """`paragraph` inside a table."""
    return _paragraph(value).replace("|", "\\|")


def _html(value: str) -> str:
    """One of our own hidden markers; anything else is a mistake of ours."""
    if not _HTML.fullmatch(value):
        raise ValueError("not a marker of ours")
    return value


def _sha(value: str) -> str:
    """A commit id, short; anything else is shown as code."""
    return value[:12] if _SHA.fullmatch(value) else words.code(value)


def _url(value: str) -> str:
    """An address that may stand in a link; anything else is shown as code."""
    return value if _URL.fullmatch(value) else words.code(value)


def _seconds(value: float) -> str:
    """A duration for people."""
    if value < 90:
        return f"{value:.1f} s" if value < 10 else f"{value:.0f} s"
    return f"{value / 60:.0f} min"
