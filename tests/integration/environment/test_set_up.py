"""A repository's `setup` makes an environment once; every later run sees it and can change nothing in it."""

import os
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest

from agent.adapters.sandbox import sandbox_named
from agent.adapters.sandbox.egress import Destinations
from agent.adapters.sandbox.setting_up import WayOut
from agent.adapters.workspace.directory import DirectoryCheckouts
from agent.domain.environment import Environment
from agent.ports import Limits, Ran, Sandbox
from tests.support.web import Web, web
from worker.environment import EnvironmentStore, PreparedEnvironments, environment_of
from worker.errors import EnvironmentSetupError

pytestmark = pytest.mark.sandbox

VERIFY = ("python", "-m", "unittest")
Commands = tuple[tuple[str, ...], ...]
SH = ("sh", "-c")


@pytest.fixture
def sandbox() -> Sandbox:
    return sandbox_named("bubblewrap", check=False)


@pytest.fixture
def server() -> Iterator[Web]:
    with web() as running:
        yield running


@pytest.fixture
def project(tmp_path: Path) -> DirectoryCheckouts:
    root = tmp_path / "project"
    root.mkdir()
    (root / "sums.py").write_text("def add(a, b):\n    return a + b\n")
    (root / "counter.sh").write_text('echo run >> "$BENDCODER_ENV/runs"\ncp sums.py "$BENDCODER_ENV/seen"\n')
    return DirectoryCheckouts(root)


Make = Callable[..., PreparedEnvironments]


@pytest.fixture
def make(sandbox: Sandbox, tmp_path: Path) -> Iterator[Make]:
    """Makes what a worker process has; several of them share one folder."""
    stores: list[EnvironmentStore] = []

    def build(**more: object) -> PreparedEnvironments:
        store = EnvironmentStore(tmp_path / "environments")
        stores.append(store)
        return PreparedEnvironments(sandbox, sys.executable, store=store, **more)  # type: ignore[arg-type]

    yield build
    for store in stores:
        store.release()


def run(sandbox: Sandbox, project: DirectoryCheckouts, environment: Environment, script: str) -> Ran:
    with project.base() as base, sandbox.open(base.path, environment) as box:
        return box.run(["sh", "-c", script], Limits(seconds=20))


def test_what_set_up_made_is_seen_and_cannot_be_changed(
    sandbox: Sandbox, project: DirectoryCheckouts, make: Make
) -> None:
    environment = make().prepare(project, (("sh", "counter.sh"),), VERIFY)
    folder = dict(environment.variables)["BENDCODER_ENV"]
    got = run(
        sandbox, project, environment, 'cat "$BENDCODER_ENV/seen"; echo more >> "$BENDCODER_ENV/runs" || echo refused'
    )
    assert "return a + b" in got.output
    assert "refused" in got.output
    assert run(sandbox, project, environment, 'touch "$BENDCODER_ENV/new" || echo refused').output.endswith("refused\n")
    assert sorted(path.name for path in Path(folder).iterdir()) == ["runs", "seen"]
    assert (Path(folder) / "runs").read_text() == "run\n"


def test_later_runs_have_no_network_even_so(
    sandbox: Sandbox, project: DirectoryCheckouts, make: Make, server: Web
) -> None:
    environment = make().prepare(project, ((*SH, "env > {env}/variables"),), VERIFY)
    script = (
        "import os, socket\n"
        "print([name for name in os.environ if 'proxy' in name.lower()], os.path.exists('/bendcoder/egress'))\n"
        f"for where in (('127.0.0.1', {server.port}), ('1.1.1.1', 443)):\n"
        "    try: socket.create_connection(where, 3); print('REACHED')\n"
        "    except OSError: print('no')\n"
    )
    with project.base() as base, sandbox.open(base.path, environment) as box:
        assert box.run([sys.executable, "-c", script], Limits(seconds=20)).output == "[] False\nno\nno\n"
    folder = Path(dict(environment.variables)["BENDCODER_ENV"])
    assert "HTTPS_PROXY=http://127.0.0.1:" in (folder / "variables").read_text()


def test_a_second_job_uses_what_the_first_made(project: DirectoryCheckouts, make: Make, tmp_path: Path) -> None:
    first = make().prepare(project, (("sh", "counter.sh"),), VERIFY)
    again = make().prepare(project, (("sh", "counter.sh"),), VERIFY)
    assert first == again
    folder = Path(dict(first.variables)["BENDCODER_ENV"])
    assert (folder / "runs").read_text() == "run\n"
    other = make().prepare(project, (("sh", "counter.sh"), ("true",)), VERIFY)
    assert other != first
    (tmp_path / "project/sums.py").write_text("def add(a, b):\n    return b + a\n")
    changed = DirectoryCheckouts(tmp_path / "project")
    assert make().prepare(changed, (("sh", "counter.sh"),), VERIFY) not in (first, other)


