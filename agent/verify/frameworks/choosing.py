"""Which framework a command is: the first that recognises it, and `Plain` for all others. No IO."""

from pathlib import PurePosixPath

from agent.verify.frameworks import cargo, golang, jests, nodetests, unittests
from agent.verify.frameworks.cargo import Cargo
from agent.verify.frameworks.golang import GoTest
from agent.verify.frameworks.jests import Reported
from agent.verify.frameworks.nodetests import NodeTest
from agent.verify.frameworks.plain import Plain
from agent.verify.frameworks.pytests import Pytest
from agent.verify.frameworks.python import module_place
from agent.verify.frameworks.unittests import Unittest

PYTEST = ("pytest", "py.test")

Known = Pytest | Unittest | NodeTest | Reported | Cargo | GoTest | Plain
"""Every framework there is; each keeps the protocol `Framework`."""


def framework_of(argv: tuple[str, ...]) -> Known:
    """The framework this command runs."""
    if _is_pytest(argv):
        return Pytest()
    for recognise in (unittests.recognise, nodetests.recognise, cargo.recognise, golang.recognise, jests.recognise):
        found = recognise(argv)
        if found is not None:
            return found
    return Plain()


def _is_pytest(argv: tuple[str, ...]) -> bool:
    place = module_place(argv)
    module = argv[place] if place else PurePosixPath(argv[0]).name if argv else ""
    return module in PYTEST
