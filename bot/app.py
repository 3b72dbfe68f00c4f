"""The counter: four routes over a queue that is handed in; nothing here knows what a job does or who works.

A delivery is answered once it is recorded, in well under a second, or with 503 within five: the forge gives up after
ten seconds and never tries again by itself, but lists what failed.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot import command, webhook
from bot.errors import Refused, TooLarge
from bot.triggers import Ignored, Watch, decide
from worker.contract.connection import QueueUnavailable
from worker.contract.job import Delegation

logger = logging.getLogger("bendcoder.bot")

DEADLINE_SECONDS = 4.5
"""For recording a delivery: half a second under what is promised."""
READY_SECONDS = 2.0
LULL_SECONDS = 0.3
"""Without a delivery, until what only a job needs is loaded: it takes a tenth of a second, and slows down thirty."""
_THREADS = 16

T = TypeVar("T")


class Queue(Protocol):
    """Where delegations go; both calls may block, and raise QueueUnavailable."""

    def submit(self, delegation: Delegation) -> str:
        """The id of the job that answers the delegation; the same delivery twice gives the same id."""
        ...

    def ping(self) -> None:
        """Whether the queue answers."""
        ...


def make_app(secrets: Sequence[bytes], watch: Watch, queue: Queue) -> Starlette:
    """The ASGI application."""
    desk = _Desk(secrets, watch, queue)
    routes = [
        Route("/webhooks/github", desk.receive, methods=["POST"]),
        Route("/healthz", desk.healthz),
        Route("/readyz", desk.readyz),
        Route("/metrics", desk.metrics),
    ]
    return Starlette(routes=routes, lifespan=desk.open)


class _Desk:
    def __init__(self, secrets: Sequence[bytes], watch: Watch, queue: Queue) -> None:
        self._secrets = tuple(secrets)
        self._watch = watch
        self._queue = queue
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="queue")
        self._answers: Counter[str] = Counter()

    @asynccontextmanager
    async def open(self, _: Starlette) -> AsyncIterator[None]:
        """Begin to answer at once, and load what the first job needs in the first lull."""
        self._warm_in_a_lull(-1)
        yield
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _warm_in_a_lull(self, answered: int) -> None:
        """Look again as long as deliveries come: they would wait for one another and for what is loaded beside them."""
        now = self._answers.total()
        if now == answered:
            self._threads.submit(_warm, self._queue)
        else:
            asyncio.get_running_loop().call_later(LULL_SECONDS, self._warm_in_a_lull, now)

    async def receive(self, request: Request) -> Response:
        """POST /webhooks/github: 202 once recorded or found to ask for nothing."""
        try:
            body = await _body(request)
            delivery = webhook.read(request.headers, body, self._secrets)
        except Refused as refusal:
            logger.warning("delivery refused: %s %s", refusal.status, type(refusal).__name__)
            return self._answer("refused", refusal.status, {"error": str(refusal)})
        answer = decide(delivery, self._watch)
        if isinstance(answer, Ignored):
            logger.info("delivery %s %s ignored: %s", delivery.id, delivery.event, answer.reason)
            return self._answer("ignored", 202, {"ignored": answer.reason})
        try:
            job_id = await self._call(DEADLINE_SECONDS, self._queue.submit, answer)
        except QueueUnavailable as error:
            logger.error("delivery %s %s not recorded: %s", delivery.id, delivery.event, error)
            return self._answer("unavailable", 503, {"error": str(error)})
        logger.info("delivery %s %s is job %s of %s", delivery.id, delivery.event, job_id, answer.repo.full_name)
        return self._answer("job", 202, {"job": job_id})

    async def healthz(self, _: Request) -> Response:
        """GET /healthz: this process answers."""
        return JSONResponse({"status": "ok"})

    async def readyz(self, _: Request) -> Response:
        """GET /readyz: 503 while deliveries could not be recorded."""
        try:
            await self._call(READY_SECONDS, self._queue.ping)
        except QueueUnavailable as error:
            return JSONResponse({"status": "not ready", "error": str(error)}, 503)
        return JSONResponse({"status": "ready"})

    async def metrics(self, _: Request) -> Response:
        """GET /metrics: deliveries by answer, in Prometheus' text form."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client import Counter as Metric
        from prometheus_client.exposition import CONTENT_TYPE_LATEST

        registry = CollectorRegistry()
        metric = Metric("bendcoder_deliveries", "Webhook deliveries by answer", ["answer"], registry=registry)
        for answer, count in self._answers.items():
            metric.labels(answer).inc(count)
        return Response(generate_latest(registry), headers={"content-type": CONTENT_TYPE_LATEST})

    def _answer(self, kind: str, status: int, content: dict[str, str]) -> Response:
        self._answers[kind] += 1
        return JSONResponse(content, status)

    async def _call(self, seconds: float, function: Callable[..., T], *args: object) -> T:
        """The function's result from a thread. Raises QueueUnavailable after `seconds`; the thread goes on."""
        future = asyncio.get_running_loop().run_in_executor(self._threads, lambda: function(*args))
        try:
            return await asyncio.wait_for(future, seconds)
        except TimeoutError as error:
            message = "The queue did not answer in time; whether the delivery was recorded is not known. Send it again."
            raise QueueUnavailable(message) from error


async def _body(request: Request) -> bytes:
    """The raw bytes, read no further than the cap. Raises TooLarge."""
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared) > webhook.MAX_BYTES:
        raise TooLarge(f"The body is larger than {webhook.MAX_BYTES} bytes. Nothing was recorded.")
    parts = bytearray()
    async for chunk in request.stream():
        parts += chunk
        if len(parts) > webhook.MAX_BYTES:
            raise TooLarge(f"The body is larger than {webhook.MAX_BYTES} bytes. Nothing was recorded.")
    return bytes(parts)


def _warm(queue: Queue) -> None:
    command.parse(command.NAME)
    try:
        queue.ping()
    except QueueUnavailable as error:
        logger.warning("%s Deliveries are answered with 503 until it can.", error)
