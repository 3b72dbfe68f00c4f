"""The new module is in the change, ends with a newline, and works."""

import json
import subprocess
import sys
from pathlib import Path

tree, result = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
if {"path": "stack.py", "how": "added"} not in result["kept_edits"]:
    sys.exit(f"changed were {result['kept_edits']}")
if not (tree / "stack.py").read_bytes().endswith(b")\n"):
    sys.exit("the new file does not end its last line")
probe = "from shapes import Stack; s = Stack(); s.push('a'); print(len(s), s.pop(), len(s))"
said = subprocess.run([sys.executable, "-c", probe], cwd=tree, capture_output=True, text=True, check=False).stdout
if said != "1 a 0\n":
    sys.exit(f"it says {said!r}")
