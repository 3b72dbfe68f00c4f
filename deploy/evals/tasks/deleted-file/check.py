"""The file is gone, and nothing was merely hidden."""

import json
import sys
from pathlib import Path

tree, result = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
if (tree / "formats/xls.py").exists() or result["kept_edits"] != [{"path": "formats/xls.py", "how": "deleted"}]:
    sys.exit(f"changed were {result['kept_edits']}")
