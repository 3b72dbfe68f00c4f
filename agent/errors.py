"""The agent's error tree: "could not do the job", never an ordinary end of a run.

    AgentError
    ├── SandboxError        the sandbox could not be opened or lost its box      (operator)
    ├── WorkspaceError      a path outside the tree, a symlink, a vanished file   (caller or repository)
    ├── SearchError         ripgrep is missing, failed or took too long           (operator)
    ├── ModelError          a model endpoint refused, or could not be understood  (operator or provider)
    ├── GuardError          a guard raised or ended: the run stops, fail closed   (ours)
    └── TraceError          the trace could not be written or read                (operator)

Every error keeps its arguments in `args`, so that it survives pickling between processes.
"""


class AgentError(Exception):
    """Base of everything the agent raises on purpose."""


class SandboxError(AgentError):
    """The place where foreign code runs is not available."""


class WorkspaceError(AgentError):
    """A path or file operation was refused by the workspace."""


class SearchError(AgentError):
    """The tree could not be searched; `args[0]` says what to install or that it took too long."""


class ModelError(AgentError):
    """A model backend could not answer; `args[0]` says what to change."""


class GuardError(AgentError):
    """A guard raised an exception or ended; nothing it blocked may happen."""


class TraceError(AgentError):
    """The run's trace could not be written or read back."""
