"""Runs in a repository's interpreter: which of its own modules come from outside of the tree.

As a pytest plugin it looks at what collecting the tests has imported; as a script, at where names would be found. Must
stay importable by any Python 3 and must not change how anything is imported.
"""

import importlib.util
import json
import os
import sys


def _outside(origin, tree):
    if not isinstance(origin, str) or not os.path.isabs(origin):
        return False
    return not os.path.realpath(origin).startswith(os.path.join(os.path.realpath(tree), ""))


def _report(find):
    with open(os.environ["BENDCODER_PROBE"]) as file:
        job = json.load(file)
    standard = getattr(sys, "stdlib_module_names", ())
    found = {}
    for name in job["names"]:
        origin = None if name in standard else find(name)
        if _outside(origin, job["tree"]):
            found[name] = origin
    with open(os.environ["BENDCODER_PROBE_REPORT"], "w") as file:
        json.dump(found, file)


def _loaded(name):
    module = sys.modules.get(name)
    return getattr(module, "__file__", None)


def _findable(name):
    try:
        spec = importlib.util.find_spec(name)
    except Exception:
        return None
    return getattr(spec, "origin", None)


def pytest_collection_finish():
    """Write the report once everything the tests import is there."""
    _report(_loaded)


if __name__ == "__main__":
    # what `python -m MODULE` run in the tree would search first
    sys.path[0] = os.getcwd()
    _report(_findable)
