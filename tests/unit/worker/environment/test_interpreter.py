"""What of the host an interpreter needs: read from links and pyvenv.cfg, never by running it."""

import subprocess
import sys
from pathlib import Path

import pytest

from worker.environment import environment_of
from worker.errors import EnvironmentSetupError


def program(path: Path, text: str = "#!/bin/sh\necho run >&2; exit 99\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """A virtual environment over a base behind two links, as uv and pyenv lay them out."""
    program(tmp_path / "store/cpython-3.12.4/bin/python3.12")
    (tmp_path / "store/cpython-3.12.4/bin/python3").symlink_to("python3.12")
    (tmp_path / "store/cpython-3.12").symlink_to("cpython-3.12.4")
    folder = tmp_path / "venvs/x"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").symlink_to(tmp_path / "store/cpython-3.12/bin/python3")
    (folder / "pyvenv.cfg").write_text(f"Home = {tmp_path}/store/cpython-3.12/bin\nversion = 3.12.4\n")
    return folder


def test_venv_and_every_folder_its_links_lead_through_are_shown(venv: Path, tmp_path: Path) -> None:
    environment = environment_of(str(venv))
    assert environment.python == f"{venv}/bin/python"
    assert environment.readonly == (str(venv), f"{tmp_path}/store/cpython-3.12", f"{tmp_path}/store/cpython-3.12.4")
    assert environment.path == (f"{venv}/bin",)
    assert dict(environment.variables) == {"VIRTUAL_ENV": str(venv)}
    assert environment_of(f"{venv}/bin/python") == environment


def test_a_venv_behind_a_link_is_shown_under_both_names(venv: Path, tmp_path: Path) -> None:
    (tmp_path / "env").symlink_to(venv)
    environment = environment_of(str(tmp_path / "env"))
    assert {str(tmp_path / "env"), str(venv)} <= set(environment.readonly)


def test_the_systems_interpreter_needs_nothing(tmp_path: Path) -> None:
    environment = environment_of("/bin/sh")  # any program of the system will do: it is not run
    assert environment.readonly == ()
    assert environment.path == ()


def test_the_interpreter_that_runs_us_shows_its_prefix() -> None:
    shown = environment_of(sys.executable).readonly
    assert all(Path(path).is_dir() for path in shown)
    prefixes = [sys.prefix, sys.base_prefix]
    assert all(any(Path(prefix).is_relative_to(path) for path in (*shown, "/usr")) for prefix in prefixes)


@pytest.mark.parametrize("named", ["python3", "/nonexistent/bin/python", "/etc"])
def test_what_is_no_interpreter_is_refused(named: str) -> None:
    with pytest.raises(EnvironmentSetupError):
        environment_of(named)


def test_a_configuration_that_points_nowhere_is_refused(venv: Path, tmp_path: Path) -> None:
    for text in ("", "home = relative/bin\n", f"home = {tmp_path}/.ssh\n"):
        (venv / "pyvenv.cfg").write_text(text)
        with pytest.raises(EnvironmentSetupError):
            environment_of(str(venv))


def test_a_circle_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to("python3")
    (tmp_path / "bin/python3").symlink_to("python")
    with pytest.raises(EnvironmentSetupError):
        environment_of(str(tmp_path / "bin/python"))


def test_nothing_is_run(venv: Path, capfd: pytest.CaptureFixture[str]) -> None:
    environment_of(str(venv))
    assert capfd.readouterr().err == ""
    assert subprocess.run([f"{venv}/bin/python"], check=False, capture_output=True).returncode == 99
