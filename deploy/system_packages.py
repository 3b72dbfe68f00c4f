"""What `make setup` runs last: system packages bendcoder needs, installed when asked to, else named. Standard library
only, because nothing else may be there yet. Never stops the set-up: the demo runs without bubblewrap too."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping

NEEDED = {"bwrap": "bubblewrap", "git": "git", "make": "make", "setpriv": "util-linux"}
"""Program -> Debian package."""


def missing(which: Callable[[str], str | None] = shutil.which) -> list[str]:
    """Packages whose program is not on PATH."""
    return sorted({package for program, package in NEEDED.items() if which(program) is None})


def may_install(environ: Mapping[str, str], *, root: bool, apt: bool) -> bool:
    """Whether this machine asked for it (CI=true or BENDCODER_INSTALL=1) and lets us."""
    asked = environ.get("CI", "").lower() == "true" or environ.get("BENDCODER_INSTALL") == "1"
    return asked and root and apt


def commands(packages: list[str]) -> list[list[str]]:
    """The commands that install packages, in order."""
    return [["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]]


def install(packages: list[str], run: Callable[[list[str]], int]) -> bool:
    """Run the commands; a failed update alone is no failure (the lists on the machine may do)."""
    update, wanted = commands(packages)
    run(update)
    return run(wanted) == 0


def _run(argv: list[str]) -> int:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(argv, check=False, env=environment, stdout=subprocess.DEVNULL).returncode


def main() -> int:
    """Install or name what is missing; always 0."""
    packages = missing()
    if not packages:
        return 0
    sudo = "" if os.geteuid() == 0 else "sudo "
    line = f"{sudo}apt-get install -y --no-install-recommends {' '.join(packages)}"
    if may_install(os.environ, root=os.geteuid() == 0, apt=shutil.which("apt-get") is not None):
        sys.stderr.write(f"installing system packages: {' '.join(packages)}\n")
        if install(packages, _run) and not missing():
            return 0
        sys.stderr.write(f"that did not work; please run it yourself: {line}\n")
        return 0
    sys.stderr.write(f"missing system packages: {' '.join(packages)}\n    {line}\n")
    if "git" in packages:
        sys.stderr.write("Nothing of bendcoder works without git.\n")
    if "bubblewrap" in packages:
        sys.stderr.write(
            "Without bubblewrap the repository's code cannot be sandboxed: `bendcoder demo` takes the `local` sandbox"
            " for its own programs; `work` and `delegate` refuse to start.\n"
        )
    sys.stderr.write("BENDCODER_INSTALL=1 make setup installs them (as root, with apt-get).\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
