"""It ended soon, without a model call, and names the setting that helps."""

import json
import sys
from pathlib import Path

result = json.loads(Path(sys.argv[2]).read_text())
if result["usage"]["classify_calls"] or result["usage"]["seconds"] > 10:
    sys.exit(f"it cost {result['usage']}")
if "verify" not in result["reason"] or result["branch"]:
    sys.exit(f"it says {result['reason']!r}")
