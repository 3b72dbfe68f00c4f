"""`python -m agent`: exit codes and words; the folder it is given stays as it is."""

import contextlib
import io
import shlex
from pathlib import Path

import pytest

from agent.__main__ import main
from tests.support.agent_runs import SCRIPT, SCRIPTED, write_tree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "goal.md").write_text("# add is wrong\n\nIt subtracts.\n")
    return write_tree(tmp_path / "repo", SCRIPTED)


def arguments(folder: Path, verify: str) -> list[str]:
    goal = str(folder.parent / "goal.md")
    return [
        str(folder),
        "--goal",
        goal,
        "--verify",
        verify,
        "--seconds",
        "30",
        "--trace",
        str(folder.parent / "t.jsonl"),
    ]


def test_without_a_kept_edit_it_says_why(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(folder, shlex.join(SCRIPT))) == 2
    said = capsys.readouterr().out
    assert "no edit was kept" in said
    assert "stalled: " in said
    assert {path.name for path in folder.iterdir()} == set(SCRIPTED)
    assert (folder / "adder.py").read_text() == SCRIPTED["adder.py"]


def test_a_terminal_without_the_characters_is_written_to_all_the_same(folder: Path) -> None:
    written = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with contextlib.redirect_stdout(written):
        assert main(arguments(folder, "no-such-command-\u00e9")) == 2
    written.flush()
    assert b"no-such-command-\\xe9" in written.buffer.getvalue()


def test_a_suite_that_cannot_run_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(folder, "no-such-command")) == 2
    assert "suite_unusable" in capsys.readouterr().out


def test_what_cannot_start_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = arguments(folder, "true")
    missing[0] = str(folder / "nowhere")
    assert main(missing) == 1
    assert "Nothing was changed" in capsys.readouterr().err
