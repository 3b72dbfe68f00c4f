"""The one status comment of a job: found or made once, then edited; one that cannot be written stops no job."""

import logging
from collections.abc import Callable

from worker.contract.job import JobRecord
from worker.errors import ForgeError
from worker.ports import Forge, JobStore
from worker.report import markers, status
from worker.report.status import Status
from worker.steps.patience import Sleep, patiently

logger = logging.getLogger("bendcoder.worker")

EVERY = 8.0
"""Seconds between two edits: GitHub allows 80 writes a minute for everything an App does."""


class Talk:
    """Says where a job stands."""

    def __init__(
        self, forge: Forge, store: JobStore, record: JobRecord, *, clock: Callable[[], float], sleep: Sleep
    ) -> None:
        self._forge = forge
        self._store = store
        self._record = record
        self._clock = clock
        self._sleep = sleep
        self._comment = record.status_comment
        self._last = float("-inf")
        self._hidden: tuple[str, ...] = ()
        self.by = ""

    @property
    def began(self) -> bool:
        """Whether there is a status comment, which then has to reach a final state."""
        return self._comment is not None

    def hide(self, hidden: tuple[str, ...]) -> None:
        """Hidden text of the issue, shown in every version of the comment from now on."""
        self._hidden = hidden

    @property
    def hidden(self) -> tuple[str, ...]:
        """What `hide` was told."""
        return self._hidden

    def progress(self, doing: str) -> None:
        """Record what is being done, and say it if the last edit is long enough ago."""
        self._store.update(step=doing)
        if self._clock() - self._last >= EVERY:
            self.say(status.progress(doing, self._hidden))

    def say(self, what: Status) -> None:
        """Write the comment anew; LeaseLost when it is another runner's to write."""
        self._store.check_owner()
        self._last = self._clock()
        text = status.comment(self._record.job_id, what, self.by)
        self._try(lambda: self._write(text))

    def last_word(self, what: Status) -> None:
        """`say` for the end: worth waiting for, since nobody will edit the comment after it."""
        self._store.check_owner()
        text = status.comment(self._record.job_id, what, self.by)
        self._try(lambda: patiently(lambda: self._finish(text), self._sleep))

    def _finish(self, text: str) -> None:
        if self._record.attempts > 1:
            # A runner that lost its lease in the middle of a call may have posted beside us: the oldest one stays.
            self._comment = self._adopt() or self._comment
        self._write(text)

    def _try(self, write: Callable[[], None]) -> None:
        try:
            write()
        except ForgeError as error:  # locked, deleted, limited: the job and its record go on
            logger.warning("job %s: the status comment could not be written: %s", self._record.job_id, error)

    def _write(self, text: str) -> None:
        if self._comment is None and self._record.attempts > 1:
            self._comment = self._adopt()
        if self._comment is not None and self._forge.edit_comment(self._comment, text):
            return
        self._comment = self._forge.post_comment(self._record.issue, text)
        self._store.update(status_comment=self._comment)

    def _adopt(self) -> int | None:
        """The comment an earlier runner posted without recording it; a younger double of it is removed."""
        marker = markers.job(self._record.job_id)
        own = self._forge.identity().name
        found = [
            comment.id
            for comment in self._forge.comments(self._record.issue)
            if comment.author.login == own and markers.carries(comment.body, marker)
        ]
        for double in found[1:]:
            self._forge.delete_comment(double)
        if found:
            self._store.update(status_comment=found[0])
        return found[0] if found else None
