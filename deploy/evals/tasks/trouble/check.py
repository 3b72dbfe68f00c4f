"""Centuries are right, and the code fence around the reply is not in the file."""

import subprocess
import sys
from pathlib import Path

tree = Path(sys.argv[1])
probe = "from years import is_leap; print([year for year in (1600, 1700, 2000, 2100, 2024, 2025) if is_leap(year)])"
said = subprocess.run([sys.executable, "-c", probe], cwd=tree, capture_output=True, text=True, check=False).stdout
if said != "[1600, 2000, 2024]\n" or "```" in (tree / "years.py").read_text():
    sys.exit(f"leap years are {said!r}")
