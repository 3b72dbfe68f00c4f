"""Remembers every REST and git request the stand-in was sent, so that tests can ask what was not called.

Tokens are kept as a short fingerprint only.
"""

import hashlib
import threading
from dataclasses import dataclass, field

from deploy.devhub.problems import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request; `path` is without the API prefix, `repository` is owner/name where the path names one."""

    at: str
    method: str
    path: str
    query: str
    status: int
    who: str
    repository: str | None
    token: str | None
    known: bool
    """Whether the stand-in has this endpoint at all."""
    milliseconds: float

    def json(self) -> Json:
        """As the control API shows it."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class CallLog:
    """The requests in the order they were answered."""

    entries: list[Call] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, call: Call) -> None:
        """Append one."""
        with self.lock:
            self.entries.append(call)

    def clear(self) -> None:
        """Forget all."""
        with self.lock:
            self.entries.clear()

    def matching(self, *, path: str = "", repository: str = "", method: str = "", token: str = "") -> list[Call]:
        """Calls whose path contains `path` and whose other fields equal what is given (case-insensitively)."""
        with self.lock:
            found = list(self.entries)
        return [
            call
            for call in found
            if path in call.path
            and (not repository or (call.repository or "").lower() == repository.lower())
            and (not method or call.method == method.upper())
            and (not token or call.token == fingerprint(token) or call.token == token)
        ]


def fingerprint(token: str) -> str:
    """A short stable name for a token."""
    return hashlib.sha256(token.encode()).hexdigest()[:12]
