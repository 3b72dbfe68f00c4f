"""The walls, as tests: file lengths, module sentences, no forbidden names, no machine-bound text, no hidden patches."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOUSES = ("agent", "bot", "worker", "deploy")
MAX_LINES = 300
VAGUE = {"utils", "util", "common", "helpers", "helper", "manager", "misc"}


def tracked(*suffixes: str) -> list[Path]:
    """Files git knows of (or all files, outside a checkout)."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    names = [n for n in listed.stdout.decode().split("\0") if n]
    return [ROOT / n for n in names if n.endswith(suffixes) and (ROOT / n).is_file()]


def modules() -> list[Path]:
    return [p for p in tracked(".py") if p.relative_to(ROOT).parts[0] in HOUSES and "repo" not in p.parts]


def test_there_is_something_to_check() -> None:
    assert len(modules()) > 40


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_module_is_short_opens_with_a_sentence_and_has_a_telling_name(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert len(text.splitlines()) <= MAX_LINES
    docstring = ast.get_docstring(ast.parse(text))
    assert docstring, "open with one sentence: what this room is for and what it must not do"
    assert len(docstring) > 20
    assert path.stem not in VAGUE


@pytest.mark.parametrize("path", tracked(".py"), ids=lambda p: str(p.relative_to(ROOT)))
def test_our_own_modules_are_never_patched(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    patching = re.compile("mock" + r"\.patch|monkeypatch\." + r"setattr|Magic" + "Mock")

    assert not patching.search(text)


def test_the_locks_hold_hashes_and_no_address_to_download_from() -> None:
    for name in ("runtime.txt", "dev.txt"):
        text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
        assert "--hash=sha256:" in text
        assert "://" not in text
        assert "--index-url" not in text
        assert "--find-links" not in text


def test_the_environment_is_read_in_settings_and_the_command_line_alone() -> None:
    readers = {
        str(path.relative_to(ROOT))
        for path in modules()
        if re.search(r"os\.environ|os\.getenv", path.read_text(encoding="utf-8")) and path.parts[-1] != "settings.py"
    }

    outside = {name for name in readers if not name.startswith(("deploy/", "agent/adapters/sandbox/inside/"))}
    assert outside == set()


def test_the_import_contracts_name_every_room() -> None:
    """`exhaustive` layers fail on an unplaced room; this proves that the contracts file is the one in force."""
    run = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stdout[-3000:]
