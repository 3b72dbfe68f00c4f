"""Exports tables."""

import importlib
import pkgutil

import formats

HIDDEN = set()


def names():
    """Every format on offer."""
    return sorted(one.name for one in pkgutil.iter_modules(formats.__path__) if one.name not in HIDDEN)


def export(rows, name):
    """A table in a format."""
    if name not in names():
        raise KeyError(name)
    return importlib.import_module(f"formats.{name}").write(rows)
