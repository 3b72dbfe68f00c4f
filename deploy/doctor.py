"""What this machine has of what bendcoder needs; starts nothing that lasts and changes nothing."""

import json
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked for."""

    name: str
    good: bool
    needed: bool
    """Nothing works without it."""
    found: str
    advice: str = ""


def examine() -> tuple[Finding, ...]:
    """Look for everything once."""
    return (_python(), _git(), _sandbox(), _redis(), _models())


def report(findings: tuple[Finding, ...], *, as_json: bool) -> int:
    """Print the findings; 1 when something needed is missing."""
    if as_json:
        sys.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2) + "\n")
    else:
        table = Table.grid(padding=(0, 2))
        for finding in findings:
            word, style = ("ok", "green") if finding.good else ("missing", "red" if finding.needed else "yellow")
            table.add_row(Text(word, style=style), Text(finding.name), Text(finding.found), Text(finding.advice))
        Console().print(table)
    return 0 if all(finding.good for finding in findings if finding.needed) else 1


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    good = sys.version_info >= (3, 11)
    return Finding(name="python", good=good, needed=True, found=version, advice="" if good else "3.11 or newer")


def _git() -> Finding:
    path = shutil.which("git")
    if path is None:
        return Finding(name="git", good=False, needed=True, found="", advice="apt-get install -y git")
    done = subprocess.run([path, "version"], capture_output=True, text=True, check=False, timeout=10)
    return Finding(name="git", good=done.returncode == 0, needed=True, found=done.stdout.strip())


def _sandbox() -> Finding:
    from agent.adapters.sandbox.bubblewrap import probe
    from agent.domain.environment import Environment

    problem = probe(Environment())
    return Finding(
        name="sandbox",
        good=not problem,
        needed=False,
        found=problem or "bubblewrap works",
        advice="without it only `--sandbox local` (no protection) is left" if problem else "",
    )


def _redis() -> Finding:
    from deploy.redis_server import NoRedisServer, redis_server

    try:
        with redis_server():
            return Finding(name="redis", good=True, needed=False, found="a server can be started here")
    except NoRedisServer as problem:
        return Finding(name="redis", good=False, needed=False, found="", advice=str(problem))


def _models() -> Finding:
    """The backends as the settings name them; nobody is called."""
    from agent.adapters.models import opened
    from agent.errors import AgentError
    from deploy.delegate.models import from_environment
    from deploy.delegate.request import CannotStart

    try:
        with opened(from_environment(), _NoScreener) as (classifier, generator):
            found = f"{classifier.label}; {generator.label}"
    except (AgentError, CannotStart) as problem:
        return Finding(name="models", good=False, needed=False, found="", advice=str(problem.args[0]))
    return Finding(name="models", good=True, needed=False, found=found)


class _NoScreener:
    """Stands in while settings are looked at: nothing is screened then."""

    def try_all(self, *_: object) -> tuple[()]:
        """Nothing to try."""
        return ()
