"""GitRepositories against a real remote over HTTP: what is fetched, committed and pushed, and that no token stays."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.domain.edit import Change
from tests.support import gitrepo
from tests.support.gitserver import GitServer, serving
from worker.contract.job import RepoRef
from worker.domain import BotIdentity
from worker.errors import GitAuthError, GitError, PushRefused
from worker.git import GitRepositories

TOKEN = "ghs_1234_" + "eyJhbGciOiJ.abc-DEF_ghi" * 8
REPO = RepoRef(id=77, owner="ada", name="engine")
BOT = BotIdentity(name="bendcoder[bot]", email="1+bendcoder[bot]@users.noreply.github.com")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    seed = tmp_path / "seed"
    gitrepo.make(seed, {"a.py": "x = 1\r\ny = 2\n", ".gitattributes": "*.py text eol=lf\n", "bin/run": "#!/bin/sh\n"})
    (seed / "bin/run").chmod(0o755)
    gitrepo.commit(seed, {})
    gitrepo.git(seed, "branch", "topic")
    gitrepo.git(seed, "tag", "v1")
    bare = tmp_path / "remote" / "engine.git"
    bare.parent.mkdir()
    gitrepo.git(tmp_path, "clone", "-q", "--bare", str(seed), str(bare))
    gitrepo.git(bare, "update-ref", "refs/pull/1/head", "refs/heads/topic")
    return bare


@pytest.fixture
def server(remote: Path) -> Iterator[GitServer]:
    with serving(remote.parent, TOKEN) as state:
        yield state


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def _fixed(repositories: GitRepositories, base: str) -> tuple[tuple[Change, ...], str]:
    with repositories.tree(REPO, base) as tree:
        tree.workspace.write("a.py", b"x = 1\r\ny = 3\n")
        tree.workspace.write("bin/run", b"#!/bin/bash\n")
        changes = tree.workspace.changes()
        with tree.checkouts.of(changes) as checkout:
            return changes, checkout.tree


def test_fetch_brings_branches_alone_and_forgets_deleted_ones(server: GitServer, remote: Path, data: Path) -> None:
    repositories = GitRepositories(data)
    first = repositories.fetch(REPO, server.url("engine.git"), TOKEN)
    assert first == {name: gitrepo.git(remote, "rev-parse", name) for name in ("main", "topic")}
    mirror = data / "mirrors/77.git"
    refs = gitrepo.git(mirror, "for-each-ref", "--format=%(refname)").splitlines()
    assert refs == ["refs/remotes/origin/main", "refs/remotes/origin/topic"]
    gitrepo.git(remote, "branch", "-D", "topic")
    assert set(repositories.fetch(REPO, server.url("engine.git"), TOKEN)) == {"main"}


def test_an_empty_repository_has_no_branches(server: GitServer, remote: Path, data: Path) -> None:
    gitrepo.git(remote.parent, "init", "-q", "--bare", "empty.git")
    assert GitRepositories(data).fetch(REPO, server.url("empty.git"), TOKEN) == {}


def test_from_edit_to_pushed_branch_with_exact_bytes_and_modes(server: GitServer, remote: Path, data: Path) -> None:
    repositories = GitRepositories(data)
    base = repositories.fetch(REPO, server.url("engine.git"), TOKEN)["main"]
    changes, tree = _fixed(repositories, base)
    sha = repositories.commit(
        REPO, base_sha=base, changes=changes, message="Fix y\n\nBecause.", identity=BOT, tree=tree
    )
    push = {"sha": sha, "branch": "bendcoder/issue-1", "url": server.url("engine.git"), "token": TOKEN}
    repositories.push(REPO, **push, expect=None)
    repositories.push(REPO, **push, expect=None)  # a second runner says the same thing: nothing happens
    assert gitrepo.git(remote, "rev-parse", "bendcoder/issue-1") == sha
    assert gitrepo.git(remote, "log", "-1", "--format=%an <%ae>|%s|%P", sha) == f"{BOT.name} <{BOT.email}>|Fix y|{base}"
    listed = gitrepo.git(remote, "diff", "--raw", "--abbrev=7", base, sha).splitlines()
    assert [line.split()[:2] + line.split()[4:] for line in listed] == [
        [":100644", "100644", "M", "a.py"],
        [":100755", "100755", "M", "bin/run"],
    ]
    assert gitrepo.git(remote, "cat-file", "-p", f"{sha}:a.py") == "x = 1\r\ny = 3"


def test_a_branch_that_is_elsewhere_is_left_alone(server: GitServer, remote: Path, data: Path) -> None:
    repositories = GitRepositories(data)
    base = repositories.fetch(REPO, server.url("engine.git"), TOKEN)["main"]
    changes, tree = _fixed(repositories, base)
    sha = repositories.commit(REPO, base_sha=base, changes=changes, message="Fix", identity=BOT, tree=tree)
    gitrepo.git(remote, "branch", "bendcoder/issue-1", base)
    push = {"sha": sha, "branch": "bendcoder/issue-1", "url": server.url("engine.git"), "token": TOKEN}
    with pytest.raises(GitError, match="nothing was pushed"):
        repositories.push(REPO, **push, expect=None)
    assert gitrepo.git(remote, "rev-parse", "bendcoder/issue-1") == base
    repositories.push(REPO, **push, expect=base)
    assert gitrepo.git(remote, "rev-parse", "bendcoder/issue-1") == sha


def test_a_commit_whose_tree_is_not_the_judged_one_is_refused(server: GitServer, data: Path) -> None:
    repositories = GitRepositories(data)
    base = repositories.fetch(REPO, server.url("engine.git"), TOKEN)["main"]
    changes, _tree = _fixed(repositories, base)
    with pytest.raises(GitError, match="nothing was committed"):
        repositories.commit(REPO, base_sha=base, changes=changes, message="Fix", identity=BOT, tree="0" * 40)


@pytest.mark.parametrize("branch", ["main", "bendcoder/", "bendcoder/../main", "bendcoder/a.lock", "bendcoder/a b"])
def test_nothing_is_pushed_outside_our_own_branches(branch: str, server: GitServer, data: Path) -> None:
    repositories = GitRepositories(data)
    base = repositories.fetch(REPO, server.url("engine.git"), TOKEN)["main"]
    before = len(server.requests)
    with pytest.raises(GitError, match="not a branch name"):
        repositories.push(REPO, sha=base, branch=branch, url=server.url("engine.git"), token=TOKEN, expect=None)
    assert len(server.requests) == before


def test_a_refused_token_is_an_auth_error_and_is_not_shown(server: GitServer, data: Path) -> None:
    with pytest.raises(GitAuthError) as caught:
        GitRepositories(data).fetch(REPO, server.url("engine.git"), "ghs_wrong" + "x" * 40)
    assert "ghs_wrong" not in repr(caught.value.args)


def test_a_token_is_sent_to_its_own_address_and_written_nowhere(server: GitServer, data: Path) -> None:
    repositories = GitRepositories(data)
    base = repositories.fetch(REPO, server.url("engine.git"), TOKEN)["main"]
    changes, tree = _fixed(repositories, base)
    sha = repositories.commit(REPO, base_sha=base, changes=changes, message="Fix", identity=BOT, tree=tree)
    repositories.push(REPO, sha=sha, branch="bendcoder/x", url=server.url("engine.git"), token=TOKEN, expect=None)
    assert any(header.startswith("Basic ") for _path, header in server.requests)
    secret = server.requests[-1][1].removeprefix("Basic ")
    for path in data.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert TOKEN.encode() not in content, path
            assert secret.encode() not in content, path


RULES = """#!/bin/sh
echo 'error: GH013: Repository rule violations found for refs/heads/bendcoder/x.' >&2
echo '- Commits must have verified signatures.' >&2
exit 1
"""


def test_the_repositorys_rules_are_told_in_its_own_words(server: GitServer, remote: Path, data: Path) -> None:
    hook = remote / "hooks/pre-receive"
    hook.write_text(RULES)
    hook.chmod(0o755)
    repositories = GitRepositories(data)
    base = repositories.fetch(REPO, server.url("engine.git"), TOKEN)["main"]
    changes, tree = _fixed(repositories, base)
    sha = repositories.commit(REPO, base_sha=base, changes=changes, message="Fix", identity=BOT, tree=tree)
    with pytest.raises(PushRefused, match="verified signatures"):
        repositories.push(REPO, sha=sha, branch="bendcoder/x", url=server.url("engine.git"), token=TOKEN, expect=None)


def test_fetches_of_one_repository_wait_for_each_other(server: GitServer, data: Path) -> None:
    problems: list[Exception] = []

    def fetch() -> None:
        try:
            GitRepositories(data).fetch(REPO, server.url("engine.git"), TOKEN)
        except GitError as problem:
            problems.append(problem)

    threads = [threading.Thread(target=fetch) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_foreign_schemes_are_refused(remote: Path, data: Path) -> None:
    for url in (str(remote), f"file://{remote}", "ext::sh -c touch% /tmp/never"):
        with pytest.raises(GitError, match="may not speak"):
            GitRepositories(data).fetch(REPO, url, "")


def test_what_the_mirrors_owner_configured_is_not_run(server: GitServer, data: Path, tmp_path: Path) -> None:
    """A hook, a filter and a redirect in the mirror's own configuration: none is believed."""
    repositories = GitRepositories(data)
    repositories.fetch(REPO, server.url("engine.git"), TOKEN)
    mirror = data / "mirrors/77.git"
    (mirror / "hooks").mkdir()
    for name in ("reference-transaction", "pre-push", "post-checkout"):
        hook = mirror / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        hook.chmod(0o755)
    base = repositories.fetch(REPO, server.url("engine.git"), TOKEN)["main"]
    changes, tree = _fixed(repositories, base)
    sha = repositories.commit(REPO, base_sha=base, changes=changes, message="Fix", identity=BOT, tree=tree)
    repositories.push(REPO, sha=sha, branch="bendcoder/x", url=server.url("engine.git"), token=TOKEN, expect=None)
    assert not (tmp_path / "ran").exists()


def test_a_run_leaves_nothing_and_sweeps_what_a_killed_one_left(server: GitServer, data: Path) -> None:
    repositories = GitRepositories(data)
    base = repositories.fetch(REPO, server.url("engine.git"), TOKEN)["main"]
    left = data / "runs/dead-run"
    left.mkdir(parents=True)
    (left / "owner.lock").touch()
    with repositories.tree(REPO, base) as held:
        assert not left.exists()
        with repositories.tree(REPO, base):  # sweeps again, and must not take the living one
            assert held.workspace.read("a.py")
    assert [path.name for path in (data / "runs").iterdir()] == [".door"]


def test_a_mirror_owned_by_somebody_else_can_still_be_used(server: GitServer, data: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("changing owners takes root")
    repositories = GitRepositories(data)
    repositories.fetch(REPO, server.url("engine.git"), TOKEN)
    for path in (data / "mirrors").rglob("*"):
        os.chown(path, 12345, 12345, follow_symlinks=False)
    assert "main" in repositories.fetch(REPO, server.url("engine.git"), TOKEN)
