"""Turns git's own words into our errors, and takes secrets out of them first; no IO."""

from worker.errors import GitAuthError, GitError, PushRefused
from worker.report.redact import Redactor

AUTH = (
    "could not read Username",
    "Authentication failed",
    "could not read Password",
    "returned error: 401",
    "Invalid username or",
)
REFUSED = ("GH013", "GH006", "without `workflows` permission", "[remote rejected]")
MOVED = ("stale info", "(fetch first)", "non-fast-forward")


def redact(text: str, secrets: tuple[str, ...] = ()) -> str:
    """The text without these secrets and without anything shaped like one."""
    return Redactor(secrets)(text)


def explain(command: str, code: int, text: str) -> GitError:
    """The error for a command that ended with `code`; `text` is its redacted output."""
    if any(sign in text for sign in AUTH):
        return GitAuthError("The remote did not accept the token for git; a new one is needed.", text)
    if command == "push" and any(sign in text for sign in REFUSED):
        return PushRefused(f"The repository's rules refuse the push: {_remote_lines(text)}", text)
    if command == "push" and any(sign in text for sign in MOVED):
        return GitError("The branch on the remote is not where it was left, so nothing was pushed.", text)
    return GitError(f"git {command} ended with {code}: {_last_line(text)}", text)


def _remote_lines(text: str) -> str:
    lines = [line.removeprefix("remote:").strip() for line in text.splitlines()]
    told = [line for line in lines if line and ("GH0" in line or line.startswith(("- ", "!")))]
    return " ".join(told)[:500] or _last_line(text)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return (fatal or lines or ["it printed nothing"])[-1][:300]
