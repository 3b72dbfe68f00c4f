"""Sends webhooks as GitHub does: signed, with its headers, once, within ten seconds, and remembers every delivery.

Nothing is retried by itself. Tests may hold deliveries back and let them go in another order or twice.
"""

import asyncio
import hashlib
import hmac
import json
import time
import uuid
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

import httpx

from deploy.devhub.hub import Emission, Hub
from deploy.devhub.problems import Json
from deploy.devhub.state import App
from deploy.devhub.views.people import stamp

LIMIT_SECONDS = 10.0
"""How long github.com waits for a receiver's answer."""
_KEPT_RESPONSE = 65_536


@dataclass(slots=True, kw_only=True)
class Delivery:
    """One sending of one webhook; a redelivery is a new record with the same `guid`."""

    id: int
    guid: str
    app_id: int
    event: str
    action: str | None
    installation_id: int
    repository_id: int | None
    payload: Json
    created: datetime
    redelivery: bool = False
    url: str = ""
    status: str = "pending"
    status_code: int = 0
    duration: float = 0.0
    request_headers: Mapping[str, str] = field(default_factory=dict)
    response_headers: Mapping[str, str] = field(default_factory=dict)
    response_body: str = ""

    def item(self) -> Json:
        """As lists show it."""
        return {
            "id": self.id,
            "guid": self.guid,
            "delivered_at": stamp(self.created),
            "redelivery": self.redelivery,
            "duration": round(self.duration, 3),
            "status": self.status,
            "status_code": self.status_code,
            "event": self.event,
            "action": self.action,
            "installation_id": self.installation_id,
            "repository_id": self.repository_id,
            "throttled_at": None,
        }

    def json(self) -> Json:
        """With request and response."""
        return self.item() | {
            "url": self.url,
            "request": {"headers": dict(self.request_headers), "payload": self.payload},
            "response": {"headers": dict(self.response_headers), "payload": self.response_body},
        }


def signatures(secret: str, raw: bytes) -> dict[str, str]:
    """The two signature headers over the raw body."""
    key = secret.encode()
    return {
        "X-Hub-Signature": "sha1=" + hmac.new(key, raw, hashlib.sha1).hexdigest(),
        "X-Hub-Signature-256": "sha256=" + hmac.new(key, raw, hashlib.sha256).hexdigest(),
    }


class Deliveries:
    """All deliveries, newest last; lives on the server's event loop, reading is allowed from any thread."""

    def __init__(self, hub: Hub, seconds: float = LIMIT_SECONDS) -> None:
        self.hub = hub
        self.seconds = seconds
        self.held = False
        self._all: dict[int, Delivery] = {}
        self._waiting: list[Delivery] = []
        self._ids: Iterator[int] = count(1)
        self._asked: deque[Delivery] = deque()
        self._release_asked: tuple[bool, int] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._client: httpx.AsyncClient | None = None

    def of(self, app_id: int) -> list[Delivery]:
        """An App's deliveries, newest first."""
        return [one for one in reversed(self._all.values()) if one.app_id == app_id]

    def all(self) -> list[Delivery]:
        """Every delivery, oldest first."""
        return list(self._all.values())

    def get(self, delivery_id: int) -> Delivery | None:
        """One delivery."""
        return self._all.get(delivery_id)

    def pending(self) -> int:
        """How many were not answered yet (those held back included)."""
        return sum(one.status == "pending" for one in self._all.values())

    def flush(self) -> None:
        """Start sending what the outbox holds, in its order; call on the event loop."""
        if self._release_asked is not None:
            reverse, copies = self._release_asked
            self._release_asked = None
            self.release(reverse=reverse, copies=copies)
        while self._asked:
            self.again(self._asked.popleft())
        while self.hub.outbox:
            delivery = self._record(self.hub.outbox.popleft())
            if self.held:
                self._waiting.append(delivery)
            else:
                self._start(delivery)

    def release(self, *, reverse: bool, copies: int) -> None:
        """Send what was held back, `copies` times each, last first when `reverse`; stop holding."""
        self.held = False
        waiting, self._waiting = self._waiting, []
        for delivery in reversed(waiting) if reverse else waiting:
            self._start(delivery)
            for _ in range(copies - 1):
                self.again(delivery)

    def request_again(self, delivery: Delivery) -> None:
        """Note a wish for redelivery, from any thread; the next flush carries it out."""
        self._asked.append(delivery)

    def request_release(self, *, reverse: bool, copies: int) -> None:
        """Note a wish for `release`, from any thread; the next flush carries it out."""
        self._release_asked = (reverse, copies)

    def again(self, delivery: Delivery) -> Delivery:
        """Redeliver: the same GUID and payload, a new record."""
        copy = Delivery(
            id=next(self._ids),
            guid=delivery.guid,
            app_id=delivery.app_id,
            event=delivery.event,
            action=delivery.action,
            installation_id=delivery.installation_id,
            repository_id=delivery.repository_id,
            payload=delivery.payload,
            created=self.hub.store.now(),
            redelivery=True,
        )
        self._all[copy.id] = copy
        self._start(copy)
        return copy

    def _record(self, due: Emission) -> Delivery:
        delivery = Delivery(
            id=next(self._ids),
            guid=str(uuid.uuid1()),
            app_id=due.installation.app.id,
            event=due.event,
            action=due.action,
            installation_id=due.installation.id,
            repository_id=due.repository_id,
            payload=due.payload,
            created=self.hub.store.now(),
        )
        self._all[delivery.id] = delivery
        return delivery

    def _start(self, delivery: Delivery) -> None:
        app = self.hub.store.apps[delivery.app_id]
        if app.webhook_url is None:
            delivery.status = "no webhook url"
            return
        task = asyncio.get_running_loop().create_task(self._send(delivery, app, app.webhook_url))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, delivery: Delivery, app: App, url: str) -> None:
        raw = json.dumps(delivery.payload, separators=(",", ":"), ensure_ascii=False).encode()
        delivery.url = url
        delivery.request_headers = self._headers(delivery, app) | signatures(app.webhook_secret, raw)
        if self._client is None:
            self._client = httpx.AsyncClient(trust_env=False, timeout=self.seconds)
        began = time.monotonic()
        try:
            async with asyncio.timeout(self.seconds):
                answer = await self._client.post(url, content=raw, headers=dict(delivery.request_headers))
        except (TimeoutError, httpx.TimeoutException):
            delivery.status = "timed out"
        except httpx.HTTPError as error:
            delivery.status = f"failed to connect to host: {type(error).__name__}"
        else:
            delivery.response_headers = dict(answer.headers)
            delivery.response_body = answer.text[:_KEPT_RESPONSE]
            delivery.status_code = answer.status_code  # after what it speaks of: other threads read along
            delivery.status = "OK" if answer.is_success else f"Invalid HTTP Response: {answer.status_code}"
        finally:
            delivery.duration = time.monotonic() - began

    def _headers(self, delivery: Delivery, app: App) -> dict[str, str]:
        return {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/devhub0",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": str(app.id + 1_000_000),
            "X-GitHub-Hook-Installation-Target-ID": str(app.id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
        }

    async def close(self) -> None:
        """Stop sending; what is under way is given up."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()
