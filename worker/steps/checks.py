"""`/bendcoder ci`: lets the repository's own Actions see a held change, by an empty commit without `[skip ci]`."""

import re
from collections.abc import Mapping

from worker.contract.job import RepoRef
from worker.domain import PullRequest
from worker.errors import PushRefused
from worker.ports import Forge, Repositories
from worker.steps.publish import Outlet, git_step

MARK = re.compile(r"\s*<!-- bendcoder:job=[0-9a-f]{16} -->")
NONE = "There is no open pull request of a run on this issue, so there are no checks to start."
MESSAGE = "Start the checks\n\nAsked for by {by} ({by_id}); this commit changes nothing.\n"


def start_checks(outlet: Outlet, ref: RepoRef, issue: int, by: str, by_id: int) -> str:
    """Push the empty commit to the newest open pull request of this issue; the sentence to answer with."""
    forge, repositories = outlet.forge, outlet.repositories
    heads = git_step(forge, lambda token: repositories.fetch(ref, outlet.url, token), write=False)
    pull = _newest(forge, heads, issue)
    if pull is None:
        return NONE
    present = heads[pull.head]
    message = MESSAGE.format(by=by, by_id=by_id)
    sha = _empty(repositories, forge, ref, present, message)

    def push(token: str) -> None:
        outlet.store.check_owner()
        repositories.push(ref, sha=sha, branch=pull.head, url=outlet.url, token=token, expect=present)

    try:
        git_step(forge, push, write=True)
    except PushRefused as error:
        return f"The repository's rules refuse the push that would start the checks: {error.args[0]}"
    return f"An empty commit on `{pull.head}` starts the checks."


def _newest(forge: Forge, heads: Mapping[str, str], issue: int) -> PullRequest | None:
    """The open pull request of ours on the newest branch of this issue."""
    name = re.compile(rf"bendcoder/issue-{issue}(?:-(\d+))?")
    found = [(int(match.group(1) or 1), branch) for branch in heads if (match := name.fullmatch(branch))]
    for _, branch in sorted(found, reverse=True):
        for pull in forge.pulls(branch):
            if pull.state == "open" and MARK.match(pull.body):
                return pull
    return None


def _empty(repositories: Repositories, forge: Forge, ref: RepoRef, present: str, message: str) -> str:
    """A commit on top of `present` with the same tree."""
    with repositories.tree(ref, present) as tree, tree.checkouts.of(()) as checkout:
        return repositories.commit(
            ref, base_sha=present, changes=(), message=message, identity=forge.identity(), tree=checkout.tree
        )
