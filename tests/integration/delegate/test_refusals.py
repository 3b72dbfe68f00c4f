"""Ends of `bendcoder delegate` where nothing could start: exit code 1, a reason, a JSON, and an untouched checkout."""

import json
from pathlib import Path

import pytest

from deploy.cli import main
from tests.support import gitrepo

FILES = {"m.py": "x = 1\n", "tests/test_m.py": "import m\n\n\ndef test_x():\n    assert m.x == 2\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    gitrepo.make(tmp_path / "clone", FILES)
    return tmp_path / "clone"


@pytest.fixture
def issue(tmp_path: Path) -> Path:
    path = tmp_path / "issue.md"
    path.write_text("# x is wrong\n\nIt should be 2.\n")
    return path


def _refused(tmp_path: Path, folder: Path, *options: str) -> str:
    before = gitrepo.fingerprint(folder)
    target = tmp_path / "out.json"
    assert main(["delegate", "--repo", str(folder), "--json", str(target), *options]) == 1
    assert gitrepo.fingerprint(folder) == before
    found = json.loads(target.read_text())
    assert found["exit_code"] == 1
    assert found["verdict"] is None
    assert found["branch"] is None
    assert found["kept_edits"] == []
    return f"{found['outcome']}: {found['outcome_reason']}"


def test_a_dirty_checkout_names_the_files(tmp_path: Path, folder: Path, issue: Path) -> None:
    (folder / "m.py").write_text("x = 3\n")
    said = _refused(tmp_path, folder, "--issue", str(issue))
    assert "uncommitted changes in m.py" in said
    assert "Commit or stash" in said


def test_no_suite_names_the_setting(tmp_path: Path, issue: Path) -> None:
    gitrepo.make(tmp_path / "bare", {"readme.txt": "no tests here\n"})
    said = _refused(tmp_path, tmp_path / "bare", "--issue", str(issue))
    assert said.startswith("suite_unusable: ")
    assert "--verify" in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--steps", "0"), "--steps"),
        (("--steps", "many"), "--steps"),
        (("--seconds", "-1"), "--seconds"),
        (("--no-such-option",), "no-such-option"),
        (("--sandbox", "none-such"), "none-such"),
        (("--classify", "none-such"), "none-such"),
        (("--generate", "none-such"), "none-such"),
        (("--verify", "pytest 'open"), "--verify"),
        (("--env", "/nonexistent/venv"), "/nonexistent/venv"),
        (("--generate", "chat"), "endpoint"),
    ],
)
def test_a_bad_option_is_told(options: tuple[str, ...], words: str, tmp_path: Path, folder: Path, issue: Path) -> None:
    assert words in _refused(tmp_path, folder, "--issue", str(issue), *options)


def test_a_missing_option_is_told(tmp_path: Path, folder: Path) -> None:
    assert "--issue" in _refused(tmp_path, folder)


def test_an_unreadable_issue_is_told(tmp_path: Path, folder: Path) -> None:
    assert "cannot be read" in _refused(tmp_path, folder, "--issue", str(tmp_path / "none.md"))


def test_an_empty_issue_is_told(tmp_path: Path, folder: Path, issue: Path) -> None:
    issue.write_text("\n")
    assert "empty" in _refused(tmp_path, folder, "--issue", str(issue))


def test_what_is_no_checkout_is_told(tmp_path: Path, issue: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert "not a git checkout" in _refused(tmp_path, tmp_path / "plain", "--issue", str(issue))


def test_a_broken_configuration_names_the_line(tmp_path: Path, folder: Path, issue: Path) -> None:
    gitrepo.commit(folder, {".github/bendcoder.yml": "verify: pytest\nnonsense: 1\n"})
    assert "line 2" in _refused(tmp_path, folder, "--issue", str(issue))


def test_setup_is_left_to_the_person(tmp_path: Path, folder: Path, issue: Path) -> None:
    gitrepo.commit(folder, {".github/bendcoder.yml": "setup: pip install .\n"})
    assert "--env" in _refused(tmp_path, folder, "--issue", str(issue))


def test_a_suite_that_cannot_run_is_unusable(tmp_path: Path, folder: Path, issue: Path) -> None:
    said = _refused(tmp_path, folder, "--issue", str(issue), "--verify", "no-such-program", "--generate", "nothing")
    assert said.startswith("suite_unusable: ")


def test_json_on_standard_output_is_nothing_but_json(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["delegate", "--repo", str(folder), "--issue", str(tmp_path / "none.md"), "--json", "-"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["outcome"] == "could_not_start"
    assert "could not start" in printed.err
