"""System packages are installed when asked for, and named otherwise; the set-up always goes on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.system_packages import commands, install, may_install, missing

SCRIPT = Path(__file__).parents[3] / "deploy/system_packages.py"


def test_only_what_is_not_there_is_missing() -> None:
    assert missing(lambda program: f"/usr/bin/{program}") == []
    assert missing(lambda program: None if program in ("bwrap", "git") else "/x") == ["bubblewrap", "git"]


@pytest.mark.parametrize(
    ("environ", "root", "apt", "expected"),
    [
        ({"CI": "true"}, True, True, True),
        ({"BENDCODER_INSTALL": "1"}, True, True, True),
        ({"CI": "false"}, True, True, False),
        ({"BENDCODER_INSTALL": "0"}, True, True, False),
        ({}, True, True, False),
        ({"CI": "true"}, False, True, False),
        ({"CI": "true"}, True, False, False),
    ],
)
def test_installing_needs_a_wish_and_the_means(environ: dict[str, str], root: bool, apt: bool, expected: bool) -> None:
    assert may_install(environ, root=root, apt=apt) is expected


def test_a_failed_update_does_not_stop_the_installation() -> None:
    ran: list[list[str]] = []

    def run(argv: list[str]) -> int:
        ran.append(argv)
        return 1 if "update" in argv else 0

    assert install(["git"], run)
    assert ran == commands(["git"])
    assert not install(["git"], lambda argv: 1)


def test_without_a_wish_the_command_is_printed_and_the_set_up_goes_on(tmp_path: Path) -> None:
    environment = {"PATH": str(tmp_path), "HOME": os.environ.get("HOME", "/")}
    done = subprocess.run([sys.executable, str(SCRIPT)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "apt-get install -y --no-install-recommends bubblewrap git make util-linux" in done.stderr
    assert "`local` sandbox" in done.stderr
    assert "without git" in done.stderr


def test_with_a_wish_the_packages_are_installed(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        return  # the branch needs root; the decision itself is in the table above
    log = tmp_path / "log"
    apt = tmp_path / "apt-get"
    apt.write_text(
        f"""#!/bin/sh
        echo "$@" >> {log}
        [ "$1" = install ] || exit 0
        cd {tmp_path}
        for name in bwrap git make setpriv; do echo '#!/bin/sh' > $name; /bin/chmod +x $name; done
        """
    )
    apt.chmod(0o755)
    environment = {"PATH": str(tmp_path), "CI": "true"}
    done = subprocess.run([sys.executable, str(SCRIPT)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == "installing system packages: bubblewrap git make util-linux\n"
    assert log.read_text().splitlines() == [
        "update -q",
        "install -y -q --no-install-recommends bubblewrap git make util-linux",
    ]
