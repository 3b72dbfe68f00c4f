"""Jobs through the real pipeline: stand-in, Redis-protocol server and git are real, the agent is scripted."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from agent.domain.edit import Change
from agent.domain.environment import Environment
from agent.domain.result import Judgement, Outcome, RunResult, Usage, Verdict
from agent.domain.suite import Case, Status, SuiteRun
from agent.domain.task import Commands
from deploy.devhub.client import RepoName
from tests.support.devhub import Devhub
from worker.app import Yard
from worker.contract.job import Command, Delegation, JobRecord, Kind, RepoRef, Trigger, text_digest
from worker.contract.queue import Producer
from worker.contract.runs import Records
from worker.domain import Errand
from worker.forge.client import AppKey, GithubForges
from worker.git import GitRepositories
from worker.options import Ceiling
from worker.pipeline import Dependencies, deliver
from worker.policy import Rules
from worker.ports import JobTree
from worker.report.redact import Redactor
from worker.tasks import answer

FILES = {
    "app.py": "value = 1\n",
    "test_app.py": "def test_value():\n    from app import value\n    assert value == 2\n",
}

Script = Callable[["Scripted", JobTree, Errand], RunResult]


def fixed(tree: JobTree, errand: Errand, verdict: Verdict = Verdict.VERIFIED, **changes: object) -> RunResult:
    """A run that kept one edit of app.py, judged as told; the tree id is the real one."""
    edits = (Change(path="app.py", before=b"value = 1\n", after=b"value = 2\n"),)
    with tree.checkouts.of(edits) as checkout:
        tree_id = checkout.tree
    base = suite(Status.FAILED)
    judgement = Judgement(
        verdict=verdict,
        reason=f"{verdict.value} by the script",
        final=suite(Status.PASSED),
        tree=tree_id,
        fixed=("test_app.py::test_value",),
        evidence=("test_app.py::test_value",),
        coverage={"app.py": "covered"},
    )
    values = {"judgement": judgement, "changes": edits, "baseline": base} | changes
    return ended(errand, **{"outcome": Outcome.COMPLETED, **values})


def ended(errand: Errand, outcome: Outcome, **changes: object) -> RunResult:
    """A run without a kept edit."""
    values = {
        "run_id": errand.task.run_id,
        "outcome": outcome,
        "outcome_reason": "as the script says",
        "judgement": None,
        "changes": (),
        "diff": "--- a/app.py\n+++ b/app.py\n-value = 1\n+value = 2\n",
        "baseline": None,
        "usage": Usage(steps=2),
    }
    return RunResult(**(values | changes))


def suite(status: Status) -> SuiteRun:
    """One test's result."""
    case = Case(id="test_app.py::test_value", status=status)
    return SuiteRun(exit_code=int(status.red), timed_out=False, seconds=0.1, output="out", cases=(case,))


@dataclass(slots=True)
class Scripted:
    """The agents' port: hands back what the script makes, and remembers what it was told."""

    script: Script
    errands: list[Errand] = field(default_factory=list)
    cancelled: Callable[[], bool] = bool
    say: Callable[[str], None] = str  # type: ignore[assignment]

    def commands(self, workspace: object, config: object) -> Commands:
        return Commands(verify=("python", "-m", "pytest"))

    def run(
        self, errand: Errand, tree: JobTree, environment: Environment, *, cancelled: Callable[[], bool],
        say: Callable[[str], None],
    ) -> RunResult:  # fmt: skip
        self.errands.append(errand)
        self.cancelled, self.say = cancelled, say
        return self.script(self, tree, errand)


class NoSetup:
    """The environments' port: nothing to prepare."""

    def prepare(self, *_: object) -> Environment:
        return Environment()


class Bench:
    """One repository at the stand-in, and a worker that answers for it."""

    def __init__(
        self, hub: Devhub, redis_url: str, folder: Path, name: str, *, allow: tuple[str, ...] = ("acme",)
    ) -> None:
        self.hub = hub.control
        self.slug = hub.app_slug
        self.repo: RepoName = self.hub.create_repository("acme", name, FILES)
        self.hub.set_role(self.repo, "ann", "write")
        self.ref = RepoRef(id=self.hub.repository_id(self.repo), owner="acme", name=name)
        self.installation = self.hub.installation_id("acme")
        self.records = Records(redis_url)
        self.producer = Producer(redis_url)
        self.agents = Scripted(lambda agents, tree, errand: fixed(tree, errand))
        redactor = Redactor()
        key = AppKey(api_url=hub.api_url, web_url=hub.web_url, app_id=str(hub.app_id), private_key=hub.private_key_pem)
        self.tools = Dependencies(
            rules=Rules(label="bendcoder", allow=allow, ceiling=Ceiling(bases=("release/*",)), git_base=hub.git_url),
            forges=GithubForges(key, redact=redactor, learn=redactor.add, sleep=lambda seconds: None),
            repositories=GitRepositories(folder, schemes=("http",)),
            environments=NoSetup(),
            agents=self.agents,
            clock=time.monotonic,
            sleep=lambda seconds: None,
            now=lambda: datetime.now(UTC),
        )
        self.yard = Yard(
            redis_url=redis_url, lease_seconds=10, max_parallel=2,
            runner=lambda record, store: deliver(record, store, self.tools),
        )  # fmt: skip
        self.number = 0

    def issue(self, title: str = "Value is wrong", body: str = "It should be 2.", *, actor: str = "ann") -> int:
        """File an issue; later triggers are about it."""
        self.number = self.hub.create_issue(self.repo, title, body, actor=actor)
        return self.number

    def label(self, actor: str = "ann") -> str:
        """Somebody sets the label; the job's id."""
        self.hub.add_label(self.repo, self.number, "bendcoder", actor=actor)
        return self._submit(actor, kind=Kind.LABEL, label="bendcoder")

    def comment(self, body: str, actor: str = "ann", **asked: object) -> str:
        """Somebody writes a command; the job's id."""
        written = self.hub.comment(self.repo, self.number, body, actor=actor)
        return self._submit(actor, kind=Kind.COMMENT, comment_id=written, **asked)

    def run(self, job_id: str) -> JobRecord:
        """Answer the doorbell as a worker does; the record afterwards."""
        answer(self.yard, job_id)
        record = self.records.load(job_id)
        assert record is not None
        return record

    def own_comments(self) -> list[str]:
        """What the App said on the issue."""
        return [one.body for one in self.hub.comments(self.repo, self.number) if one.author == f"{self.slug}[bot]"]

    def _submit(self, actor: str, **trigger: object) -> str:
        found = self.hub.issue(self.repo, self.number)
        made = Trigger(
            delivery=f"{self.repo.name}-{time.monotonic_ns()}",
            actor=actor,
            actor_id=self._id(actor),
            at=datetime.now(UTC),
            text=text_digest(found.title, found.body),
            **{"command": Command.RUN, **trigger},
        )
        return self.producer.submit(
            Delegation(
                host="127.0.0.1", installation_id=self.installation, repo=self.ref, issue=self.number,
                title=found.title, body=found.body, trigger=made,
            )
        )  # fmt: skip

    def _id(self, login: str) -> int:
        with self.tools.forges.open(self.installation, self.ref) as forge:
            answer = forge._github.rest.users.get_by_username(login)  # the port has no need of it, a webhook carries it
        return int(answer.json()["id"])
