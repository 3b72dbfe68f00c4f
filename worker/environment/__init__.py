"""Where a repository's suite runs: which interpreter, what of the host it needs to see, and which command tests it."""

from worker.environment.detect import detect_verify
from worker.environment.interpreter import environment_of
from worker.environment.prepared import PreparedEnvironments, refuse_outside_modules
from worker.environment.store import EnvironmentStore

__all__ = ["EnvironmentStore", "PreparedEnvironments", "detect_verify", "environment_of", "refuse_outside_modules"]
