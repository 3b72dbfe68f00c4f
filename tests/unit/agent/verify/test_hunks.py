import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.edit import Change
from agent.domain.suite import Spectrum
from agent.edits.diff import unified
from agent.verify.hunks import IMPORT_KEY, Covered, changed_lines, coverage, hunks_of, labels


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n", (2,)),
        (b"a\nb\nc\n", b"a\nc\n", (1, 2)),
        (b"a\nb\n", b"a\n", (1,)),
        (b"a\nb\n", b"b\n", (1,)),
        (b"", b"a\nb\n", (1, 2)),
        (b"a\nb\n", b"a\nx\nb\ny\n", (2, 4)),
        (b"a\n", b"a\n", ()),
        (b"a", b"a\n", (1,)),
        (b"a\r\nb\r\n", b"a\r\nB\r\n", (2,)),
    ],
)
def test_changed_lines(before, after, lines):
    assert changed_lines(before, after) == lines


@given(st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n"])), st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n"])))
def test_changed_lines_lie_in_the_new_text_and_are_there_when_something_changed(before, after):
    lines = changed_lines(b"".join(before), b"".join(after))
    assert all(1 <= line <= len(after) for line in lines)
    assert bool(lines) == (before != after and bool(after))


OLD = """\
import json

LIMIT = 3


def first(a):
    # a comment
    if a > LIMIT:
        return a
    return json.dumps(
        a,
    )


class Box:
    size = 1

    @property
    def wide(self):
        return self.size
"""


def hunks(old, new):
    assert old in OLD
    found = hunks_of(Change(path="a.py", before=OLD.encode(), after=OLD.replace(old, new).encode()))
    assert found is not None
    return [(sorted(hunk.lines), hunk.at_import) for hunk in found]


def test_a_changed_statement_stands_for_all_its_lines():
    assert hunks("        a,\n", "        a + 1,\n") == [([10, 11, 12], False)]


def test_a_changed_condition_stands_for_its_head_alone():
    assert hunks("a > LIMIT", "a >= LIMIT") == [([8], False)]


def test_constants_class_attributes_and_signatures_run_at_import():
    assert hunks("LIMIT = 3", "LIMIT = 4") == [([3], True)]
    assert hunks("size = 1", "size = 2") == [([16], True)]
    assert hunks("def first(a)", "def first(a, b=1)") == [([6, 7], True)]
    assert hunks("@property", "@staticmethod") == [([18, 19], True)]


def test_a_function_without_a_name_is_not_run_by_an_import():
    assert hunks("LIMIT = 3", "LIMIT = 3\ntwice = lambda a: a * 2") == [([4], False)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"".join(b"x%d = 1\n" % n for n in range(12_000))),
        (b"x = 1\ny = 2\n" * 3_000, b"y = 2\nx = 1\n" * 3_000),
    ],
    ids=["a generated file", "rows that are all alike"],
)
def test_a_change_of_megabytes_holds_nobody_up(before, after):
    """Printed whole or gone over line by line for each line, such a patch once took longer than its run had."""
    begin = time.process_time()
    found = hunks_of(Change(path="a.py", before=before, after=after))
    assert unified([Change(path="a.py", before=before, after=after)]).count("\n+")
    assert time.process_time() - begin < 3  # 0.3 s each; it was 12 s and 7 s
    assert found is not None
    assert sum(len(hunk.lines) for hunk in found) >= 6_000


def test_comments_cannot_run():
    assert hunks_of(Change(path="a.py", before=b"x = 1\n", after=b"x = 1\n\n# done\n")) == ()


def test_a_new_function_needs_its_body_to_run_and_not_only_its_head():
    found = hunks("class Box", "def second(b):\n    return b\n\n\nclass Box")
    assert found == [([15], True), ([16], False)]


def test_a_deletion_stands_for_its_neighbours():
    assert hunks("    if a > LIMIT:\n        return a\n", "") == [([6, 7], True), ([8, 9, 10], False)]


def test_what_is_not_python_has_no_hunks():
    assert hunks_of(Change(path="a.py", before=b"", after=b"def (")) is None
    assert hunks_of(Change(path="a.py", before=b"x = 1\n", after=None)) is None


CHANGE = Change(path="a.py", before=OLD.encode(), after=OLD.replace("LIMIT = 3", "LIMIT = 4").encode())
BODY = Change(path="a.py", before=OLD.encode(), after=OLD.replace("return a\n", "return -a\n").encode())


def spectrum(**lines):
    return Spectrum(lines={test: {"a.py": frozenset(found)} for test, found in lines.items()})


def ran(change, seen, passing):
    found = hunks_of(change)
    assert found is not None
    return [one.ran for one in coverage(found, seen, frozenset(passing))]


def test_a_line_counts_only_inside_a_passing_test():
    assert ran(BODY, spectrum(t=[9]), ["t"]) == [True]
    assert ran(BODY, spectrum(t=[9]), []) == [False]
    assert ran(BODY, spectrum(t=[8], u=[9]), ["t"]) == [False]


def test_an_import_counts_for_module_level_only_and_beside_a_passing_test():
    seen = Spectrum(lines={IMPORT_KEY: {"a.py": frozenset({3, 9})}, "t": {}})
    assert ran(CHANGE, seen, ["t"]) == [True]
    assert ran(CHANGE, seen, ["u"]) == [False]
    assert ran(BODY, seen, ["t"]) == [False]


def test_labels():
    a, b, c = (Change(path=path, before=b"", after=b"x") for path in ("a.py", "b.py", "c.md"))
    covered = [
        Covered(path="a.py", begin=1, end=1, ran=True),
        Covered(path="b.py", begin=1, end=1, ran=True),
        Covered(path="b.py", begin=5, end=5, ran=False),
    ]
    assert labels([a, b, c], covered) == {"a.py": "covered", "b.py": "not covered", "c.md": "unknown"}
    assert labels([a], None) == {"a.py": "unknown"}
