"""Says of every exception of githubkit what it means to us, as worker errors; no retry happens here.

Texts follow what GitHub really answers: a rate limit may come as a plain 403 without any header, a wrong token inside
the token request arrives wrapped twice, and an error body may be HTML.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import cast

import httpx
from githubkit.exception import GitHubException, RateLimitExceeded, RequestError, RequestFailed
from pydantic import ValidationError

from worker.errors import ForgeDenied, ForgeError, ForgeGone, ForgeInvalid, ForgeUnavailable

LIMIT_TEXTS = ("secondary rate limit", "abuse detection", "api rate limit exceeded")
UNKNOWN_WAIT = 60.0  # GitHub's advice when it names no time
EXCERPT = 200


class Sort(StrEnum):
    """What may be done about it."""

    BROKEN = "broken"
    """5xx, timeouts, resets: whether a write took effect is not known."""
    LIMITED = "limited"
    """Refused before anything happened, for `wait` seconds."""
    UNAUTHORISED = "unauthorised"
    FINAL = "final"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """One failed call."""

    sort: Sort
    error: ForgeError
    wait: float = 0.0


def understand(error: Exception) -> Trouble:
    """The meaning of what githubkit raised."""
    inner = error.exc if isinstance(error, RequestError) and not isinstance(error, RequestFailed) else error
    if isinstance(inner, RateLimitExceeded):
        return _limited(inner.retry_after)
    if isinstance(inner, RequestFailed):
        return _answered(inner)
    if isinstance(inner, ValidationError):
        what = "GitHub's answer, or our request, does not have the expected form."
        return Trouble(sort=Sort.FINAL, error=ForgeError(f"{what} Nothing was changed by this call."))
    if isinstance(inner, httpx.HTTPError | OSError):
        return _broken(f"GitHub could not be reached ({type(inner).__name__}).")
    if isinstance(inner, ValueError):  # githubkit reads `retry-after` as a number; the date form lands here
        return _limited(timedelta(seconds=UNKNOWN_WAIT))
    if isinstance(inner, GitHubException):
        return Trouble(sort=Sort.FINAL, error=ForgeError(f"The GitHub client failed ({type(inner).__name__})."))
    return Trouble(sort=Sort.FINAL, error=ForgeError(f"The GitHub call failed ({type(inner).__name__})."))


def _answered(failed: RequestFailed) -> Trouble:
    status = failed.response.status_code
    text = _text(failed)
    if status in (403, 429) and (status == 429 or any(words in text.lower() for words in LIMIT_TEXTS)):
        return _limited(timedelta(seconds=UNKNOWN_WAIT))
    if status >= 500:
        return _broken(f"GitHub answered {status}.")
    if status == 401:
        said = f"GitHub does not accept the App's credentials (401: {text}). Check the App id and its private key."
        return Trouble(sort=Sort.UNAUTHORISED, error=ForgeDenied(said, text))
    if status == 403:
        return Trouble(sort=Sort.FINAL, error=ForgeDenied(_denied(text, failed.response.headers), text))
    if status in (404, 410):
        return Trouble(sort=Sort.FINAL, error=ForgeGone(f"GitHub says it is not there ({status}: {text}).", text))
    if status == 422:
        return Trouble(sort=Sort.FINAL, error=ForgeInvalid(f"GitHub refused the request: {text}.", text))
    return Trouble(sort=Sort.FINAL, error=ForgeError(f"GitHub answered {status}: {text}.", text))


def _denied(text: str, headers: Mapping[str, str]) -> str:
    if "suspended" in text.lower():
        return "The installation of the App has been suspended. Its owner can unsuspend it in the App's settings."
    if wanted := headers.get("x-accepted-github-permissions"):
        return f"The App lacks a permission here; GitHub wants `{wanted}`. The installation's owner can grant it."
    return f"GitHub denies it (403: {text})."


def _limited(after: timedelta) -> Trouble:
    seconds = max(1.0, after.total_seconds())
    error = ForgeUnavailable(f"GitHub limits how often the App may ask; {seconds:.0f} s to wait.", seconds)
    return Trouble(sort=Sort.LIMITED, error=error, wait=seconds)


def _broken(said: str) -> Trouble:
    return Trouble(sort=Sort.BROKEN, error=ForgeUnavailable(said))


def _text(failed: RequestFailed) -> str:
    """GitHub's own words, short: `message`, then what `errors` adds in any of its four shapes."""
    try:
        body = cast("object", failed.response.json())
    except ValueError:
        return " ".join(failed.response.text.split())[:EXCERPT]
    if not isinstance(body, dict):
        return ""
    parts = [str(body.get("message", ""))]
    errors = body.get("errors", [])
    for item in errors if isinstance(errors, list) else [errors]:
        if isinstance(item, dict):
            parts.append(str(item.get("message") or " ".join(str(value) for value in item.values())))
        else:
            parts.append(str(item))
    return "; ".join(part for part in parts if part)[:EXCERPT]
