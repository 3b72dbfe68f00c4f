"""An environment is refused when the suite would test another copy of the project than the tree."""

import sys
from pathlib import Path

import pytest

from agent.adapters.sandbox import sandbox_named
from agent.adapters.sandbox.probe import module_files
from agent.adapters.workspace.directory import DirectoryCheckouts
from agent.ports import Sandbox
from worker.environment import PreparedEnvironments, environment_of, refuse_outside_modules
from worker.errors import EnvironmentSetupError

PYTEST = ("python", "-m", "pytest")
UNITTEST = ("python", "-m", "unittest", "discover")


@pytest.fixture(params=["local", "bubblewrap"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return sandbox_named(request.param, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src/sums").mkdir(parents=True)
    (root / "src/sums/__init__.py").write_text("def add(a, b):\n    return a + b\n")
    (root / "tests").mkdir()
    (root / "tests/test_sums.py").write_text("import sums\n\ndef test_add():\n    assert sums.add(1, 2) == 3\n")
    (root / "pytest.ini").write_text("[pytest]\npythonpath = src\n")
    return root


@pytest.fixture
def venv(tmp_path: Path, project: Path) -> Path:
    """A virtual environment over ours, with another copy of the project installed in it."""
    folder = tmp_path / "venv"
    site = folder / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    (site / "sums").mkdir(parents=True)
    (site / "sums/__init__.py").write_text("def add(a, b):\n    return a + b\n")
    own = next(path for path in sys.path if path.endswith("site-packages"))
    (site / "ours.pth").write_text(f"{own}\n")
    (folder / "bin").mkdir()
    (folder / "bin/python").symlink_to(Path(sys.base_prefix) / "bin/python3")
    (folder / "pyvenv.cfg").write_text(f"home = {sys.base_prefix}/bin\n")
    return folder


def test_a_project_that_tests_its_own_tree_is_prepared(sandbox: Sandbox, project: Path) -> None:
    environments = PreparedEnvironments(sandbox, sys.executable)
    environment = environments.prepare(DirectoryCheckouts(project), None, PYTEST)
    assert environment == environment_of(sys.executable)


def test_a_copy_outside_of_the_tree_is_refused(project: Path, venv: Path) -> None:
    sandbox = sandbox_named("local")
    environment = environment_of(str(venv))
    (project / "pytest.ini").write_text("[pytest]\n")  # so that the installed copy is what `import sums` finds
    for verify in (PYTEST, UNITTEST):
        with pytest.raises(EnvironmentSetupError, match=r"sums \(.*site-packages"):
            refuse_outside_modules(sandbox, DirectoryCheckouts(project), environment, verify)


def test_only_the_projects_own_modules_count() -> None:
    paths = ["src/sums/__init__.py", "src/sums/deep.py", "vendor/requests/__init__.py", "setup.py", "tool.py", "a.txt"]
    assert module_files(paths) == {"sums": "src/sums/__init__.py", "tool": "tool.py"}
