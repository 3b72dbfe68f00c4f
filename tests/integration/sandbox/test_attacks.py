"""What a hostile repository's tests could do: each attack first succeeds without a sandbox, then fails inside one.

Everything runs within its limit plus 5 s, and no process of an attack remains.
"""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent.adapters.sandbox import sandbox_named
from agent.adapters.workspace.directory import DirectoryCheckouts
from agent.domain.environment import Environment
from agent.ports import Limits, Ran, Sandbox

pytestmark = pytest.mark.sandbox

PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
MEBIBYTE = 1024**2


@pytest.fixture
def marker() -> Iterator[str]:
    """A word no other process has in its command line; whoever still has it afterwards is killed."""
    word = f"attack-{secrets.token_hex(8)}"
    yield word
    for pid in alive(word):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def none() -> Sandbox:
    return sandbox_named("local")


@pytest.fixture
def sandbox() -> Sandbox:
    return sandbox_named("bubblewrap", check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "module.py").write_text("x = 1\n")
    return root


def alive(marker: str) -> list[int]:
    """Processes of this machine with the marker in their command line."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and marker.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def attack(sandbox: Sandbox, project: Path, script: str, marker: str = "", limits: Limits | None = None) -> Ran:
    """Run a Python script as a repository's test would run, on a clean checkout; within the limit plus 5 s."""
    limits = limits or Limits(seconds=20)
    begin = time.monotonic()
    with DirectoryCheckouts(project).base() as base, sandbox.open(base.path, Environment(python=PYTHON)) as box:
        ran = box.run([PYTHON, "-c", script, marker], limits)
    assert time.monotonic() - begin < limits.seconds + 5
    return ran


def test_printing_the_environment(none: Sandbox, sandbox: Sandbox, project: Path, marker: str) -> None:
    os.environ["BENDCODER_APP_PRIVATE_KEY"] = marker
    parents = (
        "import os, pathlib\n"
        "print(dict(os.environ))\n"
        "for p in pathlib.Path('/proc').iterdir():\n"
        "    try: print((p / 'environ').read_bytes())\n"
        "    except OSError: pass\n"
    )
    try:
        plain = subprocess.run([PYTHON, "-c", parents], capture_output=True, text=True, check=True)
        assert marker in plain.stdout
        # a scrubbed environment alone does not help while the parent's can be read in /proc, where the kernel
        # shows what a process was started with: here, a child that was handed the secret
        holder = subprocess.Popen([PYTHON, "-c", "input()"], stdin=subprocess.PIPE, env=dict(os.environ))
        try:
            big = Limits(seconds=20, output=20_000_000)
            assert marker in attack(none, project, parents, limits=big).output
            assert marker not in attack(sandbox, project, parents, limits=big).output
        finally:
            holder.communicate(b"\n")
    finally:
        del os.environ["BENDCODER_APP_PRIVATE_KEY"]


