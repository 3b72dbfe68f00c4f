"""Check runs, as the API gives them and as webhooks carry them; changes nothing."""

from deploy.devhub.hub import Hub
from deploy.devhub.problems import Json
from deploy.devhub.state import CheckRun, Repository
from deploy.devhub.views import people


def check_run(hub: Hub, repo: Repository, found: CheckRun) -> Json:
    """A check run."""
    api = f"{hub.urls.repo(repo)}/check-runs/{found.id}"
    page = f"{hub.urls.page(repo)}/runs/{found.id}"
    return {
        "id": found.id,
        "node_id": people.node("CheckRun", found.id),
        "name": found.name,
        "head_sha": found.head_sha,
        "external_id": found.external_id,
        "url": api,
        "html_url": page,
        "details_url": found.details_url or page,
        "status": found.status,
        "conclusion": found.conclusion,
        "started_at": people.maybe_stamp(found.started),
        "completed_at": people.maybe_stamp(found.completed),
        "output": {
            "title": found.title,
            "summary": found.summary,
            "text": found.text,
            "annotations_count": len(found.annotations),
            "annotations_url": f"{api}/annotations",
        },
        "check_suite": {"id": found.suite_id},
        "app": people.app(hub.urls, found.app),
        "pull_requests": [],
    }


def check_run_event(hub: Hub, repo: Repository, found: CheckRun) -> Json:
    """A check run as webhooks carry it: with its suite spelled out."""
    api = f"{hub.urls.repo(repo)}/check-suites/{found.suite_id}"
    began = people.stamp(found.started or hub.store.now())
    suite: Json = {
        "id": found.suite_id,
        "node_id": people.node("CheckSuite", found.suite_id),
        "head_branch": None,
        "head_sha": found.head_sha,
        "status": found.status,
        "conclusion": found.conclusion,
        "url": api,
        "before": None,
        "after": None,
        "pull_requests": [],
        "app": people.app(hub.urls, found.app),
        "created_at": began,
        "updated_at": began,
    }
    return check_run(hub, repo, found) | {"check_suite": suite, "external_id": found.external_id or ""}


def annotation(hub: Hub, repo: Repository, found: CheckRun, given: Json) -> Json:
    """One annotation of a check run."""
    defaults: Json = dict.fromkeys(("start_column", "end_column", "title", "raw_details"))
    blob = f"{hub.urls.repo(repo)}/contents/{given.get('path')}?ref={found.head_sha}"
    return defaults | given | {"blob_href": blob}
