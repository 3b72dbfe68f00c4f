"""Rules that make the stand-in misbehave on purpose: match a request, answer something else, wait or hang up.

Decides only; the request pipeline carries it out.
"""

import fnmatch
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from deploy.devhub.problems import DOCS, Json

_SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
_HTML = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What to do instead of, or besides, the ordinary answer.

    `status` None lets the request through; `delay` is seconds before it is handled, `body_delay` seconds between the
    answer's head and its body; `reset` hangs up `before` handling or `after` the effect.
    """

    status: int | None = None
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    body_delay: float = 0.0
    reset: str | None = None


def _message(status: int, text: str, **headers: str) -> Fault:
    body = {"message": text, "documentation_url": DOCS, "status": str(status)}
    return Fault(status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


PRESETS: Mapping[str, Fault] = {
    "bad_credentials": _message(401, "Bad credentials"),
    "not_found": _message(404, "Not Found"),
    "suspended": _message(403, "This installation has been suspended"),
    "secondary_limit": _message(403, _SECONDARY, retry_after="60"),
    "secondary_limit_429": _message(429, _SECONDARY, retry_after="60"),
    "secondary_limit_bare": _message(403, _SECONDARY),
    "primary_limit": _message(
        403, "API rate limit exceeded for installation.", x_ratelimit_remaining="0", x_ratelimit_reset="4102444800"
    ),
    "archived": _message(403, "Repository was archived so is read-only."),
    "gone": _message(410, "This issue was deleted"),
    "html_502": Fault(status=502, body=_HTML, headers={"content-type": "text/html"}),
    "server_error": _message(500, "Server Error"),
    "unavailable": _message(503, "Service Unavailable"),
    "reset_before": Fault(reset="before"),
    "reset_after": Fault(reset="after"),
}
"""The refusals clients must live with, by name."""


@dataclass(slots=True, kw_only=True)
class Rule:
    """A fault and when it applies: the `nth` matching call (1-based) and the following ones, `times` in all."""

    id: int
    method: str
    path: str
    nth: int
    times: int | None
    fault: Fault
    seen: int = 0

    def json(self) -> Json:
        """As the control API shows it."""
        return {
            "id": self.id,
            "method": self.method,
            "path": self.path,
            "nth": self.nth,
            "times": self.times,
            "seen": self.seen,
        }

    def _matches(self, method: str, path: str) -> bool:
        return fnmatch.fnmatchcase(method, self.method) and fnmatch.fnmatchcase(path, self.path)

    def hit(self, method: str, path: str) -> bool:
        """Count the call when it matches; whether the fault applies to it."""
        if not self._matches(method, path):
            return False
        self.seen += 1
        return self.seen >= self.nth and (self.times is None or self.seen < self.nth + self.times)


@dataclass(slots=True)
class Faults:
    """The rules in force; the first that applies wins."""

    rules: list[Rule] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    ids: Iterator[int] = field(default_factory=lambda: count(1))

    def add(self, *, method: str, path: str, nth: int, times: int | None, fault: Fault) -> Rule:
        """Add a rule; method and path are shell patterns, the path without the API prefix."""
        with self.lock:
            rule = Rule(id=next(self.ids), method=method.upper(), path=path, nth=nth, times=times, fault=fault)
            self.rules.append(rule)
            return rule

    def clear(self) -> None:
        """Behave again."""
        with self.lock:
            self.rules.clear()

    def match(self, method: str, path: str) -> Fault | None:
        """The fault for this request, if any."""
        with self.lock:
            hits = [rule for rule in self.rules if rule.hit(method, path)]
        return hits[0].fault if hits else None