def test_two_jobs_at_once_make_it_once(project: DirectoryCheckouts, make: Make) -> None:
    slow = ((*SH, "sleep 1; echo run >> {env}/runs"),)
    found: list[Environment] = []

    def job() -> None:
        environments = make()
        found.append(environments.prepare(project, slow, VERIFY))
        environments.prepare(project, None, VERIFY)  # lets go of it

    threads = [threading.Thread(target=job) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found[0] == found[1]
    assert (Path(dict(found[0].variables)["BENDCODER_ENV"]) / "runs").read_text() == "run\n"


def test_a_failing_set_up_names_the_setting_and_shows_its_output(
    project: DirectoryCheckouts, make: Make, tmp_path: Path
) -> None:
    script = 'echo "no compiler here"; touch {env}/half; exit 3'
    with pytest.raises(
        EnvironmentSetupError, match=r"`setup` in \.github/bendcoder\.yml failed: .* exit code 3"
    ) as caught:
        make().prepare(project, (("true",), (*SH, script)), VERIFY)
    assert caught.value.args[1] == "no compiler here\n"
    assert list((tmp_path / "environments").iterdir()) == []


def test_what_the_proxy_refused_is_told(project: DirectoryCheckouts, make: Make) -> None:
    fetch = "import urllib.request as u; u.urlopen('http://169.254.169.254/latest')"
    with pytest.raises(EnvironmentSetupError) as caught:
        make().prepare(project, (("python", "-c", fetch),), VERIFY)
    assert caught.value.args[1].endswith(
        "bendcoder: 169.254.169.254:80 was refused: it resolves to 169.254.169.254, which is not a public address\n"
    )


def test_a_set_up_that_does_not_end_is_ended(project: DirectoryCheckouts, make: Make) -> None:
    with pytest.raises(EnvironmentSetupError, match=r"did not end within 1 s"):
        make(seconds=30).prepare(project, ((*SH, "echo begun; sleep 60"),), VERIFY, 1.0)
    with pytest.raises(EnvironmentSetupError, match=r"did not end within 1 s"):
        make(seconds=1.0).prepare(project, (("sleep", "0.7"), ("sleep", "0.7")), VERIFY, 900.0)


def test_set_up_writes_into_its_own_folder_alone(
    sandbox: Sandbox, project: DirectoryCheckouts, make: Make, tmp_path: Path
) -> None:
    victim = tmp_path / "environments/victim"
    victim.mkdir(parents=True)
    script = (
        f"for place in {tmp_path}/out {victim}/out {tmp_path}/environments/x.ready /usr/out /etc/out"
        f" {sys.prefix}/out /bendcoder/inside/out /bendcoder/egress/out /bendcoder/out; do\n"
        "  echo x > $place && echo WROTE $place\n"
        "done 2>/dev/null; rm -rf {env} 2>/dev/null; test -d {env} && touch {env}/kept; touch tree-file; exit 9"
    )
    with pytest.raises(EnvironmentSetupError) as caught:
        make().prepare(project, ((*SH, script),), VERIFY)
    assert "WROTE" not in caught.value.args[1]
    assert not list(tmp_path.rglob("out"))
    assert not list(tmp_path.rglob("*.ready"))
    assert sorted(path.name for path in (tmp_path / "project").iterdir()) == ["counter.sh", "sums.py"]


def test_links_and_odd_files_it_leaves_show_nothing_of_the_host(
    sandbox: Sandbox, project: DirectoryCheckouts, make: Make, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    (secret / "bin").mkdir(parents=True)
    (secret / "key").write_text("hunter2")
    (secret / "key").chmod(0o600)
    (secret / "bin/python3").symlink_to(sys.executable)
    script = (
        f"mkdir -p bin locked; ln -s {secret}/bin/python3 bin/python; ln -s {secret} folder; ln -s {secret}/key key;"
        f" echo 'home = {secret}/bin' > pyvenv.cfg; mkfifo pipe; echo x > tool; chmod 6755 tool; echo y > locked/z;"
        " chmod 000 locked/z locked"
    )
    environment = make().prepare(project, ((*SH, f"cd {{env}}; {script}"),), ("make", "test"))
    folder = Path(dict(environment.variables)["BENDCODER_ENV"])
    assert str(secret) not in " ".join(environment.readonly)
    assert environment.readonly == (*environment_of(sys.executable).readonly, str(folder))
    assert (secret / "key").stat().st_mode & 0o777 == 0o600
    assert (folder / "tool").stat().st_mode & 0o7777 == 0o555
    assert not (folder / "pipe").exists()
    got = run(
        sandbox,
        project,
        environment,
        'cat "$BENDCODER_ENV/key" "$BENDCODER_ENV/folder/key"; cat "$BENDCODER_ENV/locked/z"',
    )
    assert "hunter2" not in got.output
    assert got.output.endswith("y\n")
    if os.geteuid() == 0:
        assert {path.lstat().st_uid for path in folder.rglob("*")} == {0}


def test_too_much_is_not_kept(project: DirectoryCheckouts, make: Make, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentSetupError, match="more than the 1 MB allowed"):
        make(largest=1024**2).prepare(project, ((*SH, "head -c 3000000 /dev/zero > {env}/big"),), VERIFY)
    assert list((tmp_path / "environments").iterdir()) == []


def test_without_set_up_nothing_changes(project: DirectoryCheckouts, make: Make, tmp_path: Path) -> None:
    assert make().prepare(project, None, VERIFY) == environment_of(sys.executable)
    assert not (tmp_path / "environments").exists()


def test_an_installation_that_cannot_set_up_says_so(sandbox: Sandbox, project: DirectoryCheckouts) -> None:
    with pytest.raises(EnvironmentSetupError, match="`setup` could not be run: this installation has no folder"):
        PreparedEnvironments(sandbox, sys.executable).prepare(project, (("true",),), VERIFY)
    container = sandbox_named("container:x", check=False)
    with pytest.raises(EnvironmentSetupError, match="the container sandbox cannot run set-up"):
        PreparedEnvironments(container, sys.executable, store=EnvironmentStore(Path("/nonexistent"))).prepare(
            project, (("true",),), VERIFY
        )


def test_the_sandbox_that_is_none_sets_up_as_well(project: DirectoryCheckouts, tmp_path: Path) -> None:
    store = EnvironmentStore(tmp_path / "environments")
    environments = PreparedEnvironments(sandbox_named("local"), sys.executable, store=store)
    environment = environments.prepare(project, (("sh", "counter.sh"),), VERIFY)
    got = run(sandbox_named("local"), project, environment, 'cat "$BENDCODER_ENV/runs"')
    store.release()
    assert got.output == "run\n"


def wheel() -> bytes:
    """A pure Python wheel of one module."""
    name = "numbersworld-1.0.dist-info"
    files = {
        "numbersworld.py": "ANSWER = 42\n",
        f"{name}/METADATA": "Metadata-Version: 2.1\nName: numbersworld\nVersion: 1.0\n",
        f"{name}/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in (*files, f"{name}/RECORD"))
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in {**files, f"{name}/RECORD": record}.items():
            archive.writestr(path, text)
    return buffer.getvalue()


@pytest.mark.slow
def test_a_virtual_environment_with_a_package_from_an_index(
    sandbox: Sandbox, project: DirectoryCheckouts, make: Make, server: Web, tmp_path: Path
) -> None:
    file = "numbersworld-1.0-py3-none-any.whl"
    server.files["/simple/numbersworld/"] = f'<html><body><a href="/{file}">{file}</a></body></html>'.encode()
    server.files[f"/{file}"] = wheel()
    index = f"http://index.example:{server.port}/simple"
    rules = Destinations(resolve=lambda name, port: ["127.0.0.1"], also=(("index.example", server.port),))
    (tmp_path / "project/requirements.txt").write_text("numbersworld==1.0\n")
    setup = (
        ("python", "-m", "venv", "{env}"),
        ("pip", "install", "-q", "--index-url", index, "--trusted-host", "index.example", "-r", "requirements.txt"),
    )
    project = DirectoryCheckouts(tmp_path / "project")
    environment = make(way_out=WayOut(destinations=rules)).prepare(project, setup, VERIFY)
    assert environment.python == f"{dict(environment.variables)['VIRTUAL_ENV']}/bin/python"
    with project.base() as base, sandbox.open(base.path, environment) as box:
        ran = box.run(
            [environment.python, "-c", "import numbersworld, sums; print(sums.add(numbersworld.ANSWER, 1))"],
            Limits(seconds=20),
        )
    assert ran.output == "43\n"
