"""Git's proc-receive hook: refuses pushed refs with GitHub's own words, or lets git go on.

Runs as a program of its own inside `git receive-pack`, standard library only. The rules come as JSON in the
environment; everything but refusing is left to git (`option fall-through`).
"""

import fnmatch
import json
import os
import subprocess
import sys
from typing import BinaryIO

_ZERO = "0" * 40
_WORKFLOWS = ".github/workflows"


def read_packet(stream: BinaryIO) -> str | None:
    """One pkt-line without its newline; None for a flush."""
    size = int(stream.read(4) or b"0000", 16)
    return None if size == 0 else stream.read(size - 4).decode().rstrip("\n")


def write_packet(stream: BinaryIO, line: str | None) -> None:
    """One pkt-line, or a flush for None."""
    data = b"0000" if line is None else f"{len(line.encode()) + 5:04x}{line}\n".encode()
    stream.write(data)


def _new_commits(new: str, *words: str) -> list[str]:
    argv = ["git", "log", *words, new, "--not", "--all", "--"]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split("\n")


def _refused_workflow(new: str) -> str | None:
    names = _new_commits(new, "--name-only", "--format=", "-m")
    touched = sorted({name for name in names if name.startswith(_WORKFLOWS + "/")})
    if not touched:
        return None
    return f"refusing to allow a GitHub App to create or update workflow `{touched[0]}` without `workflows` permission"


def _refused_unsigned(new: str, ref: str) -> str | None:
    unsigned = [row for row in _new_commits(new, "--format=%H%x09%G?") if row.endswith("\tN")]
    if not unsigned:
        return None
    lines = (
        f"error: GH013: Repository rule violations found for {ref}.",
        "",
        "- Commits must have verified signatures.",
        *(f"  Found {row.split()[0][:12]} without one." for row in unsigned[:5]),
    )
    sys.stderr.write("\n".join(lines) + "\n")
    return "push declined due to repository rule violations"


def decide(rules: dict[str, object], new: str, ref: str) -> str | None:
    """Why the ref is refused; None when it is not."""
    refusals = rules.get("refuse")
    for pattern, reason in refusals.items() if isinstance(refusals, dict) else ():
        if fnmatch.fnmatchcase(ref, pattern):
            return str(reason)
    if new == _ZERO:
        return None
    reason = None if rules.get("workflows") else _refused_workflow(new)
    if reason is None and rules.get("signed"):
        reason = _refused_unsigned(new, ref)
    return reason


def main() -> None:
    """Speak the hook's protocol on standard input and output."""
    rules = json.loads(os.environ["DEVHUB_PUSH_RULES"])
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while read_packet(source) is not None:
        pass
    write_packet(sink, "version=1")
    write_packet(sink, None)
    sink.flush()
    commands = []
    while (line := read_packet(source)) is not None:
        commands.append(line.split(" ", 2))
    for _, new, ref in commands:
        reason = decide(rules, new, ref)
        if reason is None:
            write_packet(sink, f"ok {ref}")
            write_packet(sink, "option fall-through")
        else:
            write_packet(sink, f"ng {ref} {reason}")
    write_packet(sink, None)
    sink.flush()


if __name__ == "__main__":
    main()
