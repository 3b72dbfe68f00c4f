"""Endpoints about check runs."""

from datetime import datetime

from deploy.devhub.payloads import emit
from deploy.devhub.problems import Json, not_found, refusal
from deploy.devhub.routing import Reply, Request, optional_text, repo_route, text
from deploy.devhub.state import App, CheckRun, Repository
from deploy.devhub.views import checks

READ = "checks=read"
WRITE = "checks=write"
MAX_TEXT = 65_535
MAX_ANNOTATIONS = 50
CONCLUSIONS = ("success", "failure", "neutral", "cancelled", "timed_out", "action_required", "skipped")


def _app(request: Request) -> App:
    if request.caller.app is None:
        raise not_found()
    return request.caller.app


def _run(request: Request, repo: Repository) -> CheckRun:
    found = repo.checks.get(request.number("check_run_id"))
    if found is None:
        raise not_found()
    return found


def _time(body: Json, key: str) -> datetime | None:
    value = optional_text(body, key)
    try:
        return None if value is None else datetime.fromisoformat(value)
    except ValueError:
        raise refusal(422, f"Invalid request.\n\n{value!r} is not a valid date-time.") from None


def _output(run: CheckRun, body: Json) -> None:
    output = body.get("output")
    if output is None:
        return
    if not isinstance(output, dict) or not output.get("title") or output.get("summary") is None:
        raise refusal(422, 'Invalid request.\n\n"title", "summary" weren\'t supplied.')
    for key in ("summary", "text"):
        if len(str(output.get(key) or "")) > MAX_TEXT:
            raise refusal(422, f"Invalid request.\n\nOnly {MAX_TEXT} characters are allowed; more were supplied.")
    notes = output.get("annotations") or []
    if len(notes) > MAX_ANNOTATIONS:
        raise refusal(422, "Invalid request.\n\nNo more than 50 items are allowed; more were supplied.")
    run.title, run.summary = str(output["title"]), str(output["summary"])
    run.text = None if output.get("text") is None else str(output["text"])
    run.annotations.extend(notes)


def _apply(request: Request, run: CheckRun, body: Json) -> None:
    _output(run, body)
    run.name = optional_text(body, "name") or run.name
    run.details_url = optional_text(body, "details_url") or run.details_url
    run.external_id = optional_text(body, "external_id") or run.external_id
    run.started = _time(body, "started_at") or run.started
    run.status = optional_text(body, "status") or run.status
    conclusion = optional_text(body, "conclusion")
    if conclusion is not None:
        if conclusion not in CONCLUSIONS:
            raise refusal(422, f"Invalid request.\n\n{conclusion} is not a member of {list(CONCLUSIONS)}.")
        run.conclusion, run.status = conclusion, "completed"
    if run.status == "completed":
        if run.conclusion is None:
            raise refusal(422, 'Invalid request.\n\n"conclusion" wasn\'t supplied.')
        run.completed = _time(body, "completed_at") or run.completed or request.hub.store.now()


def _create(request: Request, repo: Repository) -> Reply:
    body, store = request.body(), request.hub.store
    sha = text(body, "head_sha", resource="CheckRun")
    if request.hub.git(repo).resolve(sha) is None:
        raise refusal(422, f"No commit found for SHA: {sha}")
    suite = next((one.suite_id for one in repo.checks.values() if one.head_sha == sha), None)
    run = CheckRun(
        id=store.new_id(),
        app=_app(request),
        name=text(body, "name", resource="CheckRun"),
        head_sha=sha,
        suite_id=suite or store.new_id(),
        started=store.now(),
    )
    _apply(request, run, body)
    repo.checks[run.id] = run
    _announce(request, repo, run, "created")
    return Reply(body=checks.check_run(request.hub, repo, run), status=201)


def _announce(request: Request, repo: Repository, run: CheckRun, action: str) -> None:
    document: Json = {"check_run": checks.check_run_event(request.hub, repo, run)}
    emit(request.hub, "check_run", action, repo, request.actor, document)


def _patch(request: Request, repo: Repository) -> Reply:
    run = _run(request, repo)
    before = run.status
    _apply(request, run, request.body())
    if run.status == "completed" and before != "completed":
        _announce(request, repo, run, "completed")
    return Reply(body=checks.check_run(request.hub, repo, run))


def _get(request: Request, repo: Repository) -> Reply:
    return Reply(body=checks.check_run(request.hub, repo, _run(request, repo)))


def _annotations(request: Request, repo: Repository) -> Reply:
    run = _run(request, repo)
    return request.listed([checks.annotation(request.hub, repo, run, one) for one in run.annotations])


def _list(request: Request, repo: Repository) -> Reply:
    sha = request.hub.git(repo).resolve(request.parts["ref"])
    if sha is None:
        raise refusal(422, f"No commit found for SHA: {request.parts['ref']}")
    name = request.query.get("check_name")
    found = [one for one in repo.checks.values() if one.head_sha == sha and name in {None, one.name}]
    shown, headers = request.page([checks.check_run(request.hub, repo, one) for one in found])
    return Reply(body={"total_count": len(found), "check_runs": shown}, headers=headers)


ROUTES = (
    repo_route("POST", "/check-runs", WRITE, _create),
    repo_route("GET", "/check-runs/{check_run_id}", READ, _get),
    repo_route("PATCH", "/check-runs/{check_run_id}", WRITE, _patch),
    repo_route("GET", "/check-runs/{check_run_id}/annotations", READ, _annotations),
    repo_route("GET", "/commits/{ref*}/check-runs", READ, _list),
)
