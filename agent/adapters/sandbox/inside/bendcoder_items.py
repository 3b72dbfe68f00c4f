"""What the bench must know of pytest's test items; runs none of them. Stdlib and pytest alone."""

import os

GENERATED = ("_xunit", "xunit", "_unittest", "unittest", "setup", "teardown")  # fixtures that run the tests' own code


def beside(item, others):
    """The test that shares most fixtures with this one: what stays standing when this one is torn down before it."""

    def shared(other):
        return sum(mine is theirs for mine, theirs in zip(chain, other.listchain()))  # noqa: B905 (3.9 knows no `strict`)

    chain = item.listchain() if item is not None else []
    return max((other for other in others if other is not item), key=shared, default=None)


def plain(item):
    """Does setting up this test run none of the repository's code? (fixtures of plugins and parameters at most)"""
    definitions = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", None)
    if definitions is None or not hasattr(item, "funcargs") or hasattr(getattr(item, "cls", None), "setUp"):
        return False
    root = os.getcwd() + os.sep
    for name, found in definitions.items():
        if name.startswith(GENERATED):
            return False
        for definition in found:
            code = getattr(definition.func, "__code__", None)
            if code is None or os.path.realpath(code.co_filename).startswith(root):
                return False
    return True


def forget(item):
    """Drop what an item keeps of its last run: the failures of a unittest case, the fixture values of any other."""
    if hasattr(item, "_excinfo"):
        item._excinfo = None
    if hasattr(item, "_initrequest"):
        item._initrequest()


def note_reports(item):
    """Leave what pytest's own report hook would have left for the tear-down of `tmp_path`."""
    try:
        from _pytest.tmpdir import tmppath_result_key
    except ImportError:
        return
    item.stash[tmppath_result_key] = {"setup": True, "call": True}
