"""Who may not start a run, through real processes: nothing runs, the reason is said, and nobody else is disturbed."""

import re
from collections.abc import Iterator

import pytest

from tests.support.house import House, running_house
from worker.contract.job import JobState

pytestmark = [pytest.mark.xdist_group("e2e"), pytest.mark.slow, pytest.mark.redis]


@pytest.fixture(scope="module")
def house(tmp_path_factory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("house")) as running:
        yield running


def test_an_outsiders_label_is_refused_and_said_why(house: House):
    repo = house.repository("labelled-by-eve")
    number = house.issue(repo)
    house.hub.add_label(repo, number, "bendcoder", actor="eve")
    record = house.ended(house.job(repo))

    assert (record.state, record.outcome, record.trace) == (JobState.FAILED, "refused", "")
    (said,) = house.said(repo, number)
    assert "eve has the role `read`" in said
    assert house.hub.pulls(repo) == []
    assert list(house.hub.branches(repo)) == ["main"]
    assert house.hub.checks(repo) == []
    assert not house.hub.calls(path="git-upload-pack", repository=repo.full)


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_outsiders_comment_beside_a_maintainers_label_changes_nothing(house: House, when: str):
    repo = house.repository(f"eve-comments-{when}")
    number = house.issue(repo)
    house.hub.hold_webhooks()
    if when == "before":
        house.hub.comment(repo, number, "/bendcoder steps=1", actor="eve")
    house.hub.add_label(repo, number, "bendcoder", actor="ann")
    if when == "after":
        house.hub.comment(repo, number, "/bendcoder stop", actor="eve")
    house.hub.release_webhooks()
    house.wait(lambda: len(house.hub.pulls(repo)) == 1, 120, "a draft")
    (pull,) = house.hub.pulls(repo)
    (job,) = re.findall(r"<!-- bendcoder:job=(\w+) -->", pull.body)
    served = house.ended(job)
    records = [house.ended(one) for one in house.jobs(repo)]

    # Ask the pull request which job it was: the label may share one job with the comment, come after its refusal, or
    # join it too late to be looked at, and then it is passed on to a job no delivery was answered with.
    assert (served.state, served.verdict, served.cancel) == (JobState.DONE, "verified", False), served
    assert all(record.outcome == "refused" for record in records if record.job_id != job), records
    assert len(house.hub.pulls(repo)) == 1
    refusals = [said for said in house.said(repo, number) if "eve has the role `read`" in said]
    assert len(refusals) == 1


def test_a_repository_outside_the_list_is_never_called_and_the_next_is_served(house: House):
    outside = house.repository("private-matter", owner="stranger")
    inside = house.repository("welcome")
    house.hub.clear_calls()
    first, second = house.issue(outside), house.issue(inside)

    house.hub.add_label(outside, first, "bendcoder", actor="ann")
    refused = house.ended(house.job(outside))
    assert (refused.state, refused.outcome) == (JobState.FAILED, "refused")
    assert "BENDCODER_ALLOW" in refused.reason
    assert house.hub.calls() == []
    assert house.said(outside, first) == []

    house.hub.add_label(inside, second, "bendcoder", actor="ann")
    served = house.ended(house.job(inside))
    assert served.verdict == "verified"
    assert served.owner.split(":")[1] == refused.owner.split(":")[1]
    assert not house.hub.calls(repository=outside.full)
