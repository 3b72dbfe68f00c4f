"""From a label to a verified draft pull request through real processes, and never two for one wish.

The walk of docs/architecture.md as an executable page: GitHub's signed webhook over HTTP, the receiver process, the
Redis-protocol server, a Celery worker process, a real repair by the embedded backends in the sandbox, a real push.
"""

from collections.abc import Iterator

import pytest

from tests.support.house import FILES, House, running_house
from worker.contract.job import JobState

pytestmark = [pytest.mark.xdist_group("e2e"), pytest.mark.slow, pytest.mark.redis]


@pytest.fixture(scope="module")
def house(tmp_path_factory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("house")) as running:
        yield running


def test_a_label_becomes_a_verified_draft_pull_request(house: House):
    repo = house.repository("first")
    number = house.issue(repo)

    house.hub.add_label(repo, number, "bendcoder", actor="ann")
    record = house.ended(house.job(repo))

    assert (record.state, record.outcome, record.verdict) == (JobState.DONE, "completed", "verified"), record
    (pull,) = house.hub.pulls(repo)
    assert (pull.draft, pull.state, pull.head, pull.base) == (True, "open", f"bendcoder/issue-{number}", "main")
    assert f"Closes #{number}" in pull.body
    assert "test_spans.py::test_the_end_lies_outside" in pull.body
    assert "embedded rules, not calibrated" in pull.body
    repaired = house.hub.file(repo, "spans.py", ref=pull.head)
    assert repaired is not None
    assert b"begin <= point < end" in repaired
    assert house.hub.file(repo, "test_spans.py", ref=pull.head) == FILES["test_spans.py"].encode()
    assert [check.conclusion for check in house.hub.checks(repo)] == ["success"]
    (said,) = house.said(repo, number)
    assert pull.url in said
    assert record.attempts == len(record.owners) == 1
    assert [call.status for call in house.hub.calls(path="/installation/token", method="DELETE")] != []


def test_the_same_delivery_again_and_a_comment_at_the_same_moment_are_one_job(house: House):
    repo = house.repository("second")
    number = house.issue(repo)

    house.hub.hold_webhooks()
    house.hub.add_label(repo, number, "bendcoder", actor="ann")
    house.hub.comment(repo, number, "/bendcoder steps=8", actor="ann")
    house.hub.release_webhooks(copies=2)
    record = house.ended(house.job(repo))
    labelled = [one for one in house.hub.deliveries("issues") if one.action == "labeled" and one.status_code == 202]
    house.hub.redeliver(labelled[-1].id)
    house.wait(house.hub.settled, 10, "the redelivery's answer")

    assert (record.state, record.verdict) == (JobState.DONE, "verified")
    assert house.jobs(repo) == (record.job_id,)
    assert {one.kind.value for one in record.triggers} == {"label", "comment"}
    assert len(record.triggers) == 2
    assert len(house.hub.pulls(repo)) == 1
    assert sorted(house.hub.branches(repo)) == [f"bendcoder/issue-{number}", "main"]
    assert sum("draft pull request is open" in said for said in house.said(repo, number)) == 1
