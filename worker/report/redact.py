"""The one redactor every outgoing text passes: secrets by their value and by their shape; no IO."""

import base64
import logging
import re
from collections.abc import Iterable

GONE = "[redacted]"

_SHAPES = (
    re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9._-]{16,}"),  # installation tokens hold dots and run to some 520 characters
    re.compile(r"\bgithub_pat_[A-Za-z0-9_]{20,}"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    re.compile(r"eC1hY2Nlc3MtdG9rZW46[A-Za-z0-9+/=_-]*"),  # base64 of `x-access-token:`
    re.compile(r"(?i)\b(?:basic|bearer|token)\s+(?=[A-Za-z0-9+/=._-]{20,})[A-Za-z0-9+/=._-]+"),
    re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"),  # credentials in an address
    re.compile(r"\bsk-[A-Za-z0-9_-]{16,}"),
    re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
)
_WORDS = (
    ("private key-----",),
    ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    ("github_pat_",),
    ("eyj",),
    ("ec1hy2nlc3mtdg9rzw46",),
    ("basic", "bearer", "token"),
    ("://",),
    ("sk-",),
    ("akia",),
)
"""Per shape, words one of which any text of it holds in lower case: most texts hold none, and looking is quick."""


class Redactor:
    """Replaces every secret it was told of, and everything shaped like one; `add` as tokens are minted."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: set[str] = set()
        for value in values:
            self.add(value)

    def add(self, value: str) -> None:
        """Learn a secret's value, plain and in base64; short ones are ignored, they would redact ordinary words."""
        value = value.strip()
        if len(value) < 8:
            return
        forms = {value, base64.b64encode(value.encode()).decode()}
        forms.add(base64.b64encode(f"x-access-token:{value}".encode()).decode())
        forms.update(row for row in value.splitlines() if len(row) >= 40)  # a key quoted line by line
        self._values |= forms

    def __call__(self, text: str) -> str:
        """The text without secrets; longest values go first, so that no rest of one remains."""
        for value in sorted(self._values, key=len, reverse=True):
            text = text.replace(value, GONE)
        lowered = text.lower()
        for words, shape in zip(_WORDS, _SHAPES, strict=True):
            if any(word in lowered for word in words):
                text = shape.sub(GONE, text)
        return text


class RedactingFilter(logging.Filter):
    """Puts what a handler is about to write through the redactor, tracebacks included; drops nothing."""

    def __init__(self, redact: Redactor) -> None:
        super().__init__()
        self._redact = redact
        self._format = logging.Formatter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record in place."""
        record.msg, record.args = self._redact(record.getMessage()), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = self._format.formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._redact(record.exc_text)
        return True
