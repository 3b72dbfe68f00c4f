"""What the agent is told: the issue as it was handed over, without text its readers could not see; all of it data."""

from dataclasses import dataclass

from agent.domain.task import Task
from worker.contract.job import Trigger
from worker.domain import Comment, Issue
from worker.policy import at_or_before
from worker.ports import Forge
from worker.report import words

MOST_COMMENTS = 20
MOST_TEXT = 20_000
"""Characters of all comments together; prompts are bounded anyway, and a goal is not a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The task, and what was taken out of it to be shown to the maintainer."""

    task: Task
    hidden: tuple[str, ...]


def goal(forge: Forge, issue: Issue, trigger: Trigger, run_id: str) -> Goal:
    """Title, body, and the comments that count: by people with the role, written and last edited before the trigger."""
    body, hidden = words.split_hidden(issue.body)
    parts = [body.strip()]
    left = MOST_TEXT
    for comment in _counting(forge, issue, trigger)[-MOST_COMMENTS:]:
        text, more = words.split_hidden(comment.body)
        hidden += more
        left -= len(text)
        if left > 0 and text.strip():
            parts.append(f"Comment by {comment.author.login}:\n{text.strip()}")
    title = " ".join(words.visible(issue.title).split())
    return Goal(task=Task(run_id=run_id, title=title, body="\n\n".join(parts)), hidden=hidden)


def _counting(forge: Forge, issue: Issue, trigger: Trigger) -> list[Comment]:
    roles: dict[str, bool] = {}
    found: list[Comment] = []
    for comment in forge.comments(issue.number):
        login = comment.author.login
        ours = comment.app_id is not None or comment.author.type != "User"
        if ours or comment.body.lstrip().lower().startswith("/bendcoder"):
            continue
        if comment.id == trigger.comment_id or not at_or_before(comment.updated_at, trigger.at):
            continue
        if login not in roles:
            roles[login] = forge.role(login).may_delegate
        if roles[login]:
            found.append(comment)
    return found
