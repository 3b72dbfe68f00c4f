"""Who asked for what: re-reads every trigger at GitHub, answers commands, refuses once per person; runs nothing."""

import logging
from collections.abc import Callable
from datetime import datetime

from worker.contract.job import Command, JobRecord, Kind, Trigger
from worker.domain import Comment, Issue
from worker.errors import ForgeError, ForgeGone
from worker.policy import Authorised, Decision, Facts, Refused, Rules, authorise
from worker.ports import Forge, JobStore
from worker.report import markers, status

logger = logging.getLogger("bendcoder.worker")

RUNS = (Command.RUN, Command.RETRY)


class Desk:
    """The counter at which one job's triggers are taken, the first ones and those that join later."""

    def __init__(
        self, forge: Forge, store: JobStore, record: JobRecord, rules: Rules, now: Callable[[], datetime]
    ) -> None:
        self.forge = forge
        self.store = store
        self.record = record
        self.rules = rules
        self.now = now
        self._seen: set[str] = set()

    def decide(self, triggers: tuple[Trigger, ...], issue: Issue) -> tuple[Decision, ...]:
        """Decisions on triggers not decided on before, in order."""
        fresh = [trigger for trigger in triggers if trigger.delivery not in self._seen]
        events = self.forge.label_events(issue.number) if any(one.kind is Kind.LABEL for one in fresh) else ()
        decisions: list[Decision] = []
        for trigger in fresh:
            facts = Facts(
                issue=issue,
                role=self.forge.role(trigger.actor),
                label_events=events,
                comment=self._comment(trigger),
                now=self.now(),
            )
            decision = authorise(trigger, facts, label=self.rules.label, bot_ids=self.rules.bot_ids)
            logger.info("job %s: %s by %s: %s", self.record.job_id, trigger.command, trigger.actor, _word(decision))
            decisions.append(decision)
        self._seen.update(trigger.delivery for trigger in fresh)  # last: a failed look is repeated
        return tuple(decisions)

    def answer(self, decisions: tuple[Decision, ...], *, running: bool, doing: str = "") -> None:
        """Answer what is no request for a run, and the refused; a comment that cannot be posted is logged, no more."""
        for decision in decisions:
            try:
                if isinstance(decision, Refused):
                    self._refuse(decision)
                else:
                    self._serve(decision, running=running, doing=doing)
            except ForgeError as error:
                logger.warning("job %s: an answer could not be posted: %s", self.record.job_id, error)

    def reply(self, comment_id: int, sentence: str) -> None:
        """Answer one command with one sentence."""
        self._reply(comment_id, status.reply(comment_id, sentence))

    def take_new(self, doing: str) -> None:
        """Look for triggers that joined since, and answer them; `stop` marks the job cancelled."""
        record = self.store.reload()
        if any(trigger.delivery not in self._seen for trigger in record.triggers):
            issue = self.forge.issue(record.issue)
            self.answer(self.decide(record.triggers, issue), running=True, doing=doing)

    def _comment(self, trigger: Trigger) -> Comment | None:
        if trigger.comment_id is None:
            return None
        try:
            return self.forge.comment(trigger.comment_id)
        except ForgeGone:
            return None

    def _serve(self, decision: Authorised, *, running: bool, doing: str) -> None:
        trigger = decision.trigger
        number = trigger.comment_id
        if trigger.command in (*RUNS, Command.CI) and not running:
            return  # the run, or the push that starts the checks, is the answer
        if trigger.command is Command.STOP and running:
            self.store.request_cancel()
        if number is None:
            return
        self.store.check_owner()
        self.forge.react(self.record.issue, number, "eyes")
        self._reply(number, self._text(trigger, number, running=running, doing=doing))

    def _text(self, trigger: Trigger, number: int, *, running: bool, doing: str) -> str:
        match trigger.command:
            case Command.HELP:
                return status.usage(number, self.rules.label)
            case Command.INVALID:
                return status.usage(number, self.rules.label, trigger.problem)
            case Command.STOP:
                return status.reply(number, STOPPING if running else NOTHING_RUNS)
            case Command.STATUS:
                return status.reply(number, f"Now: {doing or 'starting'}." if running else NOTHING_RUNS)
            case Command.RUN | Command.RETRY:
                return status.reply(number, ALREADY)
            case Command.CI:
                return status.reply(number, NO_CI)

    def _refuse(self, decision: Refused) -> None:
        if not decision.say:
            return
        actor = decision.trigger.actor_id
        marker = markers.refusal(actor)
        if not self._posted(marker):
            text = status.refusal(actor, decision.reason, self.rules.label)
            self.store.check_owner()
            self.forge.post_comment(self.record.issue, text)

    def _reply(self, number: int, text: str) -> None:
        if not self._posted(markers.reply(number)):
            self.store.check_owner()
            self.forge.post_comment(self.record.issue, text)

    def _posted(self, marker: str) -> bool:
        """Whether we said this already, in this run or in one that was killed."""
        own = self.forge.identity().name
        comments = self.forge.comments(self.record.issue)
        return any(one.author.login == own and markers.carries(one.body, marker) for one in comments)


def _word(decision: Decision) -> str:
    return "authorised" if isinstance(decision, Authorised) else f"refused ({decision.reason})"


ALREADY = "A run on this issue is under way already; it keeps its options. Comment `/bendcoder stop` to end it."
STOPPING = "Stopping after the step under way. What was kept until then is delivered."
NOTHING_RUNS = "Nothing runs on this issue. Comment `/bendcoder` to start a run."
NO_CI = "Checks can be started once the run under way has ended. Comment again then."
