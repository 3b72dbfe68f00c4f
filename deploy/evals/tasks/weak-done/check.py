"""A weak "done" did not end the run: it went on looking, and the end says why it stopped."""

import json
import sys
from pathlib import Path

result = json.loads(Path(sys.argv[2]).read_text())
if result["outcome"] == "completed" or not result["reason"]:
    sys.exit(f"it ended as {result['outcome']!r} because {result['reason']!r}")
