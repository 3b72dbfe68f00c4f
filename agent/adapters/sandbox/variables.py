"""The environment variables foreign code sees: an allow-list built from nothing. Never reads our own environment."""

from collections.abc import Mapping

from agent.domain.environment import Environment

NOBODY_ASKED = "1"
"""What `CI` is set to: runners that would go on watching, and installers that would ask, end instead.

Any value but `false` says that nobody is there to answer; `true` is what a hosted pipeline says of itself, and suites
compare with it before they make a skip a failure or reach for its services, so it is not said here. Besides, it makes
runs more alike: hypothesis draws the same examples each time and keeps none, and jest fails where a snapshot is missing
in place of writing one and passing. A command takes it back with `CI= pytest`, an Environment with a value of its own.
"""

SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")


def variables_for(environment: Environment, *, home: str, temporary: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Everything a command gets; `extra` (the caller's, per run) wins over the Environment's, ours over both."""
    return {
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
        "SHELL": "/bin/sh",
        "CI": NOBODY_ASKED,
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
