"""A repository whose tests attack the worker that runs them, through real processes, without a sandbox and within.

Each attack is first seen to succeed: by the same files run plainly, and through a worker that was told to run without
a sandbox. Then a worker with bubblewrap runs them: nothing leaks, nothing outside is written or run, nothing remains.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent.trace import Record, read_trace
from deploy.demo.children import child
from deploy.devhub.client import RepoName
from tests.support.hostile import ATTACKS, Scene, kept, leaks, listening, outcomes, said
from tests.support.house import House, running_house
from worker.contract.job import JobRecord, JobState

pytestmark = [
    pytest.mark.xdist_group("e2e"),
    pytest.mark.slow,
    pytest.mark.redis,
    pytest.mark.sandbox,
    pytest.mark.timeout(300),  # both workers may have to run in the set-up of one test
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]

RUN_SECONDS = 90.0
SUITE_SECONDS = 3.0
MARGIN_SECONDS = 5.0
"""What a run may take beyond its limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job that ended."""

    repo: RepoName
    issue: int
    record: JobRecord
    trace: tuple[Record, ...]
    after: tuple[int, ...]
    """Processes of the scene that were alive when the job had ended."""

    @property
    def seconds(self) -> float:
        """From the first event of the run to its last."""
        return self.trace[-1].at - self.trace[0].at

    @property
    def output(self) -> str:
        """What the suite printed on the base; the trace keeps a long one in a file of its own."""
        output = self.event("baseline")["output"]
        if isinstance(output, Mapping):
            return Path(f"{self.record.trace}.d", str(output["sha256"])).read_text()
        return str(output)

    def event(self, kind: str) -> Mapping[str, object]:
        """Data of the one event of this kind."""
        (found,) = [record.data for record in self.trace if record.kind == kind]
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one worker's jobs did and left."""

    scene: Scene
    attacked: Job
    endless: Job
    heard: tuple[bytes, ...]
    said: Mapping[str, str]
    kept: Mapping[str, str]
    written: tuple[str, ...]
    leftovers: tuple[str, ...]
    """Boxes and checkouts that were not cleaned up."""
    hidden: Mapping[str, str]

    @property
    def outcomes(self) -> dict[str, set[str]]:
        """What the attacks said of themselves while the suite ran on the base."""
        return outcomes(self.attacked.output)


@dataclass(frozen=True, slots=True)
class World:
    """The house without a worker, and the port the attacks call."""

    house: House
    port: int
    heard: list[bytes]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    # pytest's own temporary folders are closed to other users: a box would be kept out by that alone
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with listening() as (port, heard), running_house(folder, workers=0, seconds=str(RUN_SECONDS)) as house:
            yield World(house, port, heard)


@contextmanager
def scenery(world: World, name: str) -> Iterator[Scene]:
    redis_port = int(world.house.settings["BENDCODER_REDIS_URL"].split(":")[2].split("/")[0])
    scene = Scene(
        folder=world.house.folder / name,
        data=world.house.folder / name / "data",
        ports={"listener": world.port, "redis": redis_port},
    )
    scene.prepare()
    try:
        yield scene
    finally:
        scene.end_processes()


def run_job(house: House, scene: Scene, name: str, files: Mapping[str, str]) -> Job:
    repo = house.repository(name, files=files)
    number = house.issue(repo)
    house.hub.add_label(repo, number, "bendcoder", actor="ann")
    record = house.ended(house.job(repo), RUN_SECONDS + MARGIN_SECONDS + 10)
    after = tuple(scene.alive())
    scene.end_processes()
    return Job(repo=repo, issue=number, record=record, trace=tuple(read_trace(Path(record.trace))), after=after)


def serve(world: World, scene: Scene, sandbox: str, generate: str) -> Seen:
    """A worker of its own for two jobs: the suite that attacks, and the one that never ends."""
    house = world.house
    settings = house.settings | scene.variables() | {
        "BENDCODER_SANDBOX": sandbox,
        "BENDCODER_GENERATE": generate,
        "BENDCODER_DATA_DIR": str(scene.data),
    }  # fmt: skip
    with child(f"worker-{sandbox}", ["work", "--concurrency", "1"], settings, house.folder) as worker:
        house.workers[:] = [worker]
        attacked = run_job(house, scene, f"attacking-{sandbox}", scene.attacking())
        endless = run_job(house, scene, f"endless-{sandbox}", scene.endless(SUITE_SECONDS))
    told: dict[str, str] = {}
    for job in (attacked, endless):
        pulls = tuple(pull.number for pull in house.hub.pulls(job.repo))
        told |= {f"{job.repo.name} {place}": text for place, text in said(house, job.repo, (job.issue, *pulls)).items()}
    boxes = (scene.folder / "tmp").glob("bendcoder-*")
    return Seen(
        scene=scene,
        attacked=attacked,
        endless=endless,
        heard=tuple(one for one in world.heard if scene.mark.encode() in one),
        said=told,
        kept=kept(house, scene),
        written=tuple(scene.written()),
        leftovers=tuple(str(path) for path in (*boxes, *(scene.data / "runs").glob("*/*"))),
        hidden={
            "canary": scene.canary,
            "openrouter": scene.openrouter,
            "typesafe": scene.typesafe,
            "private key": settings["BENDCODER_APP_PRIVATE_KEY"],
        },
    )


