"""Paths by pattern: what fits, in order and bounded, and patterns that are none."""

import time

import pytest

from agent.tools.glob import MAX_PATHS, Listed, glob
from agent.tools.refused import Refused
from tests.unit.agent.tools.conftest import Make

FILES = ("README.md", "src/a.py", "src/b.ts", "src/deep/er/c.py", "src/deep/[x].py", "test/a.py", ".github/ci.yml")


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("src/*.py", ["src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/deep/[x].py", "src/deep/er/c.py"]),
        ("**/a.py", ["src/a.py", "test/a.py"]),
        ("a.py", ["src/a.py", "test/a.py"]),
        ("./README.md", ["README.md"]),
        ("*.md", ["README.md"]),
        ("./*.py", []),
        ("src/", ["src/a.py", "src/b.ts", "src/deep/[x].py", "src/deep/er/c.py"]),
        ("src/**", ["src/a.py", "src/b.ts", "src/deep/[x].py", "src/deep/er/c.py"]),
        ("src/*.{ts,py}", ["src/a.py", "src/b.ts"]),
        ("{src,test}/a.py", ["src/a.py", "test/a.py"]),
        ("src/?.ts", ["src/b.ts"]),
        ("src/[!a].*", ["src/b.ts"]),
        ("src/deep/[[]x].py", ["src/deep/[x].py"]),
        ("**/ci.yml", [".github/ci.yml"]),
        ("SRC/*.py", []),
        ("src/**/**/c.py", ["src/deep/er/c.py"]),
        ("src/{a.py", []),
    ],
)
def test_a_pattern_lists_what_fits_in_order(make: Make, pattern: str, paths: list[str]) -> None:
    listed = glob(make(dict.fromkeys(FILES, b"")), pattern)

    assert isinstance(listed, Listed)
    assert list(listed.paths) == paths
    assert listed.render() == ("\n".join(paths) or f"no tracked path fits {pattern!r}")


def test_the_run_s_own_files_are_listed_and_untracked_ones_are_not(make: Make) -> None:
    work = make({"a.py": b"", "b.py": b""}, {"junk.py": b""})
    work.write("new.py", b"")
    work.delete("b.py")

    assert glob(work, "*.py").render() == "a.py\nnew.py"


def test_a_long_list_is_cut_and_says_so(make: Make) -> None:
    listed = glob(make({f"f{number:03}.py": b"" for number in range(MAX_PATHS + 7)}), "*.py")

    assert listed.render().endswith("f199.py\n7 more: narrow the pattern")


@pytest.mark.parametrize("pattern", ["", "/etc/*", "../*", "src/../../*", "~/x", "x" * 501, "{a,b}" * 7])
def test_what_is_no_pattern_is_refused(make: Make, pattern: str) -> None:
    assert isinstance(glob(make({"a.py": b""}), pattern), Refused)


def test_names_with_newlines_are_one_row_each(make: Make) -> None:
    assert glob(make({"a\nb.py": b""}), "*.py").render() == "a\\nb.py"


def test_stars_upon_stars_do_not_take_for_ever(make: Make) -> None:
    work = make({"/".join(["a" * 20] * 40): b""})
    begin = time.perf_counter()

    assert glob(work, "**/*a*a*a*a*a*b/" * 20 + "*a*a*b").render().startswith("no tracked path")
    assert time.perf_counter() - begin < 1.0
