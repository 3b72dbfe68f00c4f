"""Real git against the stand-in: clone, push, compare-and-swap, and the refusals word for word."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.devhub.client import RepoName
from tests.support.devhub import Devhub, installation_token, rest, running_devhub

pytestmark = pytest.mark.xdist_group("test-git-http")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devhub]:
    with running_devhub(tmp_path_factory.mktemp("hub")) as made:
        yield made


@pytest.fixture
def repo(hub: Devhub) -> Iterator[RepoName]:
    made = hub.control.create_repository("octo", "demo", {"a.py": "x = 1\n"}, private=True)
    yield made
    hub.control.clear_faults()
    hub.control.delete_repository(made)
    hub.control.uninstall("octo")  # the next repository installs the App afresh, with its own permissions


def git(where: Path, *words: str, ok: bool = True) -> str:
    identity = {
        "GIT_AUTHOR_NAME": "t",
        "GIT_AUTHOR_EMAIL": "t@t",
        "GIT_COMMITTER_NAME": "t",
        "GIT_COMMITTER_EMAIL": "t@t",
    }
    quiet = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    variables = {"PATH": os.environ["PATH"], "HOME": str(where)} | identity | quiet
    done = subprocess.run(
        ["git", *words], cwd=where, env=variables, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode == 0) == ok, done.stderr
    return done.stdout + done.stderr


def url(hub: Devhub, token: str, name: str = "demo") -> str:
    return hub.git_url.replace("http://", f"http://x-access-token:{token}@") + f"/octo/{name}.git"


@pytest.fixture
def tree(hub: Devhub, repo: RepoName, tmp_path: Path) -> Path:
    """A clone with one commit on top, made with a token that may write contents."""
    where = tmp_path / "tree"
    git(tmp_path, "clone", "-q", url(hub, installation_token(hub, "octo")), str(where))
    (where / "a.py").write_text("x = 2\n")
    git(where, "commit", "-qam", "Fix x")
    return where


def test_clone_and_push_make_a_branch(hub: Devhub, repo: RepoName, tree: Path) -> None:
    git(tree, "push", "-q", "origin", "HEAD:refs/heads/bendcoder/issue-1")
    assert hub.control.branches(repo)["bendcoder/issue-1"] == git(tree, "rev-parse", "HEAD").strip()
    assert hub.control.file(repo, "a.py", "bendcoder/issue-1") == b"x = 2\n"
    services = [one.path for one in hub.control.calls(repository="octo/demo", path="git-receive-pack")]
    assert services
    assert set(services) == {"/octo/demo.git/git-receive-pack"}


def test_large_push_and_incremental_fetch(hub: Devhub, repo: RepoName, tree: Path) -> None:
    (tree / "big.bin").write_bytes(os.urandom(4 * 1024**2))
    git(tree, "add", "big.bin")
    git(tree, "commit", "-qm", "big")
    git(tree, "push", "-q", "origin", "HEAD:main")
    sha = hub.control.commit(repo, {"b.py": "b\n"})
    git(tree, "fetch", "-q", "origin")
    assert git(tree, "rev-parse", "origin/main").strip() == sha


def test_force_with_lease_refuses_a_moved_branch(hub: Devhub, repo: RepoName, tree: Path) -> None:
    ref = "refs/heads/topic"
    git(tree, "push", "-q", "origin", f"HEAD:{ref}")
    known = git(tree, "rev-parse", "HEAD").strip()
    hub.control.commit(repo, {"c.py": "c\n"}, branch="topic")
    git(tree, "commit", "-q", "--amend", "-m", "other")
    told = git(tree, "push", f"--force-with-lease={ref}:{known}", "origin", f"HEAD:{ref}", ok=False)
    assert "stale info" in told


def test_push_moves_the_pull_request(hub: Devhub, repo: RepoName, tree: Path) -> None:
    git(tree, "push", "-q", "origin", "HEAD:topic")
    with rest(hub, installation_token(hub, "octo")) as client:
        made = client.post("/repos/octo/demo/pulls", json={"title": "t", "head": "topic", "base": "main"}).json()
    (tree / "b.py").write_text("b\n")
    git(tree, "add", "b.py")
    git(tree, "commit", "-qm", "more")
    git(tree, "push", "-q", "origin", "HEAD:topic")
    assert hub.control.pull(repo, made["number"]).head_sha == git(tree, "rev-parse", "HEAD").strip()
    assert "synchronize" in [one.action for one in hub.control.deliveries("pull_request")]


def test_workflow_files_are_refused_word_for_word(hub: Devhub, repo: RepoName, tree: Path) -> None:
    (tree / ".github" / "workflows").mkdir(parents=True)
    (tree / ".github" / "workflows" / "ci.yml").write_text("on: push\n")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "ci")
    told = git(tree, "push", "origin", "HEAD:ci", ok=False)
    words = "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows`"
    assert f"({words} permission)" in told
    assert "ci" not in hub.control.branches(repo)
    held = {"metadata": "read", "contents": "write", "workflows": "write"}
    hub.control.change_installation("octo", permissions=held)
    git(tree, "push", "-q", url(hub, installation_token(hub, "octo")), "HEAD:ci")
    assert "ci" in hub.control.branches(repo)


def test_rules_refuse_unsigned_commits_and_named_refs(hub: Devhub, repo: RepoName, tree: Path) -> None:
    hub.control.change_repository(repo, signed_only=True)
    told = git(tree, "push", "origin", "HEAD:topic", ok=False)
    assert "GH013: Repository rule violations found for refs/heads/topic" in told
    assert "- Commits must have verified signatures." in told
    hub.control.change_repository(repo, signed_only=False, refused_refs={"refs/heads/release/*": "protected branch"})
    assert "(protected branch)" in git(tree, "push", "origin", "HEAD:release/1", ok=False)
    git(tree, "push", "-q", "origin", "HEAD:topic")


def test_credentials_of_git(hub: Devhub, repo: RepoName, tree: Path) -> None:
    reading = installation_token(hub, "octo", permissions={"contents": "read"})
    other = hub.control.create_repository("octo", "other", {"a": "a"}, private=True)
    narrow = installation_token(hub, "octo", repositories=["other"])
    git(tree, "ls-remote", url(hub, reading))
    assert "403" in git(tree, "push", url(hub, reading), "HEAD:topic", ok=False)
    assert "not found" in git(tree, "ls-remote", url(hub, narrow), ok=False)
    assert "Authentication failed" in git(tree, "ls-remote", url(hub, "ghs_" + "x" * 36), ok=False)
    assert "could not read Username" in git(tree, "ls-remote", f"{hub.git_url}/octo/demo.git", ok=False)
    hub.control.delete_repository(other)


def test_public_repositories_are_read_without_credentials(hub: Devhub, repo: RepoName, tree: Path) -> None:
    hub.control.change_repository(repo, private=False)
    assert "refs/heads/main" in git(tree, "ls-remote", f"{hub.git_url}/octo/demo.git")
    assert "could not read Username" in git(tree, "push", f"{hub.git_url}/octo/demo.git", "HEAD:x", ok=False)


def test_a_connection_lost_after_the_push_took_effect(hub: Devhub, repo: RepoName, tree: Path) -> None:
    hub.control.fault("/octo/demo.git/git-receive-pack", reset="after")
    git(tree, "push", "origin", "HEAD:topic", ok=False)
    assert "topic" in hub.control.branches(repo)
    hub.control.fault("/octo/demo.git/git-receive-pack", reset="before", times=None)  # curl tries twice by itself
    git(tree, "push", "origin", "HEAD:second", ok=False)
    assert "second" not in hub.control.branches(repo)
