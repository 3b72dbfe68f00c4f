"""The environment variables foreign code sees: an allow-list built from nothing. Never reads our own environment."""

from collections.abc import Mapping

from agent.domain.environment import Environment

SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")


def variables_for(environment: Environment, *, home: str, temporary: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Everything a command gets; `extra` (the caller's, per run) wins over the Environment's, ours over both."""
    return {
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
        "SHELL": "/bin/sh",
        "USER": "bendcoder",
        "LOGNAME": "bendcoder",
        "PYTHONNOUSERSITE": "1",
        "GIT_OPTIONAL_LOCKS": "0",  # the tree's .git may be read-only
        **dict(environment.variables),
        **extra,
        "PATH": ":".join((*environment.path, *SYSTEM_PATH)),
        "HOME": home,
        "TMPDIR": temporary,
    }
