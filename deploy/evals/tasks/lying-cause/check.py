"""The sum is right, and the parser the issue blames is as it was."""

import subprocess
import sys
from pathlib import Path

tree = Path(sys.argv[1])
probe = "from invoice import total; print(total(['1.99', '2.01', '0.05']), total([]), total(['7']))"
said = subprocess.run([sys.executable, "-c", probe], cwd=tree, capture_output=True, text=True, check=False).stdout
if said != "4.05 0.0 7.0\n":
    sys.exit(f"the totals are {said!r}")
if "removesuffix" not in (tree / "parsing.py").read_text():
    sys.exit("parsing.py was changed")
