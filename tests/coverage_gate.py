"""Fails when a core room is covered below its bar; reads coverage's JSON report and decides nothing else.

Usage: `python tests/coverage_gate.py .coverage.json`. The bar counts statements and branches together, room by room, so
that a well-covered room cannot pay for a neglected one.
"""

import json
import sys
from pathlib import Path

BAR = 90.0
ROOMS = (
    "agent/domain",
    "agent/edits",
    "agent/guards",
    "agent/loop",
    "agent/verify",
    "bot",
    "worker/contract",
    "worker/policy",
    "worker/report",
)


def covered(files: dict[str, dict[str, dict[str, float]]], room: str) -> float:
    """Percent of statements and branches of one room that ran; 0 when the room has no measured file."""
    inside = [
        entry["summary"]
        for name, entry in files.items()
        if name.startswith((room + "/", room + "_")) or name == room + ".py"
    ]
    total = sum(s["num_statements"] + s["num_branches"] for s in inside)
    done = sum(s["covered_lines"] + s["covered_branches"] for s in inside)
    return 100.0 * done / total if total else 0.0


def main(report: Path) -> int:
    """Print one line per room; return 1 when one is below the bar."""
    files = json.loads(report.read_text(encoding="utf-8"))["files"]
    shares = {room: covered(files, room) for room in ROOMS}
    for room, share in shares.items():
        sys.stdout.write(f"{room:<18} {share:6.1f} %{'' if share >= BAR else f'  below {BAR:.0f} %'}\n")
    return int(any(share < BAR for share in shares.values()))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
