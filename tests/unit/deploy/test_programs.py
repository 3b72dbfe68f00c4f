"""The demo's programs: each has failing and passing tests and gives nothing away."""

from pathlib import Path

import pytest

from deploy.demo import programs
from deploy.demo.play import fixed_tests

BODY = """
### Evidence, test by test

| test | on the base | with this change | counts as |
| --- | --- | --- | --- |
| `tests/test_x.py::test_a[1-2]` | failed (3 of 3) | passed (3 of 3) | evidence |
| `tests/test_x.py::test_b` | failed | passed | fixed |
| `tests/test_x.py::test_c` | passed | failed | broken |

| file | ran |
| --- | --- |
| `a.py` | evidence |
"""


def test_there_are_five() -> None:
    assert programs.names() == ("columns", "intervals", "ledger", "maze", "roman")


@pytest.mark.parametrize("name", programs.names())
def test_each_is_a_small_library_with_tests_and_an_issue(name: str) -> None:
    program = programs.load(name)
    assert program.title
    assert len(program.body) > 80
    assert f"{name}.py" in program.files
    assert f"tests/test_{name}.py" in program.files
    assert 30 <= program.files[f"{name}.py"].count(b"\n") <= 90
    assert not any("__pycache__" in path for path in program.files)


def test_an_unknown_program_names_the_known_ones() -> None:
    with pytest.raises(programs.NoProgram, match="columns, intervals"):
        programs.load("nothing")


def test_a_folder_of_ones_own_needs_an_issue_and_files(tmp_path: Path) -> None:
    with pytest.raises(programs.NoProgram, match=r"issue\.md"):
        programs.load_from(tmp_path)
    (tmp_path / "issue.md").write_text("# Broken\n")
    with pytest.raises(programs.NoProgram, match="repo/"):
        programs.load_from(tmp_path)
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/a.py").write_text("x = 1\n")
    assert programs.load_from(tmp_path).files == {"a.py": b"x = 1\n"}


def test_fixed_tests_are_read_from_the_drafts_own_table() -> None:
    assert fixed_tests(BODY) == ("tests/test_x.py::test_a[1-2]", "tests/test_x.py::test_b")
