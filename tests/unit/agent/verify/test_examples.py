"""Which texts go back to the base's for one more run: nothing here runs an example."""

import pytest

from agent.domain.edit import Change
from agent.verify.examples import with_old_texts

NONE = frozenset()
DOC = b'''"""Sums.

>>> 1 + 1
2
"""


class A:
    "Plain."

    def add(self, a, b):
        """Sum.

        >>> A().add(2, 3)
        5
        """
        return a - b
'''


def back(before, after, path="calc.py"):
    paths, kept = with_old_texts([Change(path=path, before=before, after=after)], NONE)
    assert paths in ((), (path,))
    return bool(paths), kept[0].after if kept else None


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_examples_go_back_and_the_code_around_them_stays(mark, ending):
    fixed = DOC.replace(b"a - b", b"a + b")
    wrong = fixed.replace(b"5\n", b"-1\n        >>> 7\n").replace(b"1 + 1\n2", b"1 + 1\n3")
    base, after, wanted = (mark + text.replace(b"\n", ending) for text in (DOC, wrong, fixed))
    assert back(base, after) == (True, wanted)


@pytest.mark.parametrize(
    "after",
    [
        DOC.replace(b"a - b", b"a + b"),
        DOC.replace(b"Plain.", b"Other."),
        DOC + b'\n\ndef more():\n    """>>> more()\n    3\n    """\n',
        b"def (",
        None,
    ],
    ids=["code", "no example", "a new one", "no Python", "deleted"],
)
def test_where_no_example_of_the_base_changed_all_stays(after):
    assert back(DOC, after) == (False, after)


def test_an_example_that_is_no_longer_there_is_not_put_into_other_code():
    gone = DOC[: DOC.index(b"\n    def add")]
    assert back(DOC, gone) == (False, gone)  # that its test is gone is seen from the reports


def test_prose_goes_back_whole_and_new_prose_is_left_out():
    assert back(b"5", b"-1", "golden/out.md") == (True, None)
    assert back(None, b"-1", "docs/new.rst") == (True, None)


def test_a_test_path_is_put_back_elsewhere():
    changes = (Change(path="tests/readme.md", before=b"1", after=b"2"),)
    assert with_old_texts(changes, NONE) == ((), changes)
