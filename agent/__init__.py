"""The workshop: works on one task with the ports it is handed; knows no forge, no queue, no environment variable."""

from agent.domain.environment import Environment
from agent.domain.result import RunResult
from agent.domain.task import Options, Task
from agent.ports import Ports


def run(task: Task, options: Options, environment: Environment, ports: Ports) -> RunResult:
    """Work on a task; see `agent.loop.runner.run`, loaded on the first call so that values stay cheap to import."""
    from agent.loop.runner import run as work

    return work(task, options, environment, ports)


__all__ = ["run"]
