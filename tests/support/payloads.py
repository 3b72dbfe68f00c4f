"""Webhook deliveries as the forge sends them, reduced to what matters plus some keys we must not trip over."""

import hashlib
import hmac
import json
import uuid
from collections.abc import Mapping

SECRET = "an old umbrella"

Payload = dict[str, object]


def user(login: str = "mona", number: int = 7, kind: str = "User") -> Payload:
    return {"login": login, "id": number, "type": kind, "node_id": "U_x", "site_admin": False, "html_url": "https://x"}


def repository(number: int = 42, name: str = "sums", owner: str = "acme", **changes: object) -> Payload:
    return {
        "id": number,
        "name": name,
        "full_name": f"{owner}/{name}",
        "owner": user(owner, 99, "Organization"),
        "private": False,
        "default_branch": "main",
        "archived": False,
        "disabled": False,
        "topics": ["numbers"],
    } | changes


def issue(number: int = 3, **changes: object) -> Payload:
    return {
        "id": 10_000 + number,
        "number": number,
        "title": "The total is one too low",
        "body": "`total([1, 2])` gives 2.\n\nIt should give 3.",
        "state": "open",
        "locked": False,
        "labels": [{"id": 1, "name": "bug"}, {"id": 2, "name": "bendcoder"}],
        "user": user("reporter", 8),
        "created_at": "2026-11-30T09:00:00Z",
        "updated_at": "2026-11-30T10:00:00Z",
        "author_association": "NONE",
    } | changes


def labeled(name: str = "bendcoder", /, **changes: object) -> Payload:
    return {
        "action": "labeled",
        "issue": issue(),
        "label": {"id": 5, "name": name, "color": "ededed", "default": False},
        "repository": repository(),
        "sender": user(),
        "installation": {"id": 1234, "node_id": "I_x"},
    } | changes


def commented(
    body: str, number: int = 555, *, comment: Mapping[str, object] | None = None, **changes: object
) -> Payload:
    return {
        "action": "created",
        "issue": issue(),
        "comment": {
            "id": number,
            "body": body,
            "user": user(),
            "created_at": "2026-11-30T10:05:00Z",
            "updated_at": "2026-11-30T10:05:00Z",
            "author_association": "CONTRIBUTOR",
            "performed_via_github_app": None,
        }
        | dict(comment or {}),
        "repository": repository(),
        "sender": user(),
        "installation": {"id": 1234},
    } | changes


def signed(
    event: str, payload: object, *, delivery: str | None = None, secret: str = SECRET, **headers: str
) -> tuple[dict[str, str], bytes]:
    """Headers (lower case) and body of a delivery; `headers` replace or add, with `_` for `-`."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    usual = {
        "content-type": "application/json",
        "user-agent": "GitHub-Hookshot/abc1234",
        "x-github-event": event,
        "x-github-delivery": delivery or str(uuid.uuid4()),
        "x-github-hook-id": "77",
        "x-hub-signature-256": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest(),
    }
    return usual | {name.replace("_", "-"): value for name, value in headers.items()}, body
