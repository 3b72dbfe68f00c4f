"""Both files have changed, and other temperatures are right as well."""

import json
import subprocess
import sys
from pathlib import Path

tree, result = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
probe = "from reading import Reading; from report import report; print(report(Reading(-40)), report(Reading(100)))"
said = subprocess.run([sys.executable, "-c", probe], cwd=tree, capture_output=True, text=True, check=False).stdout
if said != "-40 F 212 F\n":
    sys.exit(f"the reports are {said!r}")
if [one["path"] for one in result["kept_edits"]] != ["reading.py", "report.py"]:
    sys.exit(f"changed were {result['kept_edits']}")
