"""Git over smart HTTP: checks the token, lets `git http-backend` do the work, tells the store what a push moved.

The request body is spooled to a file before the child starts: streaming it while the answer runs deadlocks, because
the server's disconnect listener eats body messages.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import IO
from urllib.parse import unquote

from starlette.requests import Request as HttpRequest
from starlette.responses import Response, StreamingResponse

from deploy.devhub import pullacts
from deploy.devhub.api import faulty
from deploy.devhub.auth import Caller, identify_basic
from deploy.devhub.calls import Call, fingerprint
from deploy.devhub.connections import hang_up
from deploy.devhub.git import environment
from deploy.devhub.hub import Hub
from deploy.devhub.problems import Problem
from deploy.devhub.push_rules import PushRules
from deploy.devhub.state import Repository
from deploy.devhub.views.people import stamp
from deploy.devhub.webhooks import Deliveries

_CHUNK = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One git request: repository, service path below it, and what it does."""

    repo: Repository
    tail: str
    writes: bool
    pushes: bool
    """Whether this very request may move refs."""
    caller: Caller


class GitHttp:
    """Serves `/OWNER/NAME.git/...`."""

    def __init__(self, hub: Hub, deliveries: Deliveries) -> None:
        self.hub = hub
        self.deliveries = deliveries
        self.rules = PushRules(hub)
        self._pushing: dict[int, asyncio.Lock] = {}

    async def __call__(self, http: HttpRequest) -> Response:
        """Answer one request."""
        began, path = time.monotonic(), unquote(http.scope["path"])
        fault = self.hub.faults.match(http.method, path)
        if fault is not None:
            await asyncio.sleep(fault.delay)
        if fault is not None and fault.reset == "before":
            hang_up(http.scope)
            return Response(status_code=500)
        caller, response = Caller(), Response()
        if fault is not None and fault.status is not None:
            response = faulty(fault)
        else:
            try:
                caller = identify_basic(self.hub.store, http.headers.get("authorization"))
                response = await self._serve(http, caller)
            except Problem as problem:
                response = _refused(problem)
        self._log(http, path, caller, response.status_code, began)
        self.deliveries.flush()
        if fault is not None and fault.reset == "after":
            hang_up(http.scope)
        return response

    async def _serve(self, http: HttpRequest, caller: Caller) -> Response:
        wanted = self._wanted(http, caller)
        body = await _spool(http)
        if not wanted.pushes:
            child, out = await self._start(http, wanted, body)
            status, headers = await _head(out)
            return StreamingResponse(_rest(out, child), status, headers)
        async with self._pushing.setdefault(wanted.repo.id, asyncio.Lock()):
            before = await asyncio.to_thread(self.hub.git(wanted.repo).refs)
            child, out = await self._start(http, wanted, body)
            status, headers = await _head(out)
            content = await out.read()
            await child.wait()
            await asyncio.to_thread(self._moved, wanted, before)
        return Response(content, status, headers)

    async def _start(
        self, http: HttpRequest, wanted: Wanted, body: IO[bytes]
    ) -> tuple[asyncio.subprocess.Process, asyncio.StreamReader]:
        with body:
            child = await asyncio.create_subprocess_exec(
                "git",
                "http-backend",
                stdin=body,
                stdout=asyncio.subprocess.PIPE,
                env=self._variables(http, wanted),
            )
        if child.stdout is None:
            raise Problem(500, {"message": "git http-backend gave no output to read"})
        return child, child.stdout

    def _wanted(self, http: HttpRequest, caller: Caller) -> Wanted:
        parts, store = http.path_params, self.hub.store
        tail = str(parts["tail"])
        service = http.query_params.get("service", "") if tail == "info/refs" else tail
        with store.lock:
            repo = store.repository(str(parts["owner"]), str(parts["name"]))
            if repo is None or service not in {"git-upload-pack", "git-receive-pack"}:
                raise _missing(caller)
            writes = service == "git-receive-pack"
            self._check(repo, caller, writes=writes)
            return Wanted(repo=repo, tail=tail, writes=writes, pushes=writes and http.method == "POST", caller=caller)

    def _check(self, repo: Repository, caller: Caller, *, writes: bool) -> None:
        if caller.token is None:
            if repo.private or writes:
                raise _missing(caller)
            return
        if not caller.sees(self.hub.store, repo):
            raise _missing(caller)
        if not caller.may("contents", "write" if writes else "read"):
            raise Problem(403, {"message": "Write access to repository not granted."})
        if writes and repo.archived:
            raise Problem(403, {"message": "This repository was archived so it is read-only."})

    def _variables(self, http: HttpRequest, wanted: Wanted) -> Mapping[str, str]:
        variables = {
            "GIT_PROJECT_ROOT": str(self.hub.git(wanted.repo).path),
            "PATH_INFO": f"/{wanted.tail}",
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": http.method,
            "QUERY_STRING": str(http.url.query),
            "CONTENT_TYPE": http.headers.get("content-type", ""),
            "REMOTE_USER": wanted.caller.app.bot.login if wanted.caller.app else "",
        }
        passed = {
            "content-length": "CONTENT_LENGTH",
            "git-protocol": "GIT_PROTOCOL",
            "content-encoding": "HTTP_CONTENT_ENCODING",
        }
        variables |= {name: http.headers[header] for header, name in passed.items() if header in http.headers}
        if wanted.writes:
            variables |= self.rules.variables(wanted.repo, wanted.caller)
        return environment(variables)

    def _moved(self, wanted: Wanted, before: dict[str, str]) -> None:
        with self.hub.store.lock:
            after = self.hub.git(wanted.repo).refs()
            pullacts.refs_moved(self.hub, wanted.repo, wanted.caller.actor(), before, after)

    def _log(self, http: HttpRequest, path: str, caller: Caller, status: int, began: float) -> None:
        parts = http.path_params
        self.hub.calls.add(
            Call(
                at=stamp(self.hub.store.now()),
                method=http.method,
                path=path,
                query=str(http.url.query),
                status=status,
                who=caller.who,
                repository=f"{parts['owner']}/{parts['name']}",
                token=None if caller.token is None else fingerprint(caller.token.value),
                known=True,
                milliseconds=round((time.monotonic() - began) * 1000, 2),
            )
        )


def _missing(caller: Caller) -> Problem:
    """404 for whoever showed a token; the others are asked for one first."""
    if caller.token is not None:
        return Problem(404, {"message": "Repository not found."})
    return Problem(401, {"message": "No anonymous write access."})


def _refused(problem: Problem) -> Response:
    headers = {"content-type": "text/plain; charset=utf-8"}
    if problem.status == 401:
        headers["www-authenticate"] = 'Basic realm="GitHub"'
    return Response(f"{problem.body.get('message')}\n", problem.status, headers)


async def _spool(http: HttpRequest) -> IO[bytes]:
    spool = tempfile.TemporaryFile()  # noqa: SIM115 - closed by whoever hands it to the child
    async for chunk in http.stream():
        await asyncio.to_thread(spool.write, chunk)
    spool.seek(0)
    return spool


async def _head(out: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    status, headers = 200, dict[str, str]()
    while (line := (await out.readline()).decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        if name.lower() == "status":
            status = int(value.split()[0])
        else:
            headers[name.lower()] = value.strip()
    return status, headers


async def _rest(out: asyncio.StreamReader, child: asyncio.subprocess.Process) -> AsyncIterator[bytes]:
    try:
        while chunk := await out.read(_CHUNK):
            yield chunk
    finally:
        if child.returncode is None and not out.at_eof():
            child.kill()
        await child.wait()
