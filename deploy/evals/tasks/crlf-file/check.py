"""Every line still ends as it did, the new ones included, and the function works."""

import subprocess
import sys
from pathlib import Path

tree = Path(sys.argv[1])
content = (tree / "bounds.py").read_bytes()
if content.count(b"\n") != content.count(b"\r\n") or content.count(b"\n") != 10:
    sys.exit(f"the file is {content!r}")
probe = "from bounds import clamp; print(clamp(11, 0, 10), clamp(10, 0, 10), clamp(-5, 0, 10))"
said = subprocess.run([sys.executable, "-c", probe], cwd=tree, capture_output=True, text=True, check=False).stdout
if said != "10 10 0\n":
    sys.exit(f"it gives {said!r}")
