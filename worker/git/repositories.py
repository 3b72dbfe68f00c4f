"""worker.ports.Repositories: everything the pipeline asks of git, on one data folder of this machine."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from agent.domain.edit import Change
from worker.contract.job import RepoRef
from worker.domain import BotIdentity
from worker.git import publish, scratch
from worker.git.command import Remote
from worker.git.folders import sweep
from worker.git.jobtree import GitJobTree, job_tree
from worker.git.mirror import Mirror

MEMORY = "bendcoder-index.sqlite"
"""File in a mirror's folder with what runs have learnt of its blobs."""


class GitRepositories:
    """Mirrors below `data_dir/mirrors` (by repository id: names change), runs below `data_dir/runs`."""

    def __init__(
        self,
        data_dir: Path,
        *,
        network: Mapping[str, str] | None = None,
        schemes: tuple[str, ...] = ("https", "http"),
    ) -> None:
        self._mirrors = data_dir.resolve() / "mirrors"
        self._runs = data_dir.resolve() / "runs"
        self._network = dict(network or {})
        self._schemes = schemes

    def fetch(self, repo: RepoRef, url: str, token: str) -> Mapping[str, str]:
        """Bring the mirror up to date (clone when new); branch name to commit id on the remote."""
        return self._mirror(repo).fetch(Remote(url=url, token=token))

    @contextmanager
    def tree(self, repo: RepoRef, sha: str) -> Iterator[GitJobTree]:
        """A disposable working copy of that commit; leftovers of killed runs go first."""
        sweep(self._runs)
        mirror = self._mirror(repo)
        mirror.used()
        memory = mirror.path / MEMORY  # inside of the mirror: it holds words of the repository's texts
        with job_tree(mirror.path / "objects", scratch.full_id(sha), self._runs, memory=memory) as tree:
            yield tree

    def commit(
        self, repo: RepoRef, *, base_sha: str, changes: Sequence[Change], message: str, identity: BotIdentity, tree: str
    ) -> str:
        """Build the commit from the recorded changes alone; GitError unless its tree id is `tree`. Returns its id."""
        return publish.build(
            self._mirror(repo).git,
            base_sha=base_sha,
            changes=changes,
            message=message,
            identity=identity,
            tree=tree,
            room=self._runs,
        )

    def push(self, repo: RepoRef, *, sha: str, branch: str, url: str, token: str, expect: str | None) -> None:
        """Push one commit to refs/heads/`branch`; `expect` None: it must not exist, else its present id."""
        remote = Remote(url=url, token=token)
        publish.push(self._mirror(repo).git, sha=sha, branch=branch, remote=remote, expect=expect)

    def _mirror(self, repo: RepoRef) -> Mirror:
        return Mirror(path=self._mirrors / f"{repo.id}.git", schemes=self._schemes, network=self._network)