@pytest.fixture(scope="module")
def unprotected(world: World) -> Iterator[Seen]:
    with scenery(world, "unprotected") as scene:
        yield serve(world, scene, "local", "nothing")


@pytest.fixture(scope="module")
def protected(world: World, unprotected: Seen) -> Iterator[Seen]:
    with scenery(world, "protected") as scene:
        yield serve(world, scene, "bubblewrap", "embedded")


def run_plainly(scene: Scene, tree: Path) -> str:
    """Clone-like folder, real git, the suite as a person would run it; what it printed."""
    for name, text in scene.attacking().items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    output = tree.parent / "output"
    with output.open("wb") as sink:  # a pipe would be held by the grandchild for ever
        subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
            cwd=tree, env={"PATH": "/usr/bin:/bin", **scene.variables()}, stdout=sink, stderr=sink, check=False,
        )  # fmt: skip
    return output.read_text()


def test_run_plainly_each_attack_succeeds(world: World, unprotected: Seen, tmp_path: Path) -> None:
    with scenery(world, "plain") as prepared:
        # the mirror is the one the worker made; everything else is this run's own
        scene = Scene(folder=prepared.folder, data=unprotected.scene.data, ports=prepared.ports)
        try:
            tree = tmp_path / "tree"
            output = run_plainly(scene, tree)
            assert {name for name, how in outcomes(output).items() if "achieved" in how} == ATTACKS, output
            assert scene.alive() != []
            assert leaks({"output": output}, {"canary": scene.canary, "openrouter": scene.openrouter}) != []
            assert any(scene.mark.encode() in one for one in world.heard)
            assert len(scene.written()) == 3
            assert not scene.pwned.exists()
            subprocess.run(["git", "status"], cwd=tree, check=False, capture_output=True)
            assert scene.pwned.exists()  # git that heeds the tree's own configuration runs it
        finally:
            scene.end_processes()


def succeeded(seen: Seen) -> None:
    """Through a worker without a sandbox each attack reaches its aim, as far as a worker's own care does not help."""
    achieved = {name for name, how in seen.outcomes.items() if "achieved" in how}
    assert achieved == ATTACKS
    assert seen.heard != ()
    assert any(str(seen.scene.outside) in place for place in seen.written)
    assert seen.attacked.after != ()
    assert seen.endless.after != ()
    found = "\n".join(leaks(seen.kept, seen.hidden))
    for name in seen.hidden:
        assert name in found  # backwards, where the redactor knows the value


def test_attacks_succeed_through_a_worker_without_a_sandbox(unprotected: Seen) -> None:
    succeeded(unprotected)
    # a suite that cannot be used is shown to people: there the secrets of an unprotected worker are public
    public = leaks(unprotected.said, unprotected.hidden)
    assert "canary (plain) in endless-local comments 1" in public
    # what a worker owes to itself, not to the sandbox: known values are redacted, and git on the host never heeds a
    # tree's configuration
    assert [one for one in public if "(plain)" in one and "canary" not in one] == []
    assert not unprotected.scene.pwned.exists()


def test_attacks_achieve_nothing_through_a_worker_with_bubblewrap(unprotected: Seen, protected: Seen) -> None:
    succeeded(unprotected)
    job, scene = protected.attacked, protected.scene

    assert job.event("run_started")["sandbox"] == "bubblewrap"
    expected = {name: {"refused"} for name in ATTACKS} | {"grandchild": {"achieved"}}  # it may start, not stay
    assert protected.outcomes == expected
    assert job.record.state is JobState.DONE, job.record
    for place in ("pull 2", "comments 1", "checks", "redis", "commits"):
        assert protected.said.get(f"{job.repo.name} {place}"), (place, job.record)  # it went as far as a pull request
    assert leaks({**protected.said, **protected.kept}, protected.hidden) == []
    assert protected.heard == ()
    assert protected.written == ()
    assert not scene.pwned.exists()
    assert job.after == ()
    assert protected.leftovers == ()
    assert job.seconds < RUN_SECONDS + MARGIN_SECONDS


@pytest.mark.parametrize("sandbox", ["local", "bubblewrap"])
def test_a_suite_that_never_ends(sandbox: str, unprotected: Seen, protected: Seen) -> None:
    seen = unprotected if sandbox == "local" else protected
    job = seen.endless

    assert "its parent never ends" in job.output
    assert job.record.state is JobState.FAILED
    assert job.record.outcome == "suite_unusable"
    assert SUITE_SECONDS <= job.seconds < SUITE_SECONDS + MARGIN_SECONDS
    assert (job.after != ()) == (sandbox == "local")


def test_nothing_of_the_attacks_is_alive_once_the_workers_have_ended(protected: Seen) -> None:
    deadline = time.monotonic() + 5
    while protected.scene.alive() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert protected.scene.alive() == []
