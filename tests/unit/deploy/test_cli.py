"""The command line itself: help, exit codes of misuse, and what starting without settings says."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.cli import main
from deploy.doctor import Finding, report

ROOT = Path(__file__).parents[3]
COMMANDS = ("delegate", "eval", "demo", "serve", "work", "devhub", "doctor")


def _run(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("BENDCODER_")} | settings
    return subprocess.run(
        [sys.executable, "-m", "deploy.cli", *words],
        env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert len(capsys.readouterr().out) > 200


def test_a_terminal_without_the_characters_is_written_to_all_the_same() -> None:
    written = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with contextlib.redirect_stdout(written):
        assert main(["delegate", "--help"]) == 0
    written.flush()
    assert b"\\u2026" in written.buffer.getvalue()


def test_delegate_help_tells_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    main(["delegate", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "0 verified" in shown
    assert "Exit codes" in shown


@pytest.mark.parametrize("words", [("no-such-command",), ("delegate", "--no-such"), ("serve", "--port", "99999")])
def test_misuse_is_exit_code_1(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 1
    assert capsys.readouterr().err


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from deploy.cli import main; main(['--help']); heavy = {'agent', 'worker', 'bot', 'git', 'httpx'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


def test_serve_without_a_secret_says_which_setting() -> None:
    done = _run("serve", "--port", "0")
    assert done.returncode == 1
    assert "BENDCODER_WEBHOOK_SECRETS" in done.stderr


def test_work_without_an_app_says_which_setting() -> None:
    done = _run("work")
    assert done.returncode == 1
    assert "BENDCODER_APP_ID" in done.stderr
    assert "Traceback" not in done.stderr


def test_doctor_speaks_json() -> None:
    done = _run("doctor", "--json")
    found = {one["name"]: one["good"] for one in json.loads(done.stdout)}
    assert set(found) == {"python", "git", "sandbox", "redis", "models"}
    assert found["git"]
    assert done.returncode == 0


@pytest.mark.parametrize(("good", "needed", "code"), [(True, True, 0), (False, True, 1), (False, False, 0)])
def test_doctor_fails_for_what_is_needed_alone(
    good: bool, needed: bool, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report((Finding(name="x", good=good, needed=needed, found="v1"),), as_json=False) == code
    assert "v1" in capsys.readouterr().out