@pytest.fixture
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """A loopback port and what was said to it."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        heard.append(connection.recv(100))

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield server.getsockname()[1], heard
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def test_opening_a_socket(
    none: Sandbox, sandbox: Sandbox, project: Path, listener: tuple[int, list[bytes]], tmp_path: Path
) -> None:
    port, heard = listener
    script = f"import socket; socket.create_connection(('127.0.0.1', {port}), 3).sendall(b'stolen')"
    assert attack(none, project, script).exit_code == 0
    assert attack(sandbox, project, script).exit_code == 1
    outside = "import socket; socket.create_connection(('192.0.2.1', 80), 3)"
    assert "unreachable" in attack(sandbox, project, outside).output
    assert heard == [b"stolen"]
    abstract = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with abstract:
        abstract.bind(f"\0{tmp_path}")
        abstract.listen()
        knock = f"import socket; socket.socket(socket.AF_UNIX).connect('\\0{tmp_path}')"
        assert attack(none, project, knock).exit_code == 0
        assert attack(sandbox, project, knock).exit_code == 1


def test_its_own_loopback_works_inside(sandbox: Sandbox, project: Path) -> None:
    script = (
        "import socket; s = socket.create_server(('127.0.0.1', 0));"
        "socket.create_connection(s.getsockname()).sendall(b'x'); print(s.accept()[0].recv(1))"
    )
    assert attack(sandbox, project, script).output == "b'x'\n"


def test_writing_outside_of_the_tree(none: Sandbox, sandbox: Sandbox, project: Path, tmp_path: Path) -> None:
    target = tmp_path / "outside"
    target.mkdir(mode=0o777)
    target.chmod(0o777)
    script = f"open({str(target / 'written')!r}, 'w').write('x')"
    assert attack(none, project, script).exit_code == 0
    (target / "written").unlink()
    assert attack(sandbox, project, script).exit_code == 1
    assert list(target.iterdir()) == []
    every = (
        "import os\n"
        "for top, folders, files in os.walk('/'):\n"
        "    if top.startswith(('/proc', '/dev', '/bendcoder/tree', '/bendcoder/reports', '/tmp', '/home/')):\n"
        "        folders[:] = []; continue\n"
        "    if os.access(top, os.W_OK): print('writable', top)\n"
    )
    assert attack(sandbox, project, every).output == ""


def test_reading_the_mirror(none: Sandbox, sandbox: Sandbox, project: Path, tmp_path: Path, marker: str) -> None:
    mirror = tmp_path / "mirrors/octo.git"
    mirror.mkdir(parents=True)
    (mirror / "config").write_text(f"[http]\n\textraHeader = {marker}\n")
    read = f"print(open({str(mirror / 'config')!r}).read())"
    assert marker in attack(none, project, read).output
    assert marker not in attack(sandbox, project, read).output
    find = "import os, sys\nfor top, _, files in os.walk(sys.argv[1]):\n    if 'octo.git' in top: print(top)"
    assert str(mirror) in attack(none, project, find, str(tmp_path)).output
    assert attack(sandbox, project, find, "/").output == ""
    remotes = attack(sandbox, project, "import os; os.system('git remote -v; git log --format=%s; git status -s')")
    assert remotes.output == "base\n"


SWAP = """
import os, shutil, sys
evil = f"touch {sys.argv[1]}"
if os.path.isdir(".git"): shutil.rmtree(".git")
else:
    try: os.remove(".git")
    except FileNotFoundError: pass
os.makedirs(".git/objects"); os.makedirs(".git/refs"); os.makedirs(".git/hooks")
open(".git/HEAD", "w").write("ref: refs/heads/main\\n")
open(".git/config", "w").write("[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = " + evil + "\\n")
for hook in ("post-checkout", "post-index-change", "pre-commit"):
    open(f".git/hooks/{hook}", "w").write("#!/bin/sh\\n" + evil + "\\n")
    os.chmod(f".git/hooks/{hook}", 0o755)
