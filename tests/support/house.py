"""The whole house as real processes: stand-in, Redis-protocol server, receiver, workers; and people acting on it."""

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deploy.demo.children import Child, child
from deploy.demo.stage import await_ready, free_port
from deploy.devhub.client import DevhubClient, RepoName
from deploy.devhub.seen import SeenDelivery, as_dict
from deploy.redis_server import redis_server
from tests.support.devhub import running_devhub
from worker.contract.job import JobRecord
from worker.contract.runs import Records

SANDBOX = "bubblewrap" if shutil.which("bwrap") else "local"
"""The repositories are our own, so a machine without bubblewrap may still run these tests."""

SECRET = "a-webhook-secret"
UNUSED = (
    "hypothesispytest",
    "anyio",
    "randomly",
    "xdist",
    "xdist.looponfail",
    "pytest_cov",
    "timeout",
    "respx",
    "valkey",
)
FILES: Mapping[str, str] = {
    # The interpreter is our own, with our own plugins: loading them would take six times the suite's time.
    "pytest.ini": f"[pytest]\naddopts = {' '.join(f'-p no:{name}' for name in UNUSED)}\n",
    "spans.py": (
        "def inside(point, span):\n"
        '    """Whether a point lies in a half-open span: its begin does, its end does not."""\n'
        "    begin, end = span\n"
        "    return begin <= point <= end\n"
        "\n"
        "\n"
        "def length(span):\n"
        "    return span[1] - span[0]\n"
    ),
    "test_spans.py": (
        "from spans import inside, length\n"
        "\n"
        "\n"
        "def test_the_begin_lies_inside():\n"
        "    assert inside(2, (2, 5))\n"
        "\n"
        "\n"
        "def test_the_middle_lies_inside():\n"
        "    assert inside(3.5, (2, 5))\n"
        "    assert inside(4.5, (2, 5))\n"
        "\n"
        "\n"
        "def test_the_end_lies_outside():\n"
        "    assert not inside(5, (2, 5))\n"
        "\n"
        "\n"
        "def test_the_rest_lies_outside():\n"
        "    assert not inside(1, (2, 5))\n"
        "    assert not inside(6, (2, 5))\n"
        "\n"
        "\n"
        "def test_length():\n"
        "    assert length((2, 5)) == 3\n"
    ),
}
TITLE = "inside() counts the end"
BODY = "`inside(5, (2, 5))` should be false: a span is half-open, its end does not belong to it."


@dataclass(slots=True)
class House:
    """What is running."""

    hub: DevhubClient
    records: Records
    slug: str
    folder: Path
    settings: dict[str, str]
    receiver: Child
    workers: list[Child] = field(default_factory=list)

    def repository(self, name: str, *, owner: str = "acme", files: Mapping[str, str] = FILES) -> RepoName:
        """A repository with a bug and a suite; ann may write to it, eve may read."""
        repo = self.hub.create_repository(owner, name, files)
        self.hub.set_role(repo, "ann", "write")
        self.hub.set_role(repo, "eve", "read")
        return repo

    def issue(self, repo: RepoName) -> int:
        """The issue about the bug."""
        return self.hub.create_issue(repo, TITLE, BODY, actor="ann")

    def jobs(self, repo: RepoName) -> tuple[str, ...]:
        """Ids the receiver answered this repository's deliveries with, each once, in order."""
        found = []
        for delivery in self.hub.deliveries():
            if _repository(delivery) == repo.full and delivery.status_code == 202:
                answer = json.loads(delivery.answer)
                if "job" in answer:
                    found.append(str(answer["job"]))
        return tuple(dict.fromkeys(found))

    def job(self, repo: RepoName) -> str:
        """The one job of this repository, waited for."""
        self.wait(lambda: bool(self.jobs(repo)), 15, "a job")
        (only,) = self.jobs(repo)
        return only

    def ended(self, job_id: str, seconds: float = 120.0) -> JobRecord:
        """The record once the job has ended."""
        self.wait(lambda: not self.record(job_id).state.open, seconds, f"the end of job {job_id}")
        return self.record(job_id)

    def record(self, job_id: str) -> JobRecord:
        """The record as it is now."""
        found = self.records.load(job_id)
        assert found is not None, job_id
        return found

    def said(self, repo: RepoName, number: int) -> list[str]:
        """What the App wrote on an issue."""
        return [one.body for one in self.hub.comments(repo, number) if one.author == f"{self.slug}[bot]"]

    def wait(self, condition: Callable[[], bool], seconds: float, what: str) -> None:
        """Until it holds; else the end of the logs."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                logs = "\n".join(f"--- {one.name}\n{one.tail(4000)}" for one in (self.receiver, *self.workers))
                raise AssertionError(f"{what} did not come within {seconds:.0f} s\n{logs}")
            time.sleep(0.05)


@contextmanager
def running_house(folder: Path, *, workers: int = 1, **settings: str) -> Iterator[House]:
    """Everything on loopback; ended by process id when the block ends. `settings` are names without the prefix."""
    with ExitStack() as stack:
        redis_url = stack.enter_context(redis_server())
        devhub = stack.enter_context(running_devhub(folder))
        common = {
            "BENDCODER_REDIS_URL": redis_url,
            "BENDCODER_LABEL": "bendcoder",
            "BENDCODER_GITHUB_WEB_URL": devhub.web_url,
        }
        working = common | {
            "BENDCODER_ALLOW": "acme",
            "BENDCODER_APP_ID": str(devhub.app_id),
            "BENDCODER_APP_PRIVATE_KEY": devhub.private_key_pem,
            "BENDCODER_GITHUB_API_URL": devhub.api_url,
            "BENDCODER_GIT_URL": devhub.git_url,
            "BENDCODER_SANDBOX": SANDBOX,
            "BENDCODER_SECONDS": "120",
            "BENDCODER_DATA_DIR": str(folder / "data"),
            **{f"BENDCODER_{name.upper()}": value for name, value in settings.items()},
        }
        port = free_port()
        receiving = common | {"BENDCODER_WEBHOOK_SECRETS": SECRET}
        receiver = stack.enter_context(child("receiver", ["serve", "--port", str(port)], receiving, folder))
        records = Records(redis_url)
        stack.callback(records.close)
        house = House(devhub.control, records, devhub.app_slug, folder, working, receiver)
        for number in range(workers):
            words = ["work", "--concurrency", "1"]
            house.workers.append(stack.enter_context(child(f"worker{number}", words, working, folder)))
        await_ready(receiver, f"http://127.0.0.1:{port}/healthz")
        devhub.control.set_webhook_url(f"http://127.0.0.1:{port}/webhooks/github", SECRET)
        yield house


def _repository(delivery: SeenDelivery) -> str:
    found = delivery.payload.get("repository")
    return str(as_dict(found)["full_name"]) if found else ""
