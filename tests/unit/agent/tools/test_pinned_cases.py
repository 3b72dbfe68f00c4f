"""The cases that pin the file tools, one named row each: what bendcoder's own suite asks, in our values.

Where it answers with a text that begins with `error:`, the tools here answer with `Refused`. Row 39 differs on purpose:
`a..b` is a legal name.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from agent.adapters.workspace.directory import DirectoryWorkspace
from agent.edits.matching import unnumbered
from agent.edits.replace import NotReplaced, Why, replace
from agent.tools.edit import Edited, edit
from agent.tools.grep import Found, grep
from agent.tools.locate import Located, locate
from agent.tools.read import Blank, Page, read
from agent.tools.read import Why as NoRows
from agent.tools.refused import Refused
from agent.tools.write import Created, write
from tests.unit.agent.tools.conftest import Make

F = b"one\ntwo\nthree\n"
C_LIKE = b"int add(int a, int b)\n{\n\tint total = a + b;\n\treturn total;\n}\n"
TREE = {"f.txt": F, "src/names.py": b"BENDCODER_MAX_STEPS = 12\n", "src/other.py": b"import os\n"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    number: int
    name: str
    check: Callable[[DirectoryWorkspace], None]
    files: tuple[tuple[str, bytes], ...] = (("f.txt", F),)
    untracked: tuple[tuple[str, bytes], ...] = ()


def found(work: DirectoryWorkspace, pattern: str, path: str = "") -> Found:
    result = grep(work, pattern, path)
    assert isinstance(result, Found), result.render()
    return result


def edited(work: DirectoryWorkspace, old: str, new: str, after: bytes) -> None:
    assert isinstance(edit(work, "f.txt", old, new), Edited)
    assert work.read("f.txt") == after


def unedited(work: DirectoryWorkspace, old: str, new: str, *said: str) -> None:
    before = work.read("f.txt")
    result = edit(work, "f.txt", old, new)
    assert isinstance(result, Refused)
    assert all(word in result.render() for word in said), result.render()
    assert work.read("f.txt") == before
    assert work.changes() == ()


def case_1(work: DirectoryWorkspace) -> None:
    assert write(work, "not/there/g.txt", F.decode()) == Created(path="not/there/g.txt")
    assert work.read("not/there/g.txt") == F


def case_2(work: DirectoryWorkspace) -> None:
    there, missing = locate(work, "f.txt"), locate(work, "missing.txt")
    assert isinstance(there, Located)
    assert isinstance(missing, Located)
    assert (there.entry is not None, missing.entry is not None) == (True, False)


def case_3(work: DirectoryWorkspace) -> None:
    assert read(work, "f.txt", offset=2, limit=1).render() == "2\ttwo"


def case_7(work: DirectoryWorkspace) -> None:
    edit(work, "f.txt", "two", "TWO")
    assert read(work, "f.txt").render() == "1\tone\n2\tTWO\n3\tthree\n4\t"


def case_11(work: DirectoryWorkspace) -> None:
    unedited(work, "/* adds the two */\n  int total = a + b + 1;", "x", "closest text", "3:\tint total = a + b;")


def case_19(work: DirectoryWorkspace) -> None:
    for new in ("1\tone\n2\tTWO", "1\tone\nTWO", "10.5\tX"):
        assert isinstance(edit(work, "f.txt", "two", new), Refused)
    assert work.read("f.txt") == F


def case_22(work: DirectoryWorkspace) -> None:
    before = work.checkpoint()
    assert isinstance(write(work, "new.txt", "x\n"), Created)
    work.restore(before)
    assert isinstance(read(work, "new.txt"), Refused)
    assert work.changes() == ()


def case_23(work: DirectoryWorkspace) -> None:
    assert found(work, "TWO", "f.txt").render() == "1-one\n2:TWO\n3-three\n4-four"


def case_24(work: DirectoryWorkspace) -> None:
    rows = found(work, "hit", "f.txt").render().split("\n")
    assert rows.count("--") == 1
    assert [row for row in rows if ":" in row] == ["1:hit", "10:hit"]


def case_25(work: DirectoryWorkspace) -> None:
    said = found(work, "BENDCODER_MAX").render()
    assert said == "no matches for 'BENDCODER_MAX'; case-insensitive 1 line:\nf.txt:1:Bendcoder_MAX = 1"


def case_26(work: DirectoryWorkspace) -> None:
    said = found(work, "BENDCODER_STEPS_MAX", "src/names.py").render()
    assert "no matches" in said
    assert "'BENDCODER_' occurs in" in said
    assert "'_MAX' occurs in" in said


def case_27(work: DirectoryWorkspace) -> None:
    said = found(work, "BENDCODER_MAX_STOPS").render()
    assert "'BENDCODER_MAX_ST' occurs in 1 file: src/names.py" in said


def case_28(work: DirectoryWorkspace) -> None:
    assert found(work, "qqzzkkvv").render() == "no matches for 'qqzzkkvv'"


def case_29(work: DirectoryWorkspace) -> None:
    assert found(work, "import os", "src").render() == "src/other.py:1:import os"


def case_30(work: DirectoryWorkspace) -> None:
    assert {match.path for match in found(work, "import os", ".").matches} == {"src/other.py"}


def case_31(work: DirectoryWorkspace) -> None:
    """A folder that is no repository: every file of it is searched. A path outside of the tree is refused."""
    assert {match.path for match in found(work, "o").matches} == {"f.txt", "src/other.py"}
    assert isinstance(grep(work, "o", "/etc"), Refused)


def case_32(work: DirectoryWorkspace) -> None:
    assert isinstance(grep(work, ""), Refused)
    assert isinstance(grep(work, "x", "missing"), Refused)


def case_33(work: DirectoryWorkspace) -> None:
    assert found(work, "needle").matches[0].text == "needle" + "x" * 494 + " ..."


def case_34(work: DirectoryWorkspace) -> None:
    assert found(work, "one").render() == "no matches for 'one'"
    assert found(work, "one", "f.txt").render() == "no matches for 'one'"


def case_35(work: DirectoryWorkspace) -> None:
    assert read(work, "f.txt", offset=5) == Blank(why=NoRows.PAST_END, asked=5, total=4)
    assert "line 5 is past the end: the file has 4 lines" in read(work, "f.txt", offset=5).render()


def case_38(work: DirectoryWorkspace) -> None:
    page = read(work, "f.txt")
    assert unnumbered(page.render()) == F.decode()
    assert unnumbered("9x...") == "9x..."
    assert unnumbered("x...") == "x..."
    assert unnumbered("12:...") == "..."


def case_39(work: DirectoryWorkspace) -> None:
    for path in ("/x", "~x", "../x", "a/../b", ""):
        for result in (read(work, path), write(work, path, "x"), edit(work, path, "", "x"), edit(work, path, "a", "b")):
            assert isinstance(result, Refused), path
    assert work.changes() == ()
    for path in ("src/a.py", "a..b"):
        assert write(work, path, "x") == Created(path=path)


def refuses(old: str, new: str, why: Why, content: bytes = F) -> Callable[[DirectoryWorkspace], None]:
    def check(work: DirectoryWorkspace) -> None:
        result = replace(content, old, new)
        assert isinstance(result, NotReplaced)
        assert result.why is why
        unedited(work, old, new)

    return check


def gives(old: str, new: str, after: bytes) -> Callable[[DirectoryWorkspace], None]:
    return lambda work: edited(work, old, new, after)


def shows(*rows: str) -> Callable[[DirectoryWorkspace], None]:
    def check(work: DirectoryWorkspace) -> None:
        page = read(work, "f.txt")
        assert isinstance(page, Page)
        assert page.rows == rows

    return check


def f(content: bytes) -> tuple[tuple[str, bytes], ...]:
    return (("f.txt", content),)


ALL = tuple(TREE.items())
CASES = [
    Case(number=1, name="write under a missing folder", check=case_1),
    Case(number=2, name="what exists", check=case_2),
    Case(number=3, name="one line of three", check=case_3),
    Case(number=4, name="edit a word", check=gives("two", "TWO", b"one\nTWO\nthree\n")),
    Case(number=5, name="text that is not there", check=refuses("four", "FOUR", Why.ABSENT)),
    Case(number=6, name="the same text", check=refuses("one", "one", Why.SAME)),
    Case(number=7, name="four rows after an edit", check=case_7),
    Case(number=8, name="number and tab", check=gives("3\tthree", "THREE", b"one\ntwo\nTHREE\n")),
    Case(number=9, name="a lone tab", check=gives("\tTHREE", "three", b"one\nthree\n"), files=f(b"one\nTHREE\n")),
    Case(number=10, name="an invented line", check=lambda work: unedited(
        work, "wholly invented words", "x", "nor does any part of it", "wholly invented words")),
    Case(number=11, name="the closest text", check=case_11, files=f(C_LIKE)),
    Case(number=12, name="number and colon of nothing", check=refuses("12:absent", "x", Why.ABSENT)),
    Case(number=13, name="a number that is in the file", check=gives("9\tnine", "NINE", b"NINE\nten\n"),
         files=f(b"9\tnine\nten\n")),
    Case(number=14, name="both texts indented by two more", check=gives("  one\n  two", "  1\n  2", b"1\n2\nthree\n")),
    Case(number=15, name="uneven indentation", check=refuses("  one\n    two", "  1\n    2", Why.ABSENT)),
    Case(number=16, name="two numbered rows", check=refuses("two", "2\tTWO\n3\tX", Why.NUMBERED)),
    Case(number=17, name="one numbered row", check=refuses("two", "2\tTWO\nX", Why.NUMBERED)),
    Case(number=18, name="a decimal number", check=refuses("two", "10.5\tX", Why.NUMBERED)),
    Case(number=19, name="numbered rows change nothing", check=case_19),
    Case(number=20, name="a number inside a line",
         check=gives("two", "version 10.5\tstable", b"one\nversion 10.5\tstable\nthree\n")),
    Case(number=21, name="numbered rows under an indent", check=refuses("  two", "  2\tTWO", Why.NUMBERED)),
    Case(number=22, name="a new file is rolled back", check=case_22),
    Case(number=23, name="neighbours as context", check=case_23, files=f(b"one\nTWO\nthree\nfour\n")),
    Case(number=24, name="two blocks", check=case_24, files=f(b"hit\n" + b"-\n" * 8 + b"hit\n")),
    Case(number=25, name="case", check=case_25, files=f(b"Bendcoder_MAX = 1\n")),
    Case(number=26, name="a shuffled constant", check=case_26, files=(("src/names.py", b"BENDCODER_X = Y_MAX\n"),)),
    Case(number=27, name="a corrupted name", check=case_27, files=ALL),
    Case(number=28, name="random letters", check=case_28, files=ALL),
    Case(number=29, name="a folder", check=case_29, files=ALL),
    Case(number=30, name="tracked files alone", check=case_30, files=ALL, untracked=(("junk.log", b"import os\n"),)),
    Case(number=31, name="no repository, no filter", check=case_31, files=ALL),
    Case(number=32, name="no pattern, no path", check=case_32),
    Case(number=33, name="a line of 700", check=case_33, files=f(b"needle" + b"x" * 694 + b"\n")),
    Case(number=34, name="a NUL", check=case_34, files=f(b"one\0two\n")),
    Case(number=35, name="past the end", check=case_35),
    Case(number=36, name="an empty file", files=f(b""), check=lambda work: _is(
        read(work, "f.txt"), Blank(why=NoRows.EMPTY))),
    Case(number=37, name="mixed endings", check=shows("a", "b", ""), files=f(b"a\r\nb\n")),
    Case(number=38, name="numbers stripped", check=case_38),
    Case(number=39, name="paths", check=case_39),
]  # fmt: skip


def _is(one: object, other: object) -> None:
    assert one == other


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.number}-{case.name}")
def test_pinned_case(case: Case, make: Make) -> None:
    case.check(make(dict(case.files), dict(case.untracked)))


def test_every_case_is_here_once() -> None:
    assert [case.number for case in CASES] == list(range(1, 40))
