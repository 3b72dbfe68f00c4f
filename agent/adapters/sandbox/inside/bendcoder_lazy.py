"""Imports a file that tests import only while they run, such as a plugin; nothing of it could be swapped before that.

Stdlib only. It must not import a program's entry point, nor what belongs to no package that is already loaded.
"""

import contextlib
import importlib
import os
import signal
import sys

LIMIT = 5.0  # wall seconds of an import
PROGRAMS = ("__main__", "conftest", "setup")


class OutOfTime(BaseException):
    """The import takes too long."""


def load(path):
    """Import the file unless it is loaded, has no loaded package around it, or fails."""
    modules = [module for module in list(sys.modules.values()) if module is not None]
    if any(_real(getattr(module, "__file__", None)) == path for module in modules):
        return
    folder, name = os.path.split(os.path.splitext(path)[0])
    if name == "__init__":
        folder, name = os.path.split(folder)
    packages = [module.__name__ for module in modules if folder in _places(module)]
    if packages and name not in PROGRAMS:
        _import(packages[0] + "." + name)


def _import(name):
    def alarm(_number, _frame):
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        with contextlib.suppress(BaseException):
            importlib.import_module(name)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _places(module):
    try:
        return [_real(place) for place in getattr(module, "__path__", ())]
    except Exception:  # a module may answer with anything
        return []


def _real(name):
    return os.path.realpath(name) if isinstance(name, str) else None