"""


@pytest.fixture
def pwned(tmp_path: Path) -> Path:
    return tmp_path / "pwned"


def run_in_tree(sandbox: Sandbox, tree: Path, script: str, argument: str) -> Ran:
    with sandbox.open(tree, Environment(python=PYTHON)) as box:
        return box.run([PYTHON, "-c", script, argument], Limits(seconds=20))


def test_swapping_the_trees_git_for_a_hostile_one(none: Sandbox, sandbox: Sandbox, project: Path, pwned: Path) -> None:
    status = ["git", "-c", "safe.directory=*", "status"]
    with DirectoryCheckouts(project).base() as base:
        assert run_in_tree(none, base.path, SWAP, str(pwned)).exit_code == 0
        subprocess.run(status, cwd=base.path, check=False, capture_output=True)
        assert pwned.exists()  # careless git on the host runs it
        pwned.unlink()
        # the next box opens on that very tree: ours covers it, and nothing on the host looks into it
        ran = run_in_tree(sandbox, base.path, "import os; os.system('git log --format=%s')", "")
        assert ran.output == "base\n"
        assert not pwned.exists()
    with DirectoryCheckouts(project).base() as base:
        assert run_in_tree(sandbox, base.path, SWAP, str(pwned)).exit_code == 1
        assert not (base.path / ".git").exists()
        for trick in ("os.rename('.git', 'x')", "os.rmdir('.git')", "os.symlink('/', '.git')", "open('.git/x', 'w')"):
            assert run_in_tree(sandbox, base.path, f"import os; {trick}", "").exit_code == 1
    assert not pwned.exists()


def test_a_worktrees_pointer_to_the_mirror_is_covered(
    none: Sandbox, sandbox: Sandbox, project: Path, tmp_path: Path
) -> None:
    pointer = f"gitdir: {tmp_path}/mirror.git/worktrees/x\n"
    with DirectoryCheckouts(project).base() as base:
        (base.path / ".git").write_text(pointer)
        show = "import os; print(open('.git').read(), flush=True); os.system('git log --format=%s; git status -s')"
        assert str(tmp_path) in run_in_tree(none, base.path, show, "").output
        covered = run_in_tree(sandbox, base.path, show, "").output
        assert covered == "gitdir: /bendcoder/git\n\nbase\n"
        assert (base.path / ".git").read_text() == pointer


def test_a_strict_umask_does_not_lock_the_box_out(sandbox: Sandbox, project: Path) -> None:
    before = os.umask(0o077)
    try:
        ran = attack(sandbox, project, "import os; os.system('id -un; git log --format=%s; ls')")
    finally:
        os.umask(before)
    assert ran.output == "bendcoder\nbase\nmodule.py\n"


def test_a_link_in_place_of_git_is_refused(none: Sandbox, sandbox: Sandbox, project: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    with DirectoryCheckouts(project).base() as base:
        assert run_in_tree(none, base.path, f"import os; os.symlink({str(victim)!r}, '.git')", "").exit_code == 0
        with pytest.raises(Exception, match="neither a folder nor a file"):
            run_in_tree(sandbox, base.path, "pass", "")
    assert list(victim.iterdir()) == []


ENDLESS = """
import subprocess, sys, time
code = "import time\\nwhile True: time.sleep(0.2)"  # holds the inherited output for ever
subprocess.Popen([sys.executable, "-c", code, sys.argv[1]], start_new_session=True)
print("done", flush=True)
"""


def test_a_never_ending_grandchild(none: Sandbox, sandbox: Sandbox, project: Path, marker: str) -> None:
    assert attack(none, project, ENDLESS, marker).exit_code == 0
    assert wait_for(lambda: alive(marker) != [])
    for pid in alive(marker):
        os.kill(pid, signal.SIGKILL)
    assert wait_for(lambda: alive(marker) == [])
    ran = attack(sandbox, project, ENDLESS, marker)
    assert ran.exit_code == 0
    assert alive(marker) == []


def test_a_never_ending_test_with_a_grandchild(sandbox: Sandbox, project: Path, marker: str) -> None:
    script = ENDLESS + "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)\n"
    begin = time.monotonic()
    ran = attack(sandbox, project, script, marker, Limits(seconds=1.5))
    assert ran.timed_out
    assert time.monotonic() - begin < 1.5 + 5
    assert alive(marker) == []


def test_a_killed_worker_takes_its_sandbox_along(project: Path, marker: str) -> None:
    runs = (
        "import sys\nfrom pathlib import Path\n"
        "from agent.adapters.sandbox import sandbox_named\nfrom agent.domain.environment import Environment\n"
        "from agent.ports import Limits\n"
        "with sandbox_named('bubblewrap', check=False).open(Path(sys.argv[1]), Environment()) as box:\n"
        "    box.run(['sh', '-c', 'setsid sleep 600 & sleep 600; : ' + sys.argv[2]], Limits(seconds=600))\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", runs, str(project), marker])
    assert wait_for(lambda: len(alive(marker)) >= 3, 20)  # the worker, bubblewrap's, the command
    worker.kill()
    worker.wait()
    assert wait_for(lambda: alive(marker) == [])


def wait_for(true: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.02)
    return false_now(true)


def false_now(true: Callable[[], bool]) -> bool:
    return true()


FORKS = """
import os, sys, time
made = 0
try:
    for _ in range(int(sys.argv[1])):
        if os.fork() == 0:
            time.sleep(60); os._exit(0)
        made += 1
