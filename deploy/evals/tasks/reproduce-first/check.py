"""The last line is there, and the change brings a test that was not there before; the old ones are as they were."""

import json
import subprocess
import sys
from pathlib import Path

tree, result = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
probe = "from wrapping import wrap; print(wrap('a bb ccc', 4), wrap('', 3), wrap('word', 2))"
said = subprocess.run([sys.executable, "-c", probe], cwd=tree, capture_output=True, text=True, check=False).stdout
if said != "['a bb', 'ccc'] [] ['word']\n":
    sys.exit(f"it wraps to {said!r}")
added = [one["path"] for one in result["kept_edits"] if one["how"] == "added"]
if len(added) != 1 or not added[0].startswith("test_"):
    sys.exit(f"added were {added}")
if "written" not in result["reason"] and not any("wrote" in note for note in [result["reason"], *result["notes"]]):
    sys.exit(f"it does not say that the test is its own: {result['reason']!r} {result['notes']}")
