"""The change is right; nothing was called verified, and no test that shows nothing was left behind."""

import json
import subprocess
import sys
from pathlib import Path

tree, result = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
probe = "from words import farewell; print(farewell('Bob'))"
said = subprocess.run([sys.executable, "-c", probe], cwd=tree, capture_output=True, text=True, check=False).stdout
if said != "Goodbye, Bob!\n":
    sys.exit(f"it says {said!r}")
if [one["path"] for one in result["kept_edits"]] != ["words.py"]:
    sys.exit(f"changed were {result['kept_edits']}")
