"""Odd and even numbers of values both work."""

import subprocess
import sys
from pathlib import Path

tree = Path(sys.argv[1])
probe = "from median import median; print(median([5]), median([9, 1, 5]), median([2, 4]), median([1, 1, 2, 8]))"
said = subprocess.run([sys.executable, "-c", probe], cwd=tree, capture_output=True, text=True, check=False).stdout
if said != "5 5 3.0 1.5\n":
    sys.exit(f"the medians are {said!r}")
