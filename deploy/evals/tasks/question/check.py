"""There is an answer that names the place, and no change."""

import json
import sys
from pathlib import Path

result = json.loads(Path(sys.argv[2]).read_text())
if "KEEP_SECONDS" not in result["answer"]:
    sys.exit(f"the answer is {result['answer']!r}")
if result["kept_edits"] or result["branch"] or result["diff"]:
    sys.exit("something was changed")
