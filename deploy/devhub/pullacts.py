"""What happens on pull requests and refs: opening by GitHub's rules, and following the branches as they move.

The rules are computed from the real bare repository. Call with the store's lock held.
"""

from deploy.devhub import acts
from deploy.devhub.git import EMPTY_TREE, ZERO
from deploy.devhub.hub import Hub
from deploy.devhub.payloads import emit
from deploy.devhub.problems import Json, invalid, refusal
from deploy.devhub.state import Actor, Issue, Pull, Repository
from deploy.devhub.views import gitdata, pulls

MAX_BODY = 65_536
"""Characters a pull request's body may have."""


def check_body(body: str | None) -> None:
    """422 when a body is too long."""
    if body is not None and len(body) > MAX_BODY:
        raise invalid("Issue", "custom", field="body", message=f"body is too long (maximum is {MAX_BODY} characters)")


def open_pull(
    hub: Hub, repo: Repository, actor: Actor, *, title: str, body: str | None, head: str, base: str, draft: bool
) -> Issue:
    """Open a pull request, or refuse as GitHub does; `head` may be written OWNER:BRANCH."""
    owner, _, branch = head.rpartition(":")
    git = hub.git(repo)
    head_sha = git.resolve(f"refs/heads/{branch}")
    base_sha = git.resolve(f"refs/heads/{base}")
    if head_sha is None or (owner and owner.lower() != repo.owner.login.lower()):
        raise invalid("PullRequest", "invalid", field="head")
    if base_sha is None:
        raise invalid("PullRequest", "invalid", field="base")
    check_body(body)
    if draft and not repo.drafts:
        raise refusal(422, "Draft pull requests are not supported in this repository.")
    for issue, pull in repo.pulls():
        if issue.state == "open" and pull.head == branch and pull.base == base:
            raise _custom(f"A pull request already exists for {repo.owner.login}:{branch}.")
    if git.contains(head_sha, base_sha):
        raise _custom(f"No commits between {base} and {branch}")
    issue = acts.new_issue(hub, repo, actor, title, body)
    issue.pull = Pull(id=hub.store.new_id(), head=branch, base=base, head_sha=head_sha, base_sha=base_sha, draft=draft)
    _keep_head(hub, repo, issue)
    acts.announce(hub, repo, issue, actor, "opened")
    return issue


def _custom(message: str) -> Exception:
    return invalid("PullRequest", "custom", message=message)


def _keep_head(hub: Hub, repo: Repository, issue: Issue) -> None:
    if issue.pull is not None:
        hub.git(repo).update_ref(f"refs/pull/{issue.number}/head", issue.pull.head_sha)


def refs_moved(hub: Hub, repo: Repository, actor: Actor, before: dict[str, str], after: dict[str, str]) -> None:
    """After a push or a ref edit: `push` per changed branch, and pull requests follow their branches."""
    changed = {ref for ref in before.keys() | after.keys() if before.get(ref) != after.get(ref)}
    for ref in sorted(changed):
        old, new = before.get(ref, ZERO), after.get(ref, ZERO)
        repo.pushed = hub.store.now()
        if ref.startswith("refs/heads/"):
            _push_event(hub, repo, actor, ref, old, new)
            _follow(hub, repo, actor, ref.removeprefix("refs/heads/"), new)


def _follow(hub: Hub, repo: Repository, actor: Actor, branch: str, new: str) -> None:
    for issue, pull in repo.pulls():
        if issue.state != "open":
            continue
        if pull.base == branch and new != ZERO:
            pull.base_sha = new
        if pull.head != branch:
            continue
        if new == ZERO:
            acts.set_state(hub, repo, issue, actor, "closed")
            continue
        before, pull.head_sha = pull.head_sha, new
        issue.updated = hub.store.now()
        _keep_head(hub, repo, issue)
        acts.announce(hub, repo, issue, actor, "synchronize", {"before": before, "after": new})


def _push_event(hub: Hub, repo: Repository, actor: Actor, ref: str, old: str, new: str) -> None:
    git, page = hub.git(repo), hub.urls.page(repo)
    span = [new, "-20"] if old == ZERO else [f"{old}..{new}"]
    commits = [] if new == ZERO else [_pushed(hub, repo, one.sha) for one in reversed(git.log(*span))]
    document: Json = {
        "ref": ref,
        "before": old,
        "after": new,
        "created": old == ZERO,
        "deleted": new == ZERO,
        "forced": old != ZERO and new != ZERO and not git.contains(old, new),
        "base_ref": None,
        "compare": f"{page}/compare/{old[:12]}...{new[:12]}",
        "commits": commits,
        "head_commit": commits[-1] if commits else None,
        "pusher": {"name": actor.user.login, "email": f"{actor.user.login}@users.noreply.localhost"},
    }
    emit(hub, "push", None, repo, actor, document)


def _pushed(hub: Hub, repo: Repository, sha: str) -> Json:
    git = hub.git(repo)
    found = git.commit_info(sha)
    files = git.changes(found.parents[0] if found.parents else EMPTY_TREE, sha)
    named = {status: [one.path for one in files if one.status == status] for status in ("added", "removed", "modified")}
    document: Json = {
        "id": sha,
        "tree_id": found.tree,
        "distinct": True,
        "message": found.message,
        "timestamp": found.committed,
        "url": f"{hub.urls.page(repo)}/commit/{sha}",
        "author": {"name": found.author.name, "email": found.author.email},
        "committer": {"name": found.committer.name, "email": found.committer.email},
    }
    return document | named


def merge(hub: Hub, repo: Repository, issue: Issue, actor: Actor) -> None:
    """Merge by moving the base branch to the head (fast-forward) or to a merge commit made by git."""
    pull = issue.pull
    if pull is None or issue.state != "open":
        raise refusal(405, "Pull Request is not mergeable")
    git = hub.git(repo)
    before = git.refs()
    tree = git.text("merge-tree", "--write-tree", pull.base_sha, pull.head_sha).splitlines()[0]
    words = ["-c", "user.name=web-flow", "-c", "user.email=web@users.noreply.localhost"]
    message = f"Merge pull request #{issue.number} from {repo.owner.login}/{pull.head}"
    sha = git.text(*words, "commit-tree", tree, "-p", pull.base_sha, "-p", pull.head_sha, "-m", message)
    git.update_ref(f"refs/heads/{pull.base}", sha, pull.base_sha)
    pull.merged, pull.merged_by, pull.merge_sha = hub.store.now(), actor.user, sha
    acts.set_state(hub, repo, issue, actor, "closed")
    refs_moved(hub, repo, actor, before, git.refs())


def head_commit(hub: Hub, repo: Repository, pull: Pull) -> Json:
    """The head commit as JSON."""
    return gitdata.commit(hub, repo, hub.git(repo).commit_info(pull.head_sha))


def files(hub: Hub, repo: Repository, pull: Pull) -> list[Json]:
    """The changed files as JSON."""
    return [pulls.file(hub, repo, pull.head_sha, change) for change in pulls.changes(hub, repo, pull)]
