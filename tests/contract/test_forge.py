"""The Forge port against the GitHub stand-in: every method, and every refusal of GitHub we know of."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from deploy.devhub.client import RepoName
from tests.support.devhub import Devhub, running_devhub
from worker.contract.job import RepoRef
from worker.domain import Role
from worker.errors import ConfigError, ForgeDenied, ForgeError, ForgeGone, ForgeInvalid, ForgeUnavailable
from worker.forge.client import AppKey, GithubForges
from worker.forge.github import GithubForge
from worker.report.redact import Redactor

MARKER = "<!-- bendcoder:job=0123456789abcdef -->"


@dataclass(slots=True)
class Yard:
    hub: Devhub
    repo: RepoName
    ref: RepoRef
    forges: GithubForges
    installation: int
    slept: list[float] = field(default_factory=list)

    def open(self):
        return self.forges.open(self.installation, self.ref)

    def creations(self, path: str) -> int:
        return len(self.hub.control.calls(path=path, method="POST"))


@pytest.fixture(scope="module")
def hub(tmp_path_factory) -> Iterator[Devhub]:
    with running_devhub(tmp_path_factory.mktemp("forge")) as running:
        yield running


@pytest.fixture
def yard(hub: Devhub, request: pytest.FixtureRequest) -> Yard:
    name = f"r{abs(hash(request.node.nodeid)) % 10**9}"
    repo = hub.control.create_repository("acme", name, {"README.md": "hello\n"})
    hub.control.clear_faults()
    hub.control.clear_calls()
    hub.control.clock(token_lag=0.0)
    ref = RepoRef(id=hub.control.repository_id(repo), owner="acme", name=name)
    slept: list[float] = []
    redactor = Redactor()
    key = AppKey(api_url=hub.api_url, web_url=hub.web_url, app_id=str(hub.app_id), private_key=hub.private_key_pem)
    forges = GithubForges(key, redact=redactor, learn=redactor.add, sleep=slept.append)
    return Yard(hub, repo, ref, forges, hub.control.installation_id("acme"), slept)


@pytest.fixture
def forge(yard: Yard) -> Iterator[GithubForge]:
    with yard.open() as opened:
        yield opened


def pushed(yard: Yard, branch: str = "bendcoder/issue-1") -> str:
    return yard.hub.control.commit(yard.repo, {"new.txt": "x"}, branch=branch, start="main")


def test_repository_issue_comments_and_label_events_are_read(yard, forge):
    control = yard.hub.control
    control.set_role(yard.repo, "ann", "write")
    number = control.create_issue(yard.repo, "It breaks", "", actor="bob")
    control.add_label(yard.repo, number, "bendcoder", actor="ann")
    written = control.comment(yard.repo, number, "/bendcoder steps=3", actor="ann")

    repository, issue, comment = forge.repository(), forge.issue(number), forge.comment(written)

    assert (repository.id, repository.full_name, repository.default_branch) == (yard.ref.id, yard.repo.full, "main")
    assert (issue.title, issue.body, issue.state, issue.author.login) == ("It breaks", "", "open", "bob")
    assert issue.labels == ("bendcoder",)
    assert (comment.body, comment.author.login, comment.created_at) == ("/bendcoder steps=3", "ann", comment.updated_at)
    assert [event.actor.login for event in forge.label_events(number) if event.label == "bendcoder"] == ["ann"]
    assert [one.id for one in forge.comments(number)] == [written]


def test_more_than_a_page_of_comments_is_read(yard, forge):
    number = yard.hub.control.create_issue(yard.repo, "Long", "")
    written = [yard.hub.control.comment(yard.repo, number, f"word {n}") for n in range(103)]
    assert [one.id for one in forge.comments(number)] == written


@pytest.mark.parametrize("role", [Role.READ, Role.TRIAGE, Role.WRITE, Role.MAINTAIN, Role.ADMIN])
def test_roles_come_from_the_permission_api(yard, forge, role):
    yard.hub.control.set_role(yard.repo, "ann", role.value)
    assert forge.role("ann") is role


def test_nobody_has_no_role(yard, forge):
    assert forge.role("never-heard-of") is Role.NONE
    assert not forge.role("never-heard-of").may_delegate


def test_a_comment_is_posted_edited_and_deleted(yard, forge):
    number = yard.hub.control.create_issue(yard.repo, "T", "B")
    posted = forge.post_comment(number, f"{MARKER}\nfirst")
    assert forge.edit_comment(posted, f"{MARKER}\nsecond")
    found = yard.hub.control.comments(yard.repo, number)
    assert [one.body for one in found] == [f"{MARKER}\nsecond"]
    assert forge.comments(number)[0].author.login == forge.identity().name == f"{yard.hub.app_slug}[bot]"
    forge.delete_comment(posted)
    forge.delete_comment(posted)
    assert not forge.edit_comment(posted, "gone")


def test_reactions_go_to_the_issue_or_to_the_comment_and_may_be_repeated(yard, forge):
    number = yard.hub.control.create_issue(yard.repo, "T", "B")
    comment = yard.hub.control.comment(yard.repo, number, "/bendcoder")
    for _ in range(2):
        forge.react(number, None, "eyes")
        forge.react(number, comment, "eyes")
    assert len(yard.hub.control.reactions(yard.repo, number)) == 2


def test_a_draft_is_opened_found_edited_and_closed(yard, forge):
    pushed(yard)
    opened = forge.open_draft(title="T", body="B", head="bendcoder/issue-1", base="main")
    again = forge.open_draft(title="T", body="B", head="bendcoder/issue-1", base="main")
    assert (opened.draft, opened.state, opened.number) == (True, "open", again.number)
    assert [pull.number for pull in forge.pulls("bendcoder/issue-1")] == [opened.number]
    assert forge.edit_pull(opened.number, title="T2", body="B2").body == "B2"
    forge.close_pull(opened.number)
    assert [pull.state for pull in forge.pulls("bendcoder/issue-1")] == ["closed"]
    assert forge.pulls("bendcoder/issue-2") == ()


def test_where_drafts_do_not_exist_an_open_pull_request_says_so(yard, forge):
    yard.hub.control.change_repository(yard.repo, drafts=False)
    pushed(yard)
    assert not forge.open_draft(title="T", body="B", head="bendcoder/issue-1", base="main").draft


def test_an_empty_branch_is_refused_with_githubs_words(yard, forge):
    sha = yard.hub.control.branches(yard.repo)["main"]
    assert sha
    with pytest.raises(ForgeInvalid, match=r"No commits between|invalid"):
        forge.open_draft(title="T", body="B", head="main", base="main")


def test_a_check_is_made_once_per_job_and_commit(yard, forge):
    sha = pushed(yard)
    forge.check_run(head_sha=sha, conclusion="success", title="verified", summary="S", job_id="j1")
    assert forge.has_check(sha, "j1")
    assert not forge.has_check(sha, "j2")
    assert [check.conclusion for check in yard.hub.control.checks(yard.repo) if check.head_sha == sha] == ["success"]


def test_files_are_read_at_a_ref_within_a_limit(yard, forge):
    yard.hub.control.commit(yard.repo, {".github/bendcoder.yml": b"steps: 3\n", "d/e": "x"})
    assert forge.file(".github/bendcoder.yml", "main", 100) == b"steps: 3\n"
    assert forge.file("absent", "main", 100) is None
    with pytest.raises(ConfigError, match="plain file"):
        forge.file(".github/bendcoder.yml", "main", 3)
    with pytest.raises(ConfigError, match="plain file"):
        forge.file("d", "main", 100)


def test_tokens_are_narrowed_and_revoked(yard):
    control = yard.hub.control
    with yard.open() as forge:
        forge.repository()
        read, write = forge.git_token(False), forge.git_token(True)
        assert read != write
        assert forge._redact(f"push with {write}") == "push with [redacted]"
        forge.revoke(read)
        forge.revoke(read)
    revoked = control.calls(path="/installation/token", method="DELETE")
    assert [call.status for call in revoked] == [204, 401, 204]
    assert len(control.calls(path="access_tokens", method="POST")) == 3


def test_nothing_is_called_when_nothing_is_asked(yard):
    with yard.open():
        pass
    assert yard.hub.control.calls() == []


def test_a_new_token_that_replicas_do_not_know_yet_is_tried_again(yard, forge):
    yard.hub.control.fault("*/issues/*", preset="bad_credentials", times=2)
    number = yard.hub.control.create_issue(yard.repo, "T", "B")
    assert forge.issue(number).title == "T"
    assert yard.slept == [1.0, 2.0]


def test_credentials_that_are_wrong_end_in_denial(yard, forge):
    yard.hub.control.fault("*/issues/*", preset="bad_credentials", times=None)
    with pytest.raises(ForgeDenied, match="does not accept the App's credentials"):
        forge.issue(1)
    assert yard.slept == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("preset", ["html_502", "reset_before", "reset_after"])
def test_a_comment_is_not_doubled_by_an_unclear_failure(yard, forge, preset):
    number = yard.hub.control.create_issue(yard.repo, "T", "B")
    yard.hub.control.fault("*/comments", method="POST", preset=preset)
    posted = forge.post_comment(number, f"{MARKER}\nhello")
    assert [one.id for one in yard.hub.control.comments(yard.repo, number)] == [posted]


@pytest.mark.parametrize("preset", ["html_502", "reset_after"])
def test_a_pull_request_is_not_doubled_by_an_unclear_failure(yard, forge, preset):
    pushed(yard)
    yard.hub.control.fault("*/pulls", method="POST", preset=preset)
    opened = forge.open_draft(title="T", body="B", head="bendcoder/issue-1", base="main")
    assert [pull.number for pull in yard.hub.control.pulls(yard.repo)] == [opened.number]


def test_reading_is_repeated_when_github_is_broken(yard, forge):
    number = yard.hub.control.create_issue(yard.repo, "T", "B")
    yard.hub.control.fault("*/issues/*", preset="html_502", times=3)
    assert forge.issue(number).title == "T"
    assert yard.slept == [1.0, 2.0, 4.0]


def test_a_github_that_stays_broken_is_unavailable(yard, forge):
    yard.hub.control.fault("*", preset="html_502", times=None)
    with pytest.raises(ForgeUnavailable, match="502") as caught:
        forge.issue(1)
    assert caught.value.retry
    yard.hub.control.clear_faults()


@pytest.mark.parametrize(
    ("preset", "waits"),
    [("secondary_limit", [60.0]), ("secondary_limit_429", [60.0]), ("secondary_limit_bare", [60.0])],
)
def test_a_short_limit_is_waited_out(yard, forge, preset, waits):
    number = yard.hub.control.create_issue(yard.repo, "T", "B")
    yard.hub.control.fault("*/issues/*/comments", method="POST", preset=preset)
    forge.post_comment(number, f"{MARKER}\nhello")
    assert yard.slept == waits
    assert len(yard.hub.control.comments(yard.repo, number)) == 1


def test_a_long_limit_goes_back_to_the_caller_with_its_time(yard, forge):
    yard.hub.control.fault("*/issues/*", status=403, body={"message": "slow down"}, headers={"retry-after": "900"})
    with pytest.raises(ForgeUnavailable) as caught:
        forge.issue(1)
    assert caught.value.args[1] == 900.0
    assert yard.slept == []


def test_a_repository_outside_the_token_is_gone(yard):
    other = RepoRef(id=1, owner="acme", name="nowhere")
    with yard.forges.open(yard.installation, other) as forge, pytest.raises(ForgeError):
        forge.repository()


def test_a_missing_permission_is_named(yard):
    control = yard.hub.control
    number = control.create_issue(yard.repo, "T", "B")
    control.fault(
        "*/comments",
        method="POST",
        status=403,
        body={"message": "Resource not accessible by integration"},
        headers={"x-accepted-github-permissions": "issues=write; pull_requests=write"},
    )
    with yard.open() as forge, pytest.raises(ForgeDenied, match="issues=write; pull_requests=write"):
        forge.post_comment(number, f"{MARKER}\nhello")


def test_suspension_and_uninstalling_are_told_apart(yard):
    control = yard.hub.control
    control.fault("*/access_tokens", method="POST", preset="suspended")
    with yard.open() as forge, pytest.raises(ForgeDenied, match="suspended"):
        forge.repository()
    with yard.forges.open(999_999, yard.ref) as forge, pytest.raises(ForgeGone):
        forge.repository()


def test_secrets_in_a_text_never_reach_github(yard, forge):
    number = yard.hub.control.create_issue(yard.repo, "T", "B")
    token = forge.git_token(False)
    forge.post_comment(number, f"{MARKER}\nit printed {token}")
    assert yard.hub.control.comments(yard.repo, number)[0].body == f"{MARKER}\nit printed [redacted]"


def test_a_locked_issue_refuses_a_comment(yard, forge):
    number = yard.hub.control.create_issue(yard.repo, "T", "B")
    yard.hub.control.change_issue(yard.repo, number, locked=True)
    with pytest.raises(ForgeDenied):
        forge.post_comment(number, f"{MARKER}\nhello")
