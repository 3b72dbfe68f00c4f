"""Tasks are read strictly: a mistake is told by file and key, and nothing is silently left out."""

from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.evals.task import Ending, TaskError, find, load

TOML = 'title = "A bug"\nexpect = "fixed"\nverify = "python -m pytest -q"\n'


def _task(folder: Path, name: str = "a-bug", toml: str = TOML) -> Path:
    place = folder / name
    (place / "repo").mkdir(parents=True)
    (place / "task.toml").write_text(toml)
    (place / "issue.md").write_text("# It is wrong\n")
    (place / "repo" / "a.py").write_text("x = 1\n")
    return place


def test_a_task_is_read_with_its_defaults(tmp_path: Path) -> None:
    task = load(_task(tmp_path))

    assert task.name == "a-bug"
    assert task.settings.expect is Ending.FIXED
    assert task.settings.verify == ("python", "-m", "pytest", "-q")
    assert (task.settings.steps, task.settings.seconds) == (12, 120.0)
    assert task.hidden is None


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ("title = ", "task.toml"),
        ('title = "x"\n', "expect"),
        (TOML + "stepz = 3\n", "stepz"),
        (TOML + "steps = 0\n", "steps"),
        (TOML + "seconds = 'soon'\n", "seconds"),
        (TOML.replace("fixed", "done"), "expect"),
        (TOML.replace("fixed", "refused"), "refused_by"),
        (TOML.replace("pytest -q", 'pytest \\"'), "verify"),
    ],
)
def test_a_wrong_key_is_told_by_file_and_name(tmp_path: Path, toml: str, told: str) -> None:
    with pytest.raises(TaskError) as problem:
        load(_task(tmp_path, toml=toml))

    assert "task.toml" in problem.value.args[0]
    assert told in problem.value.args[0]


def _without_issue(place: Path) -> None:
    (place / "issue.md").unlink()


def _empty_issue(place: Path) -> None:
    (place / "issue.md").write_text("\n")


def _empty_repository(place: Path) -> None:
    (place / "repo" / "a.py").unlink()


def _two_checks(place: Path) -> None:
    (place / "check.py").touch()
    (place / "check.sh").touch()


@pytest.mark.parametrize(
    ("spoil", "told"),
    [(_without_issue, "issue.md"), (_empty_issue, "issue.md"), (_empty_repository, "repo"), (_two_checks, "check.sh")],
)
def test_a_missing_part_is_told(tmp_path: Path, spoil: Callable[[Path], None], told: str) -> None:
    place = _task(tmp_path)
    spoil(place)

    with pytest.raises(TaskError, match=told):
        load(place)


def test_tasks_are_found_in_folders_and_by_name(tmp_path: Path) -> None:
    _task(tmp_path / "one", "b")
    place = _task(tmp_path / "two", "a")

    assert [task.name for task in find([tmp_path / "one", place])] == ["a", "b"]
    assert [task.name for task in find([tmp_path / "one", place], ["b"])] == ["b"]


@pytest.mark.parametrize(
    ("folders", "names", "told"),
    [
        (["none"], [], "not a folder"),
        (["."], [], "holds no task"),
        (["one"], ["c"], "no task c"),
        (["one", "two"], [], "as well"),
    ],
)
def test_what_cannot_be_found_is_told(tmp_path: Path, folders: list[str], names: list[str], told: str) -> None:
    _task(tmp_path / "one", "b")
    _task(tmp_path / "two", "b")

    with pytest.raises(TaskError, match=told):
        find([tmp_path / folder for folder in folders], names)


def test_the_version_of_a_task_holds_every_file(tmp_path: Path) -> None:
    place = _task(tmp_path)
    first = load(place).digest
    (place / "repo" / "__pycache__").mkdir()
    (place / "repo" / "__pycache__" / "a.pyc").write_text("left behind")
    assert load(place).digest == first

    (place / "check.sh").write_text("exit 0\n")
    assert load(place).digest != first
