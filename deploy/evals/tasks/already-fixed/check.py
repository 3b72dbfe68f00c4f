"""No file was touched, and the end says so."""

import json
import sys
from pathlib import Path

result = json.loads(Path(sys.argv[2]).read_text())
if result["kept_edits"] or result["branch"]:
    sys.exit("something was changed")
if result["outcome"] != "completed" or not result["reason"]:
    sys.exit(f"it ended as {result['outcome']!r} because {result['reason']!r}")
