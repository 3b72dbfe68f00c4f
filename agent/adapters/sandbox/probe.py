"""Finds modules of the repository that its suite would import from outside of the tree. A hint from foreign code:
it can stop a run, never vouch for one."""

import json
from collections.abc import Iterable
from pathlib import Path

from agent.adapters.workspace.trees import snapshot
from agent.domain.environment import Environment
from agent.ports import Box, Limits
from agent.verify.command import understand

PLUGIN = "bendcoder_probe"
_REPORT = "outside.json"
_SECONDS = 60.0
_LIMIT = 1024 * 1024
_ROOTS = ("", "src/", "lib/", "python/")
"""Folders a project's own packages lie in; deeper ones hold vendored copies, examples and fixtures."""


def module_files(paths: Iterable[str]) -> dict[str, str]:
    """Top-level module name -> path of its file in the tree, for packages and modules of the project itself."""
    found: dict[str, str] = {}
    tracked = frozenset(paths)
    for root in _ROOTS:
        for path in sorted(tracked):
            if not path.startswith(root) or not path.endswith(".py"):
                continue
            folder, _, name = path.removeprefix(root).rpartition("/")
            if name == "__init__.py" and folder and "/" not in folder:
                found.setdefault(folder, path)
            elif not folder and name not in ("__init__.py", "setup.py", "conftest.py", "noxfile.py"):
                found.setdefault(name.removesuffix(".py"), path)
    return found


def outside_modules(
    box: Box, tree: Path, environment: Environment, verify: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """(module, file it would come from) for the project's modules found elsewhere than in the tree.

    With pytest the tests are collected, so that what counts is what the suite really imports; any other command:
    where the interpreter would find the names. Empty without an interpreter.
    """
    names = module_files(entry.path for entry in snapshot(tree))
    command = understand(verify, environment.python)
    if environment.python is None or not names:
        return ()
    given = box.give("modules.json", json.dumps({"tree": box.tree, "names": sorted(names)}).encode())
    variables = {
        **dict(command.variables),
        "PYTHONPATH": command.search_path(box.inside, dict(environment.variables).get("PYTHONPATH", "")),
        "PYTHONDONTWRITEBYTECODE": "1",
        "BENDCODER_PROBE": given,
        "BENDCODER_PROBE_REPORT": f"{box.reports}/{_REPORT}",
    }
    if command.pytest:
        argv: tuple[str, ...] = (*command.argv, "-p", PLUGIN, "--collect-only", "-q", "-p", "no:cacheprovider")
    else:
        argv = (environment.python, f"{box.inside}/{PLUGIN}.py")
    box.run(argv, Limits(seconds=_SECONDS), variables)
    return _read(box.collect(_REPORT, _LIMIT), names)


def _read(report: bytes | None, names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    try:
        found = json.loads(report or b"{}")
    except (ValueError, RecursionError):
        return ()
    if not isinstance(found, dict):
        return ()
    return tuple(sorted((name, str(origin)[:300]) for name, origin in found.items() if name in names))
