"""The same sandbox for an ordinary user: a user namespace instead of a dropped id. Run as one, in a child process."""

import os
import shutil
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent.adapters.sandbox.bubblewrap import BubblewrapSandbox
from agent.adapters.sandbox.local import INSIDE
from agent.adapters.sandbox.setting_up import WayOut, run_setup, seal
from agent.adapters.workspace.paths import remove_tree
from agent.domain.environment import Environment
from agent.ports import Box, Limits

pytestmark = pytest.mark.sandbox

SOMEBODY = 12_345
QUICK = Limits(seconds=20)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder of the ordinary user's, with a copy of our modules (the checkout may lie where they cannot read)."""
    folder = Path(tempfile.mkdtemp(prefix="somebody-"))
    shutil.copytree(INSIDE, folder / "inside")
    (folder / "tree").mkdir()
    (folder / "tree/hello.txt").write_text("hello\n")
    (folder / "boxes").mkdir()
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, SOMEBODY, SOMEBODY)
    yield folder
    remove_tree(folder)


def as_somebody(work: Callable[[], None]) -> None:
    """Run `work` as an ordinary user: in a forked child when we are root, whose failure is this test's failure."""
    if os.geteuid() != 0:
        work()
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pytest's own threads do not matter to the child
        child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgroups([])
            os.setresgid(SOMEBODY, SOMEBODY, SOMEBODY)
            os.setresuid(SOMEBODY, SOMEBODY, SOMEBODY)
            work()
            code = 0
        except BaseException:  # noqa: BLE001 - whatever it was, the parent must hear of it and pytest must not go on
            traceback.print_exc()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def in_a_box(place: Path, check: Callable[[Box], None]) -> None:
    def work() -> None:
        sandbox = BubblewrapSandbox(parent=place / "boxes", inside=place / "inside")
        with sandbox.open(place / "tree", Environment()) as box:
            check(box)

    # once as ourselves: what Python imports on first use may lie where an ordinary user cannot read
    with tempfile.TemporaryDirectory() as warm, BubblewrapSandbox().open(Path(warm), Environment()) as box:
        box.run(["true"], QUICK)
    as_somebody(work)


def test_commands_run_and_the_tree_stays_theirs(place: Path) -> None:
    def check(box: Box) -> None:
        ran = box.run(["sh", "-c", "id -un; cat hello.txt; echo x > made; git log --format=%s; git status -s"], QUICK)
        assert ran.output == "bendcoder\nhello\nbase\n?? made\n"
        box.give("in", b"data")
        assert box.run(["cp", f"{box.reports}/in", f"{box.reports}/out"], QUICK).exit_code == 0
        assert box.collect("out") == b"data"

    in_a_box(place, check)
    assert (place / "tree/made").stat().st_uid == (SOMEBODY if os.geteuid() == 0 else os.geteuid())
    assert list((place / "boxes").iterdir()) == []


def test_the_host_is_out_of_reach(place: Path) -> None:
    def check(box: Box) -> None:
        script = (
            f"ls {place} 2>&1; unshare -U true 2>&1; cat /proc/net/dev | wc -l;"
            "touch .git/x /usr/x /bendcoder/x 2>/dev/null && echo written"
        )
        said = box.run(["sh", "-c", script], QUICK).output
        assert "No such file" in said.splitlines()[0]
        assert "unshare" in said.splitlines()[1]
        assert said.splitlines()[2:] == ["3"]  # two lines of heading and the loopback

    in_a_box(place, check)


def test_limits_hold(place: Path) -> None:
    def check(box: Box) -> None:
        assert box.run(["sh", "-c", "setsid sleep 777 & sleep 778"], Limits(seconds=0.5)).timed_out
        big = box.run(["sh", "-c", "head -c 3000000 /dev/zero > big"], Limits(seconds=20, file_size=1_000_000))
        assert big.exit_code != 0
        hog = "/usr/bin/python3 -c 'x = bytearray(300 * 2**20); print(\"taken\")'"
        assert "taken" in box.run(["sh", "-c", hog], QUICK).output
        assert "taken" not in box.run(["sh", "-c", hog], Limits(seconds=20, memory=100 * 2**20)).output
        bomb = "for i in $(seq 200); do sleep 5 & done; jobs | wc -l"
        ran = box.run(["sh", "-c", bomb], Limits(seconds=3, processes=30))
        assert "annot fork" in ran.output

    in_a_box(place, check)
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not any(b"\x00777" in line or b"\x00778" in line for line in running)


def test_set_up_makes_its_folder_and_has_the_proxy_alone(place: Path) -> None:
    made = place / "made"
    made.mkdir()
    if os.geteuid() == 0:
        os.chown(made, SOMEBODY, SOMEBODY)
    script = (
        "mkdir {env}/locked; echo x > {env}/locked/file; chmod 000 {env}/locked; env | grep -c -i _proxy=http;"
        f"echo x > {place}/out; echo x > /bendcoder/egress/out; cat /proc/net/dev | wc -l; exit 5"
    )

    def work() -> None:
        sandbox = BubblewrapSandbox(parent=place / "boxes", inside=place / "inside")
        environment = Environment(python="/usr/bin/python3")
        ended = run_setup(
            sandbox, place / "tree", environment, made, [("sh", "-c", script)], seconds=20, way_out=WayOut()
        )
        assert ended.ran is not None
        assert ended.ran.exit_code == 5
        lines = ended.ran.output.splitlines()
        assert (lines[0], lines[-1]) == ("4", "3")
        assert seal(made) > 0
        assert (made / "locked/file").read_text() == "x\n"

    with tempfile.TemporaryDirectory() as warm, BubblewrapSandbox().open(Path(warm), Environment()) as box:
        box.run(["true"], QUICK)
    as_somebody(work)
    assert not (place / "out").exists()
