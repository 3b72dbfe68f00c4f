"""The worker's error tree, by whose fault and whether trying again can help.

    WorkerError
    ├── ForgeError                   GitHub said no                                       .retry: False
    │   ├── ForgeUnavailable         5xx, timeouts, resets, rate limits                   .retry: True
    │   ├── ForgeDenied              401/403: permission, suspension, bad credentials      (owner)
    │   ├── ForgeGone                404/410: repository, issue or comment is not there    (owner)
    │   └── ForgeInvalid             422: understood, and refused for what it says         (ours, or its plan)
    ├── GitError                     git could not do the job                              (operator)
    │   ├── GitAuthError             the token was refused: mint anew once
    │   └── PushRefused              rules of the repository refuse this push              (maintainer)
    ├── ConfigError                  `.github/bendcoder.yml` or options are wrong          (maintainer)
    ├── EnvironmentSetupError        set-up of the repository failed                       (maintainer)
    ├── TakenOver                    a person works on the job's branch: hands off         (nobody)
    └── LeaseLost                    another runner owns the job: stop, touch nothing

Every error keeps its arguments in `args`, so that it survives pickling between processes.
"""


class WorkerError(Exception):
    """Base of everything the worker raises on purpose; `args[0]` is a sentence for a person."""

    retry = False


class ForgeError(WorkerError):
    """GitHub answered with a refusal we do not know better than this."""


class ForgeUnavailable(ForgeError):
    """GitHub could not be reached, is broken, or limits us; `args[1]` is seconds to wait when known."""

    retry = True


class ForgeDenied(ForgeError):
    """GitHub refuses this App or token."""


class ForgeGone(ForgeError):
    """What was asked for does not exist (any more)."""


class ForgeInvalid(ForgeError):
    """GitHub understood the request and refuses its content; `args[1]` is GitHub's own text."""


class GitError(WorkerError):
    """A git command failed; `args[1]` is its redacted output."""


class GitAuthError(GitError):
    """The remote refused the token."""


class PushRefused(GitError):
    """The remote's rules refuse the push; `args[1]` holds the remote's own lines."""


class ConfigError(WorkerError):
    """Repository configuration or command options are wrong; the sentence names the setting to change."""


class EnvironmentSetupError(WorkerError):
    """The repository's set-up command failed; `args[1]` is its output tail."""


class TakenOver(WorkerError):
    """A person has taken the job's branch over; nothing more is done to it."""


class LeaseLost(WorkerError):
    """Another runner holds this job now."""
