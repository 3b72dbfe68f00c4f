"""Git for the worker and for local delegation: mirrors, job trees, clean checkouts, commits and pushes.

The one room of this house that starts processes. It must not run hooks, filters or credential helpers, must not
write to a repository it only reads, and must not let a token reach an argument list, a file or an error.
"""

from worker.git.local import LocalRepository
from worker.git.repositories import GitRepositories

__all__ = ["GitRepositories", "LocalRepository"]
