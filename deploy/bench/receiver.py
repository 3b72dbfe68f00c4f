"""Bars of the public process: start, memory, delivery times; and how quickly the command line answers."""

import hashlib
import hmac
import json
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx

from deploy.bench.measure import Measure
from deploy.demo.children import child
from deploy.demo.stage import await_ready, free_port
from deploy.redis_server import redis_server

DELIVERIES = 300
_LULL = 1.0  # seconds after which what only a job needs has been loaded: it counts as memory as well
SECRET = "bench-secret"  # noqa: S105 - of a receiver that lives for this measurement


def command() -> Iterator[Measure]:
    """How quickly the command line answers."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "deploy.cli", "--help"], check=True, capture_output=True)
    yield Measure(what="bendcoder --help", value=time.perf_counter() - began, unit="s", budget=0.5)


def receiver() -> Iterator[Measure]:
    """Start-up, memory and delivery times of `bendcoder serve`."""
    with redis_server() as redis_url, tempfile.TemporaryDirectory(prefix="bendcoder-bench-") as folder:
        port = free_port()
        settings = {"BENDCODER_REDIS_URL": redis_url, "BENDCODER_WEBHOOK_SECRETS": SECRET}
        began = time.monotonic()
        with child("receiver", ["serve", "--port", str(port)], settings, Path(folder)) as process:
            await_ready(process, f"http://127.0.0.1:{port}/healthz")
            yield Measure(what="receiver: start to first answer", value=time.monotonic() - began, unit="s", budget=0.6)
            with httpx.Client(trust_env=False, base_url=f"http://127.0.0.1:{port}") as client:
                times = sorted(_deliver(client) for _ in range(DELIVERIES))
            median, late = statistics.median(times) * 1000, times[int(len(times) * 0.99)] * 1000
            yield Measure(what="receiver: 25 KB delivery, median with client", value=median, unit="ms", budget=3.0)
            yield Measure(what="receiver: 25 KB delivery, 99 of 100", value=late, unit="ms", budget=10.0)
            time.sleep(_LULL)
            yield Measure(what="receiver: memory after them", value=resident(process.pid), unit="MB", budget=80)


def _deliver(client: httpx.Client) -> float:
    """One signed comment that asks for nothing, 25 KB; seconds until its answer."""
    person = {"login": "ada", "id": 1, "type": "User"}
    repository = {"id": 7, "name": "engine", "full_name": "ada/engine", "owner": person, "default_branch": "main"}
    payload = {
        "action": "created",
        "issue": {"number": 1, "title": "t", "body": "b", "user": person, "state": "open", "labels": []},
        "comment": {"id": 5, "body": "x" * 24_000, "user": person, "created_at": "2026-01-01T00:00:00Z"},
        "repository": repository,
        "sender": person,
        "installation": {"id": 3},
    }
    raw = json.dumps(payload).encode()
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "issue_comment",
        "X-GitHub-Delivery": str(uuid.uuid4()),
        "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET.encode(), raw, hashlib.sha256).hexdigest(),
    }
    began = time.perf_counter()
    answer = client.post("/webhooks/github", content=raw, headers=headers)
    took = time.perf_counter() - began
    if answer.status_code != httpx.codes.ACCEPTED:
        raise SystemExit(f"The receiver answered {answer.status_code}: {answer.text[:200]}")
    return took


def resident(pid: int) -> float:
    """Resident memory of a process in MB."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0
