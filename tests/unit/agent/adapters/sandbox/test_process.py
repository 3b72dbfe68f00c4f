"""The runner's corners the sandbox contract does not reach."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.adapters.sandbox.process import HeadAndTail, run_group
from agent.errors import SandboxError
from agent.ports import Limits


@given(st.lists(st.text("ab\n", max_size=40).map(str.encode), max_size=30), st.integers(min_value=0, max_value=60))
def test_head_and_tail_are_exact_and_bounded(chunks: list[bytes], cap: int) -> None:
    keeper = HeadAndTail(cap)
    for chunk in chunks:
        keeper.feed(chunk)
    whole, half = b"".join(chunks), cap // 2
    if len(whole) <= 2 * half:
        assert keeper.text() == whole.decode("ascii")
    else:
        head, tail = whole[:half].decode("ascii"), whole[len(whole) - half :].decode("ascii")
        assert keeper.text() == f"{head}\n[... {len(whole) - 2 * half} bytes left out ...]\n{tail}"


def test_endless_output_takes_no_memory() -> None:
    keeper = HeadAndTail(1000)
    for _ in range(1000):
        keeper.feed(b"x" * 65536)
    assert len(keeper.text()) < 1100
    assert sys.getsizeof(keeper._tail) < 200_000


def test_a_flood_is_cut_when_its_command_is_ended_as_well(tmp_path: Path) -> None:
    ran = run_group(
        ["yes"], cwd=tmp_path, variables={"PATH": "/bin:/usr/bin"}, limits=Limits(seconds=0.2, output=1000), grace=0.1
    )
    assert ran.timed_out
    assert "bytes left out" in ran.output
    assert len(ran.output) < 1100


def test_an_impossible_start_is_an_error_of_the_sandbox(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"\0not a program")
    (tmp_path / "data").chmod(0o755)
    for argv in ([str(tmp_path / "data")], ["echo", "nul\0byte"]):
        with pytest.raises(SandboxError, match="nothing was run"):
            run_group(argv, cwd=tmp_path, variables={"PATH": "/bin:/usr/bin"}, limits=Limits(seconds=5))


def test_no_descriptor_is_left_behind(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for argv in (["true"], ["no-such-program"], ["sleep", "9"]):
        run_group(argv, cwd=tmp_path, variables={"PATH": "/bin:/usr/bin"}, limits=Limits(seconds=0.2), grace=0.1)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_an_interrupted_run_kills_its_command(tmp_path: Path) -> None:
    seen: list[int] = []

    def interrupt(pid: int) -> None:
        seen.append(pid)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_group(
            ["sleep", "60"],
            cwd=tmp_path,
            variables={"PATH": "/bin:/usr/bin"},
            limits=Limits(seconds=60),
            started=interrupt,
        )
    assert not Path(f"/proc/{seen[0]}").exists()


@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
@pytest.mark.parametrize("place", [0, 300, 460, 499, 505, 700, 2000, 4990])
def test_lines_with_the_word_outlive_a_flood(chunk: int, place: int) -> None:
    stream = b"x" * place + b"\nseal 1\n" + b"seal 2\n" * 50 + b"y" * (5000 - place) + b"\n"
    keeper = HeadAndTail(1000, b"seal")
    for begin in range(0, len(stream), chunk):
        keeper.feed(stream[begin : begin + chunk])
    lines = keeper.text().splitlines()
    assert "seal 1" in lines
    assert "seal 2" in lines
    assert lines.count("seal 1") <= 2
