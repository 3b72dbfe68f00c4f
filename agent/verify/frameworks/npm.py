"""`npm test` and its like: what the script behind it runs, when that is one plain command. Reads bytes; no IO.

Anything else in a script (`a && b`, a `pretest`, variables) is left to npm, and gives its exit code only.
"""

import json
import re
import shlex
from pathlib import PurePosixPath

PACKAGE = "package.json"
PACKAGE_LIMIT = 1024**2
"""Bytes of a package.json that are read."""

_RUNNERS = frozenset({"npm", "pnpm", "yarn"})
_SHELL = re.compile(r"[;&|<>$`\\\n(){}#!]|^\s*[A-Za-z_]\w*=")
_GLOB = re.compile(r"[*?\[~]")


def runs_a_script(argv: tuple[str, ...]) -> bool:
    """`npm test`, `npm t`, `npm run test`, and the same with yarn and pnpm."""
    return _arguments(argv) is not None


def _arguments(argv: tuple[str, ...]) -> tuple[str, ...] | None:
    """What is handed on to the script; None when this is no such command."""
    if not argv or PurePosixPath(argv[0]).name not in _RUNNERS:
        return None
    rest = argv[2:] if argv[1:2] == ("run",) else argv[1:]
    if rest[:1] not in (("test",), ("t",)) or (rest[0] == "t" and len(argv) > len(rest) + 1):
        return None
    if rest[1:2] == ("--",):
        return rest[2:]
    return None if rest[1:] else ()


def script_behind(argv: tuple[str, ...], package: bytes | None) -> tuple[str, ...] | None:
    """The words of the command the test script is, with what `argv` hands on; None when it is not one plain command."""
    more = _arguments(argv)
    try:
        data = json.loads(package or b"")
    except (ValueError, RecursionError):
        return None
    scripts = data.get("scripts") if isinstance(data, dict) else None
    if more is None or not isinstance(scripts, dict) or "pretest" in scripts or "posttest" in scripts:
        return None
    script = scripts.get("test")
    if not isinstance(script, str) or _SHELL.search(script):
        return None
    try:
        words = shlex.split(script)
    except ValueError:
        return None
    # a shell would have put file names in place of an unquoted pattern
    plain = {word for word in script.split() if _GLOB.search(word) and not word.startswith(("'", '"'))}
    return None if plain or not words else (*words, *more)
