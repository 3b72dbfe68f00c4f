"""Runs a task's hidden check on the finished worktree: in the sandbox, since it runs code a model has written.

The check is given to its box when the run is over; nothing of it lies in the tree before. Exit code 0 passes, 77 means
that it could not tell (a program is missing here), anything else fails.
"""

import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from agent.domain.environment import Environment
from agent.ports import Limits, Sandbox

SKIP = 77
_SHOWN = 2000  # characters of a check's output kept in a row: its end, where it says what is wrong


class Hidden(StrEnum):
    """What the hidden check said."""

    PASS = "pass"  # noqa: S105 - a word of a table
    FAIL = "fail"
    SKIP = "skip"
    NONE = "none"
    """There is no check, or nothing to check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The word, and the end of what the check printed when it did not pass."""

    word: Hidden
    output: str = ""


def check(
    script: Path,
    tree: Path,
    result: Mapping[str, object],
    further: Mapping[str, Path],
    *,
    sandbox: Sandbox,
    environment: Environment,
    seconds: float,
) -> Checked:
    """Run `script TREE RESULT [ARCHIVE]` in a box of its own on a clean tree; SandboxError when there is no box.

    The archive holds `further` files, by relative path. Nothing of them is unpacked out here: where they would go, the
    tree may hold a link to anywhere.
    """
    with sandbox.open(tree, environment) as box:
        given = box.give(script.name, script.read_bytes())
        told = box.give("result.json", json.dumps(result).encode())
        interpreter = "/bin/sh" if script.suffix == ".sh" else environment.python or "python3"
        archive = [box.give("hidden.tar", _packed(further))] if further else []
        ran = box.run(
            [interpreter, given, box.tree, told, *archive], Limits(seconds=seconds), {"PYTHONDONTWRITEBYTECODE": "1"}
        )
    if ran.exit_code == 0:
        return Checked(word=Hidden.PASS)
    word = Hidden.SKIP if ran.exit_code == SKIP else Hidden.FAIL
    why = f"it did not end within {seconds:.0f} s\n" if ran.timed_out else ""
    return Checked(word=word, output=f"{why}{ran.output[-_SHOWN:]}")


def _packed(files: Mapping[str, Path]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, path in files.items():
            content = path.read_bytes()
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()
