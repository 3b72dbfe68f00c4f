"""Counts what a draft executes, where much hangs: a loop without end shows sooner than by the clock. Stdlib only."""

STEPS = 4000  # lines and calls of the file that a draft may execute: about 2 ms under a trace function
OFTEN, JUDGED = 0.25, 24  # share of drafts out of time from which steps are counted, and of how many drafts at least


class OutOfTime(BaseException):
    """Ends a draft that takes too long; not an Exception, so that its `except Exception` lets it pass."""


class Steps:
    """Trace functions over the file `path`; `left` below 0 means that the draft went too far."""

    def __init__(self, path):
        self.path, self.left, self.counting = path, STEPS, False
        self.judged, self.hung = 0, 0

    def learn(self, judged, hung):
        """Take in how many drafts of a batch ran out of time; begin to count when these are many."""
        self.judged += judged
        self.hung += hung
        self.counting = self.counting or (self.judged >= JUDGED and self.hung >= OFTEN * self.judged)

    def enter(self, frame, _event, _arg):
        """The global trace function."""
        return self.step(frame, "", None) if frame.f_code.co_filename == self.path else None

    def step(self, _frame, _event, _arg):
        """The trace function of the file's own frames."""
        self.left -= 1
        if self.left < 0:
            raise OutOfTime
        return self.step
