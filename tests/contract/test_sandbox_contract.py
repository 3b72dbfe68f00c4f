"""What every sandbox promises, run over each of them."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.adapters.sandbox import sandbox_named
from agent.domain.environment import Environment
from agent.errors import SandboxError
from agent.ports import Box, Limits, Sandbox

QUICK = Limits(seconds=10)
PYTHON = Environment(python="/usr/bin/python3")


@pytest.fixture(params=["local", "bubblewrap"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return sandbox_named(request.param, check=False)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "hello.txt").write_text("hello\n")
    return root


@pytest.fixture
def box(sandbox: Sandbox, tree: Path) -> Iterator[Box]:
    with sandbox.open(tree, PYTHON) as opened:
        yield opened


def test_a_command_runs_in_the_tree_and_its_output_comes_back(box: Box) -> None:
    ran = box.run(["sh", "-c", "cat hello.txt; pwd; echo err >&2; exit 3"], QUICK)
    assert ran.exit_code == 3
    assert not ran.timed_out
    assert ran.output == f"hello\n{box.tree}\nerr\n"
    assert 0 < ran.seconds < 5


def test_a_word_is_one_argument_whatever_it_holds(box: Box) -> None:
    assert box.run(["printf", "%s|", "a b", "$HOME", ";ls", "*"], QUICK).output == "a b|$HOME|;ls|*|"


def test_a_missing_program_is_an_exit_code(box: Box) -> None:
    ran = box.run(["no-such-program-here"], QUICK)
    assert ran.exit_code == 127
    assert "no-such-program-here" in ran.output


def test_death_by_signal_is_told_as_a_shell_tells_it(box: Box) -> None:
    assert box.run(["sh", "-c", "kill -9 $$"], QUICK).exit_code == 137


def test_standard_input_is_empty(box: Box) -> None:
    assert box.run(["cat"], QUICK).exit_code == 0


def test_variables_are_an_allow_list_plus_what_the_caller_gives(sandbox: Sandbox, tree: Path) -> None:
    os.environ["BENDCODER_TEST_SECRET"] = "hunter2"
    try:
        with sandbox.open(tree, Environment(variables=(("FROM_SETUP", "1"),), path=("/opt/tool/bin",))) as box:
            seen = box.run(["env"], QUICK, {"PYTHONHASHSEED": "0"}).output
    finally:
        del os.environ["BENDCODER_TEST_SECRET"]
    names = {line.split("=", 1)[0] for line in seen.splitlines()} - {"PWD"}
    assert names == {
        *("CI", "HOME", "TMPDIR", "PATH", "LANG", "LC_ALL", "TZ", "TERM", "SHELL", "USER", "LOGNAME"),
        *("PYTHONNOUSERSITE", "GIT_OPTIONAL_LOCKS", "FROM_SETUP", "PYTHONHASHSEED"),
    }
    assert "PATH=/opt/tool/bin:/usr/local/bin:/usr/bin" in seen
    assert "hunter2" not in seen


def test_who_asks_whether_anybody_is_there_is_told_that_nobody_is(sandbox: Sandbox, tree: Path) -> None:
    watching = ["sh", "-c", 'test -n "$CI" || sleep 60; echo "CI is $CI"']
    with sandbox.open(tree, PYTHON) as box:
        assert box.run(watching, QUICK).output == "CI is 1\n"
        assert box.run(["printenv", "CI"], QUICK, {"CI": ""}).output == "\n"  # a command may take it back
    with sandbox.open(tree, Environment(variables=(("CI", "true"),))) as box:
        assert box.run(["printenv", "CI"], QUICK).output == "true\n"


def test_home_and_temporary_folder_are_fresh_and_writable_in_every_run(box: Box) -> None:
    script = 'ls -A "$HOME" "$TMPDIR"; echo x > "$HOME/left"; echo x > "$TMPDIR/left"'
    first, second = box.run(["sh", "-c", script], QUICK), box.run(["sh", "-c", script], QUICK)
    assert first.exit_code == second.exit_code == 0
    assert "left" not in first.output + second.output


def test_what_a_run_writes_into_the_tree_stays_for_the_next(box: Box, tree: Path) -> None:
    assert box.run(["sh", "-c", "echo built > made.txt && mkdir d"], QUICK).exit_code == 0
    assert box.run(["cat", "made.txt"], QUICK).output == "built\n"
    assert (tree / "made.txt").read_text() == "built\n"


def test_reports_go_in_and_come_out(box: Box) -> None:
    given = box.give("in.json", b"\x00data")
    assert given == f"{box.reports}/in.json"
    assert box.run(["cp", given, f"{box.reports}/out.bin"], QUICK).exit_code == 0
    assert box.collect("out.bin") == b"\x00data"
    assert box.collect("absent") is None
    assert box.collect("out.bin", limit=4) is None
    box.give("in.json", b"again")
    assert box.run(["cat", given], QUICK).output == "again"


def test_only_plain_files_of_the_report_directory_are_collected(box: Box) -> None:
    script = f"cd {box.reports}; ln -s /etc/passwd link; mkfifo pipe; mkdir folder; echo x > a; ln a b"
    assert box.run(["sh", "-c", script], QUICK).exit_code == 0
    assert [box.collect(name) for name in ("link", "pipe", "folder", "a")] == [None] * 4
    for name in ("../x", "/etc/passwd", "", ".."):
        with pytest.raises(SandboxError):
            box.collect(name)
        with pytest.raises(SandboxError):
            box.give(name, b"")


def test_our_modules_can_be_read_and_the_reports_lie_outside_of_the_tree(box: Box) -> None:
    assert box.run(["test", "-d", box.inside], QUICK).exit_code == 0
    assert not box.reports.startswith(box.tree)


def test_a_command_over_its_limit_is_killed_with_its_children(box: Box) -> None:
    begin = time.monotonic()
    ran = box.run(["sh", "-c", "echo begun; sleep 61 & sleep 61"], Limits(seconds=0.5))
    assert time.monotonic() - begin < 3
    assert ran.timed_out
    assert ran.exit_code is None
    assert ran.output == "begun\n"


def test_a_command_at_its_limit_may_tidy_up(box: Box, tree: Path) -> None:
    tidy = "trap 'echo tidied | tee tidied; exit 0' TERM; while :; do sleep 0.02; done"
    ran = box.run(["sh", "-c", tidy], Limits(seconds=0.4))
    assert (ran.timed_out, ran.exit_code) == (True, None)
    assert ran.output.endswith("tidied\n")  # the shell may tell of its child's end before
    assert (tree / "tidied").read_text() == "tidied\n"


def test_a_command_that_ignores_term_is_killed_all_the_same(box: Box) -> None:
    begin = time.monotonic()
    assert box.run(["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"], Limits(seconds=0.5)).timed_out
    assert time.monotonic() - begin < 4


def test_a_grandchild_in_its_own_session_that_holds_the_output_does_not_hold_the_run(box: Box) -> None:
    begin = time.monotonic()
    ran = box.run(["sh", "-c", "setsid sleep 6 & echo done"], QUICK)
    assert time.monotonic() - begin < 3
    assert ran.exit_code == 0
    assert ran.output == "done\n"


def test_long_output_keeps_its_head_and_tail(box: Box) -> None:
    ran = box.run(["sh", "-c", "echo first; yes x | head -c 3000000; echo last"], Limits(seconds=20, output=2000))
    assert ran.exit_code == 0
    assert ran.output.startswith("first\n")
    assert ran.output.endswith("x\nlast\n")
    assert "bytes left out" in ran.output
    assert len(ran.output) < 2200


def test_output_that_is_not_text_does_no_harm(box: Box) -> None:
    assert box.run(["printf", r"\377\376ok"], QUICK).output == "��ok"


def test_two_boxes_are_strangers(sandbox: Sandbox, tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with sandbox.open(tree, PYTHON) as one, sandbox.open(other, PYTHON) as two:
        one.give("mine", b"1")
        assert two.collect("mine") is None
        assert two.run(["cat", "hello.txt"], QUICK).exit_code != 0
