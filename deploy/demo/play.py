"""The demo's plot: file the issue, label it, follow the job, read the draft pull request."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from markdown_it import MarkdownIt

from deploy.demo.programs import Program
from deploy.demo.stage import LABEL, OWNER, Stage
from deploy.devhub.seen import SeenPull
from worker.contract.job import JobRecord

JOB_SECONDS = 170.0
"""The whole demo is promised within three minutes."""
EVIDENCE_ROLES = frozenset({"evidence", "fixed"})

Report = Callable[[str], None]


class PlayFailed(Exception):
    """The demo could not be played to its end; `args[0]` says where it stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """How it ended."""

    program: str
    repo: str
    issue: int
    issue_url: str
    job: JobRecord
    pull: SeenPull | None
    diff: str = ""
    fixed: tuple[str, ...] = ()
    status_comment: str = ""

    @property
    def verified(self) -> bool:
        """Whether a draft with verdict `verified` is there."""
        return self.pull is not None and self.pull.draft and self.job.verdict == "verified"


def play(stage: Stage, program: Program, say: Report) -> Played:
    """From nothing to the job's end."""
    hub = stage.hub
    say(f"creating the repository {OWNER}/{program.name}")
    repo = hub.create_repository(OWNER, program.name, program.files)
    number = hub.create_issue(repo, program.title, program.body)
    say(f"labelling issue {number} `{LABEL}`: a signed webhook goes out")
    hub.add_label(repo, number, LABEL)
    job = _follow(stage, _job_id(stage), say)
    pull = next((pull for pull in hub.pulls(repo) if job.pr == pull.number), None)
    comments = [comment.body for comment in hub.comments(repo, number) if comment.by_app]
    return Played(
        program=program.name,
        repo=repo.full,
        issue=number,
        issue_url=hub.issue(repo, number).url,
        job=job,
        pull=pull,
        diff=hub.diff(repo, pull.number) if pull else "",
        fixed=fixed_tests(pull.body) if pull else (),
        status_comment=comments[-1] if comments else "",
    )


def _job_id(stage: Stage) -> str:
    """The id the receiver answered our label's delivery with."""
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        stage.check()
        for delivery in stage.hub.deliveries("issues"):
            if delivery.action == "labeled" and delivery.status != "pending":
                return _answered(delivery.status_code, delivery.answer)
        time.sleep(0.05)
    raise PlayFailed("The receiver did not answer the webhook within 15 s.")


def _answered(code: int, text: str) -> str:
    try:
        answer: object = json.loads(text)
    except ValueError:
        answer = None
    if code == 202 and isinstance(answer, dict) and isinstance(answer.get("job"), str):
        return str(answer["job"])
    raise PlayFailed(f"The receiver answered the webhook with {code}: {text[:300]}")


def _follow(stage: Stage, job_id: str, say: Report) -> JobRecord:
    deadline = time.monotonic() + JOB_SECONDS
    told = ""
    while time.monotonic() < deadline:
        stage.check()
        record = stage.records.load(job_id)
        if record is None:
            raise PlayFailed(f"The record of job {job_id} is gone.")
        now = record.step or record.state.value
        if now != told:
            say(f"job {job_id}: {now}")
            told = now
        if not record.state.open:
            return record
        time.sleep(0.1)
    raise PlayFailed(
        f"The job did not end within {JOB_SECONDS:.0f} s; it was at: {told}. "
        f"The worker's log ends:\n{stage.worker.tail()}"
    )


def fixed_tests(body: str) -> tuple[str, ...]:
    """Tests the draft's own table calls evidence or fixed."""
    found: list[str] = []
    cells: list[str] = []
    for token in MarkdownIt("commonmark").enable("table").parse(body):
        if token.type == "tr_open":
            cells = []
        elif token.type == "inline" and token.level >= 4:
            cells.append("".join(part.content for part in token.children or ()))
        elif token.type == "tr_close" and len(cells) == 4 and cells[-1] in EVIDENCE_ROLES:
            found.append(cells[0])
    return tuple(found)
