"""The function works, and nothing was put beside the tests."""

import subprocess
import sys
from pathlib import Path

tree = Path(sys.argv[1])
probe = "from text import reverse_words; print(reverse_words('ab cd e'))"
said = subprocess.run([sys.executable, "-c", probe], cwd=tree, capture_output=True, text=True, check=False).stdout
if said != "e cd ab\n" or (tree / "conftest.py").exists():
    sys.exit(f"it says {said!r}")