except OSError: pass
print(made, flush=True)
os.killpg(0, 9) if os.getpgrp() == os.getpid() else os._exit(0)
"""


def test_a_fork_bomb(none: Sandbox, sandbox: Sandbox, project: Path) -> None:
    limits = Limits(seconds=20, processes=40)
    assert attack(none, project, FORKS, "120", limits).output == "120\n"
    made = int(attack(sandbox, project, FORKS, "120", limits).output)
    assert 10 < made <= 40


def test_a_fork_bomb_that_never_stops(sandbox: Sandbox, project: Path, marker: str) -> None:
    script = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n"
    assert attack(sandbox, project, script, marker, Limits(seconds=1.5, processes=40)).timed_out
    assert alive(marker) == []


def test_huge_output(none: Sandbox, sandbox: Sandbox, project: Path) -> None:
    script = "import sys\nfor _ in range(600): sys.stdout.write('x' * 100_000)\nprint('end')"
    plain = subprocess.run([PYTHON, "-c", script], capture_output=True, check=True)
    assert len(plain.stdout) > 60_000_000
    ran = attack(sandbox, project, script, limits=Limits(seconds=20, output=10_000))
    assert ran.exit_code == 0
    assert len(ran.output) < 10_100
    assert ran.output.endswith("x\nend\n") or ran.output.endswith("xend\n")


def test_a_huge_file(sandbox: Sandbox, project: Path) -> None:
    script = "f = open('big', 'wb')\nfor _ in range(20): f.write(b'x' * 2**20)\nf.close(); print('written')"
    plain = subprocess.run([PYTHON, "-c", script], cwd=project, capture_output=True, check=True)
    assert plain.stdout == b"written\n"
    (project / "big").unlink()
    ran = attack(sandbox, project, script, limits=Limits(seconds=20, file_size=4 * MEBIBYTE))
    assert ran.exit_code != 0
    assert "written" not in ran.output


def test_filling_memory(sandbox: Sandbox, project: Path) -> None:
    script = "x = bytearray(300 * 2**20)\nfor i in range(0, len(x), 4096): x[i] = 1\nprint('taken')"
    plain = subprocess.run([PYTHON, "-c", script], capture_output=True, check=True)
    assert plain.stdout == b"taken\n"
    ran = attack(sandbox, project, script, limits=Limits(seconds=20, memory=100 * MEBIBYTE))
    assert ran.exit_code != 0
    assert "taken" not in ran.output


def test_filling_memory_through_files(sandbox: Sandbox, project: Path) -> None:
    script = (
        "total = 0\n"
        "for n in range(30):\n"
        "    for at in ('/tmp', '/home/bendcoder', '/dev/shm'):\n"
        "        try: total += open(f'{at}/{n}', 'wb', 0).write(b'x' * 10 * 2**20)\n"
        "        except OSError: pass\n"
        "        print(total, flush=True)\n"
    )
    ran = attack(sandbox, project, script, limits=Limits(seconds=20, memory=100 * MEBIBYTE))
    # of 900 MiB: killed by its memory bound, or stopped by the sizes of the three file systems
    assert 0 < max(int(word) for word in ran.output.split() if word.isdigit()) <= 130 * MEBIBYTE
    size = "import os; print(sum(os.statvfs(p).f_blocks * os.statvfs(p).f_frsize for p in ('/tmp', '/dev/shm')))"
    assert int(attack(sandbox, project, size, limits=Limits(seconds=20, memory=100 * MEBIBYTE)).output) <= 76 * MEBIBYTE


def test_regaining_privileges(sandbox: Sandbox, project: Path) -> None:
    script = (
        "import os, ctypes\n"
        "for attempt in (lambda: os.setuid(0), lambda: os.chroot('/tmp'), lambda: os.kill(1, 9)):\n"
        "    try: attempt(); print('succeeded')\n"
        "    except OSError: pass\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "print('mounted' if libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0 else 'refused')\n"
        "print([line for line in open('/proc/self/status') if line.startswith(('CapEff', 'CapBnd', 'NoNewPrivs'))])\n"
    )
    ran = attack(sandbox, project, script)
    assert ran.exit_code == 0
    assert "succeeded" not in ran.output
    assert "refused" in ran.output
    assert "CapEff:\\t0000000000000000" in ran.output
    assert "NoNewPrivs:\\t1" in ran.output


def test_reaching_into_the_kernel(none: Sandbox, sandbox: Sandbox, project: Path) -> None:
    script = (
        "import ctypes, os, platform\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "keyctl = {'x86_64': 250, 'aarch64': 219}[platform.machine()]\n"
        "def call(*words):\n"
        "    return os.strerror(ctypes.get_errno()) if libc.syscall(*words) < 0 else 'worked'\n"
        "print('keyring', call(keyctl, 0, -3, 0))\n"  # KEYCTL_GET_KEYRING_ID of the session's
        "print('user namespace', 'worked' if libc.unshare(0x10000000) == 0 else 'refused')\n"
        "print('ring', call(425, 1, ctypes.create_string_buffer(120)))\n"
        "import threading, subprocess\n"
        "thread = threading.Thread(target=lambda: print('threads work')); thread.start(); thread.join()\n"
        "print('children', subprocess.run(['true']).returncode)\n"
    )
    bare = attack(none, project, script).output.splitlines()
    assert bare[:2] == ["keyring worked", "user namespace worked"]
    assert attack(sandbox, project, script).output.splitlines() == [
        "keyring Operation not permitted",
        "user namespace refused",
        "ring Function not implemented",
        "threads work",
        "children 0",
    ]
