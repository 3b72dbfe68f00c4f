"""pytest plugin of the separate coverage run: which lines of the tree each test executes. Never in a judged run.

Standard library and pytest alone; what is recorded, and how, is `bendcoder_lines`' business.
"""

import sys
import threading

import pytest
from bendcoder_lines import Tracer

_TRACER = Tracer()


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Keep pytest-cov from taking the one trace function for itself; this run is not its business."""
    for options in (early_config.known_args_namespace, early_config.option):
        if hasattr(options, "cov_source"):
            options.no_cov = True


@pytest.hookimpl(hookwrapper=True)
def pytest_cmdline_main(config):
    """One process: lines are recorded where they run."""
    for name, value in (("numprocesses", None), ("dist", "no"), ("tx", [])):
        if hasattr(config.option, name):
            setattr(config.option, name, value)
    yield


def pytest_collectstart():
    """Whoever replaced the trace function meanwhile (a coverage tool) gives it back."""
    _TRACER.install()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtestloop():
    """Import time ends here."""
    _TRACER.leave()
    yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    """Set-up and tear-down belong to the test they are made for."""
    _TRACER.enter(item.nodeid)
    yield
    _TRACER.leave()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call():
    """A fixture may have left its own trace function behind."""
    _TRACER.install()
    yield


def pytest_unconfigure():
    """Leave the interpreter as it was found."""
    sys.settrace(None)
    threading.settrace(None)
