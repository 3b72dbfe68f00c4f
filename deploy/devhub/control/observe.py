"""Control for tests: fault rules, the clock, the call log and the webhook deliveries."""

from collections.abc import Mapping
from datetime import timedelta

from deploy.devhub.faults import PRESETS, Fault
from deploy.devhub.problems import Json, not_found, refusal
from deploy.devhub.routing import Reply, Request, optional_text, route
from deploy.devhub.views.people import stamp


def number(body: Json, key: str, default: float = 0.0) -> float:
    """A number of a body."""
    value = body.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refusal(422, f"{key}: a number")
    return float(value)


def _fault(body: Json) -> Fault:
    preset = optional_text(body, "preset")
    if preset is not None and preset not in PRESETS:
        raise refusal(422, f"preset: one of {', '.join(PRESETS)}")
    base = Fault() if preset is None else PRESETS[preset]
    headers, status = body.get("headers"), body.get("status", base.status)
    if status is not None and not isinstance(status, int):
        raise refusal(422, "status: a whole number")
    reset = optional_text(body, "reset") or base.reset
    if reset not in {None, "before", "after"}:
        raise refusal(422, "reset: before or after")
    named: Mapping[str, str] = headers if isinstance(headers, dict) else base.headers
    return Fault(
        status=status,
        body=body.get("body", base.body),
        headers=dict(named),
        delay=number(body, "delay", base.delay),
        body_delay=number(body, "body_delay", base.body_delay),
        reset=reset,
    )


def _add_fault(request: Request) -> Reply:
    body = request.body()
    times = body.get("times", 1)
    rule = request.hub.faults.add(
        method=optional_text(body, "method") or "*",
        path=optional_text(body, "path") or "*",
        nth=int(number(body, "nth", 1)),
        times=times if isinstance(times, int) else None,
        fault=_fault(body),
    )
    return Reply(body=rule.json(), status=201)


def _faults(request: Request) -> Reply:
    return Reply(body=[rule.json() for rule in request.hub.faults.rules])


def _clear_faults(request: Request) -> Reply:
    request.hub.faults.clear()
    return Reply(body={})


def _clock(request: Request) -> Reply:
    """Move the clock, and set the other things that depend on time."""
    body, store = request.body(), request.hub.store
    store.offset += timedelta(seconds=number(body, "advance"))
    store.token_lag = number(body, "token_lag", store.token_lag)
    most = body.get("creations_per_minute", store.creations_per_minute)
    store.creations_per_minute = most if isinstance(most, int) else None
    return Reply(body={"now": stamp(store.now())})


def _calls(request: Request) -> Reply:
    names = ("path", "repository", "method", "token")
    wanted = {name: request.query[name] for name in names if name in request.query}
    return Reply(body=[call.json() for call in request.hub.calls.matching(**wanted)])


def _clear_calls(request: Request) -> Reply:
    request.hub.calls.clear()
    return Reply(body={})


def _deliveries(request: Request) -> Reply:
    event = request.query.get("event")
    found = [one.json() for one in request.deliveries.all() if event in {None, one.event}]
    return Reply(body=found)


def _redeliver(request: Request) -> Reply:
    found = request.deliveries.get(request.number("delivery_id"))
    if found is None:
        raise not_found()
    request.deliveries.request_again(found)
    return Reply(body={}, status=202)


def _hold(request: Request) -> Reply:
    request.deliveries.held = True
    return Reply(body={})


def _release(request: Request) -> Reply:
    body = request.body()
    request.deliveries.request_release(reverse=body.get("reverse") is True, copies=int(number(body, "copies", 1)))
    return Reply(body={})


ROUTES = (
    route("POST", "/faults", _add_fault),
    route("GET", "/faults", _faults),
    route("DELETE", "/faults", _clear_faults),
    route("POST", "/clock", _clock),
    route("GET", "/calls", _calls),
    route("DELETE", "/calls", _clear_calls),
    route("GET", "/deliveries", _deliveries),
    route("POST", "/deliveries/{delivery_id}/redeliver", _redeliver),
    route("POST", "/webhooks/hold", _hold),
    route("POST", "/webhooks/release", _release),
)
