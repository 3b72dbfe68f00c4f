"""What a person's checkout and options can be like: each is taken or refused by name, and nothing of it is changed."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from deploy.cli import main
from tests.support import gitrepo
from tests.support.chat_server import chat_server, text_reply

pytestmark = pytest.mark.sandbox

WRONG = "def double(n):\n    return n + n + 1\n"
RIGHT = "def double(n):\n    return n + n\n"
FILES = {
    ".github/bendcoder.yml": "verify: env PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest\n",
    "m.py": WRONG,
    "tests/test_m.py": "from m import double\n\n\ndef test_double():\n    assert double(2) == 4\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    gitrepo.make(tmp_path / "clone", FILES)
    return tmp_path / "clone"


def delegate(folder: Path, *options: str, drafts: Sequence[str] = (RIGHT,)) -> tuple[int, dict[str, object]]:
    """Run it with a scripted model; the exit code and what it wrote. Files of the checkout must be as before."""
    aside = folder.parent / "aside"
    aside.mkdir(exist_ok=True)
    issue, target = aside / "issue.md", aside / "out.json"
    if not issue.exists():
        issue.write_text("# double(2) is 5\n\nIt should be 4.\n")
    before = gitrepo.fingerprint(folder)
    with chat_server([text_reply(draft) for draft in drafts]) as server:
        words = ["delegate", "--repo", str(folder), "--issue", str(issue), "--json", str(target), "--env", sys.prefix]
        words += ["--generate", "chat", "--generate-url", server.url, "--generate-model", "scripted"]
        code = main([*words, "--seconds", "90", *options])
    after = gitrepo.fingerprint(folder)
    assert {name: after[name] for name in before} == before
    return code, json.loads(target.read_text())


def refused(folder: Path, *options: str) -> str:
    """The reason it could not start; every file below the checkout is as before."""
    before = gitrepo.fingerprint(folder)
    code, found = delegate(folder, *options)
    assert (code, found["exit_code"], found["branch"], found["kept_edits"]) == (1, 1, None, [])
    assert gitrepo.fingerprint(folder) == before
    return f"{found['outcome']}: {found['reason']}"


def verified(folder: Path, *options: str) -> dict[str, object]:
    code, found = delegate(folder, *options)
    assert (code, found["verdict"]) == (0, "verified"), found["reason"]
    return found


def test_a_folder_inside_a_checkout_names_the_checkout(folder: Path) -> None:
    assert str(folder) in refused(folder / "tests")


def test_a_bare_repository_is_refused_as_such(folder: Path) -> None:
    gitrepo.git(folder, "clone", "-q", "--bare", str(folder), str(folder.parent / "bare"))
    said = refused(folder.parent / "bare")
    assert "not a git checkout" in said


def test_a_repository_without_a_commit_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    gitrepo.git(tmp_path / "empty", "init", "-q")
    assert "no commit yet" in refused(tmp_path / "empty")


def test_a_file_in_place_of_the_checkout_is_told(folder: Path) -> None:
    target, issue = folder.parent / "out.json", folder.parent / "issue.md"
    issue.write_text("# t\n")
    assert main(["delegate", "--repo", str(folder / "m.py"), "--issue", str(issue), "--json", str(target)]) == 1
    assert "m.py is not a folder" in json.loads(target.read_text())["reason"]


@pytest.mark.parametrize("kind", ["worktree", "shallow", "detached"])
def test_other_kinds_of_checkouts_work(kind: str, folder: Path) -> None:
    gitrepo.commit(folder, {"n.py": "x = 1\n"})
    other = folder.parent / "other"
    match kind:
        case "worktree":
            gitrepo.git(folder, "worktree", "add", "-q", str(other))
        case "shallow":
            gitrepo.git(folder, "clone", "-q", "--depth", "1", f"file://{folder}", str(other))
        case _:
            gitrepo.git(folder, "clone", "-q", str(folder), str(other))
            gitrepo.git(other, "checkout", "-q", "--detach")
    found = verified(other)
    assert gitrepo.git(other, "show", f"{found['branch']}:m.py") == RIGHT.strip()
    assert gitrepo.git(other, "status", "--porcelain") == ""


HOSTILE = {
    "core": ("fsmonitor", "pager", "sshCommand", "editor", "askPass", "gitProxy"),
    'filter "evil"': ("clean", "smudge", "process"),
    'diff "evil"': ("textconv", "command"),
    "gpg": ("program",),
    "uploadpack": ("packObjectsHook",),
    "credential": ("helper",),
}


def test_a_hostile_configuration_is_never_run(folder: Path) -> None:
    ran = folder.parent / "ran"
    script = folder.parent / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(0o755)
    gitrepo.commit(folder, {".gitattributes": "*.py filter=evil diff=evil\n"})
    hooks = folder.parent / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "post-checkout", "reference-transaction", "post-index-change", "post-update"):
        (hooks / name).write_text(script.read_text())
        (hooks / name).chmod(0o755)
        (folder / ".git/hooks").mkdir(exist_ok=True)
        (folder / ".git/hooks" / name).write_text(script.read_text())
        (folder / ".git/hooks" / name).chmod(0o755)
    included = folder.parent / "included"
    included.write_text(f"[core]\n\tfsmonitor = {script}\n")
    with (folder / ".git/config").open("a") as file:
        file.write(f"[include]\n\tpath = {included}\n")
        for section, keys in HOSTILE.items():
            file.write(f"[{section}]\n" + "".join(f"\t{key} = {script}\n" for key in keys))
        file.write(f"[core]\n\thooksPath = {hooks}\n[commit]\n\tgpgSign = true\n[alias]\n\tstatus = !{script}\n")
    verified(folder)
    assert not ran.exists()


def test_an_existing_branch_is_left_and_the_next_number_taken(folder: Path) -> None:
    gitrepo.git(folder, "branch", "bendcoder/double-2-is-5-1")
    gitrepo.git(folder, "branch", "bendcoder/double-2-is-5-2")
    gitrepo.git(folder, "pack-refs", "--all")
    assert verified(folder)["branch"] == "bendcoder/double-2-is-5-3"


def test_a_branch_that_stands_in_the_way_of_the_name_is_told_and_nothing_is_lost(folder: Path) -> None:
    gitrepo.git(folder, "branch", "bendcoder")
    code, found = delegate(folder)
    assert code == 1
    assert "bendcoder" in str(found["outcome_reason"])
    assert "double" in str(found["diff"])


def test_untracked_files_and_odd_names_are_no_hindrance(folder: Path) -> None:
    odd = {"with space.py": "x = 1\n", "new\nline.txt": "x\n", "ünï.py": "x = 2\n", "quo\"te'.py": "x = 3\n"}
    gitrepo.commit(folder, odd)
    raw = os.fsencode(folder) + b"/latin-\xe4.txt"
    Path(os.fsdecode(raw)).write_bytes(b"x\n")
    gitrepo.git(folder, "add", "-A")
    gitrepo.git(folder, "commit", "-q", "-m", "bytes")
    (folder / "untracked.py").write_text("raise SystemExit\n")
    verified(folder)


def test_a_staged_change_is_dirty_though_the_file_is_as_committed(folder: Path) -> None:
    (folder / "m.py").write_text(RIGHT)
    gitrepo.git(folder, "add", "m.py")
    (folder / "m.py").write_text(WRONG)
    assert "uncommitted changes in m.py" in refused(folder)


def test_a_changed_name_with_a_newline_is_told_on_one_line(folder: Path) -> None:
    gitrepo.commit(folder, {"new\nline.txt": "x\n"})
    (folder / "new\nline.txt").write_text("y\n")
    said = refused(folder)
    assert "line.txt" in said


def test_a_submodule_is_no_hindrance(folder: Path) -> None:
    gitrepo.make(folder.parent / "sub", {"s.py": "x = 1\n"})
    gitrepo.git(folder, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(folder.parent / "sub"), "sub")
    gitrepo.git(folder, "commit", "-q", "-m", "sub")
    verified(folder)


def test_a_link_among_the_sources_is_kept_as_one(folder: Path) -> None:
    (folder / "alias.py").symlink_to("m.py")
    (folder / "outside").symlink_to("/etc/hostname")
    gitrepo.git(folder, "add", "-A")
    gitrepo.git(folder, "commit", "-q", "-m", "links")
    found = verified(folder)
    assert gitrepo.git(folder, "show", f"{found['branch']}:alias.py") == "m.py"


@pytest.mark.parametrize("what", ["folder", "huge", "binary", "fifo", "device"])
def test_an_issue_that_is_no_text_is_told(what: str, folder: Path) -> None:
    aside = folder.parent / "aside"
    aside.mkdir()
    issue = aside / "issue.md"
    match what:
        case "folder":
            issue.mkdir()
        case "huge":
            issue.write_bytes(b"# t\n" + b"x" * 2_000_000)
        case "binary":
            issue.write_bytes(b"\x7fELF\0\0\1\2\3" * 100)
        case "fifo":
            os.mkfifo(issue)
        case _:
            issue.symlink_to("/dev/zero")
    began = time.monotonic()
    said = refused(folder)
    assert time.monotonic() - began < 20
    assert "issue" in said


def test_json_that_cannot_be_written_is_told_before_anything_runs(folder: Path) -> None:
    issue = folder.parent / "issue.md"
    issue.write_text("# double(2) is 5\n")
    words = [sys.executable, "-m", "deploy.cli", "delegate", "--repo", str(folder), "--issue", str(issue)]
    words += ["--json", str(folder.parent / "missing" / "out.json"), "--env", sys.prefix]
    began = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "--json" in done.stderr
    assert "missing" in done.stderr
    assert "Traceback" not in done.stderr
    assert time.monotonic() - began < 20
    assert gitrepo.git(folder, "branch", "--list", "bendcoder/*") == ""


@pytest.mark.parametrize("path", ["./new.py", "a//b.py", "link/x.py", "m.py/x.py"])
def test_a_draft_that_names_an_impossible_path_fails_and_the_run_goes_on(path: str, folder: Path) -> None:
    """What a model writes is no reason to say that bendcoder could not start; nothing of such a draft stays."""
    (folder / "link").symlink_to("/tmp")
    gitrepo.git(folder, "add", "-A")
    gitrepo.git(folder, "commit", "-q", "-m", "link")
    draft = (
        "<<<PATH>>>\nm.py\n<<<OLD>>>\n    return n + n + 1\n<<<NEW>>>\n    return n + n\n<<<END>>>\n"
        f"<<<PATH>>>\n{path}\n<<<OLD>>>\n<<<NEW>>>\nx = 1\n<<<END>>>\n"
    )
    code, found = delegate(folder, drafts=[draft])
    assert (code, found["outcome"], found["kept_edits"]) == (2, "stalled", [])
    assert found["baseline"]
    assert found["branch"] is None
