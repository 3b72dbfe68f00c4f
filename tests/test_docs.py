"""Docs stay true: every path the architecture walk names exists, every room is walked once, links lead somewhere."""

import json
import re
from pathlib import Path

import pytest

from agent.guards.catalogue import guards
from agent.guards.paths import PathRules
from agent.trace import KINDS, VERSION
from deploy.docs_of_guards import PAGE, page
from tests.support.trace_fields import written_fields

ROOT = Path(__file__).parents[1]
LOOP = ROOT / "docs" / "loop.md"
WALK = ROOT / "docs" / "architecture.md"
PATHS = re.compile(r"`((?:agent|bot|worker|deploy|tests|docs)/[\w./-]*)`")
LINKS = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)")
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "deploy" / "README.md",
]
ROOMS = (
    "bot/webhook.py", "bot/events.py", "bot/triggers.py", "bot/command.py", "bot/app.py", "bot/settings.py",
    "bot/errors.py", "bot/__main__.py",
    "worker/contract/", "worker/app.py", "worker/tasks.py", "worker/pipeline.py", "worker/policy.py",
    "worker/repo_config.py", "worker/report/", "worker/ports.py", "worker/domain.py", "worker/errors.py",
    "worker/settings.py", "worker/wiring.py", "worker/environment/", "worker/forge/", "worker/git/",
    "agent/domain/", "agent/ports/", "agent/errors.py", "agent/trace.py", "agent/loop/", "agent/guards/",
    "agent/tools/", "agent/edits/", "agent/verify/", "agent/index/", "agent/prompts/",
    "agent/adapters/models/", "agent/adapters/sandbox/", "agent/adapters/workspace/",
    "deploy/cli.py", "deploy/devhub/", "deploy/demo/",
)  # fmt: skip


def test_every_path_in_the_walk_exists() -> None:
    named = PATHS.findall(WALK.read_text(encoding="utf-8"))

    assert len(named) >= len(ROOMS)
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("room", ROOMS)
def test_the_walk_names_every_room_once(room: str) -> None:
    assert PATHS.findall(WALK.read_text(encoding="utf-8")).count(room) == 1


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_relative_links_lead_somewhere(document: Path) -> None:
    broken = [
        target
        for target in LINKS.findall(document.read_text(encoding="utf-8"))
        if not (document.parent / target).exists()
    ]

    assert broken == []


def test_the_readme_commands_are_targets_of_the_makefile() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = set(re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE))

    assert {"demo", "test"} <= named <= targets


def test_the_changelog_knows_the_version() -> None:
    version = re.search(r'^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)

    assert version
    assert f"## {version[1]}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_page_about_the_loop_lists_every_kind_of_line_with_its_fields() -> None:
    rows = re.findall(r"^\| (`[^|]*`) \|([^|]*)\|", LOOP.read_text(encoding="utf-8"), flags=re.MULTILINE)
    told = {kind: set(re.findall(r"\w+", row[1])) for row in rows for kind in re.findall(r"`(\w+)`", row[0])}
    written = written_fields()

    assert set(told) == KINDS
    for kind in KINDS - {"effect"}:  # which has one form per piece of work, told in its last column
        assert told[kind] == written.get(kind, set()), kind


def test_lines_quoted_from_a_trace_have_the_fields_such_lines_have() -> None:
    quoted = [json.loads(line) for line in LOOP.read_text(encoding="utf-8").split("\n") if line.startswith("{")]
    written = written_fields()

    assert len({one["kind"] for one in quoted}) >= 10
    assert [one for one in quoted if not set(one["data"]) <= written[one["kind"]]] == []
    assert f"Version {VERSION} (" in LOOP.read_text(encoding="utf-8")


def test_the_page_about_the_guards_is_what_their_code_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(guards(PathRules())), "run `python -m deploy.docs_of_guards`"


def test_refusals_quoted_from_a_trace_are_those_of_guards_there_are() -> None:
    quoted = [json.loads(line) for line in LOOP.read_text(encoding="utf-8").split("\n") if line.startswith("{")]
    named = {why.split(":")[0] for one in quoted for why in one["data"].get("unavailable", {}).values()}
    named |= {refusal["by"] for one in quoted for refusal in one["data"].get("blocked", ())}

    assert named
    assert named <= {name for name, _, _ in guards(PathRules())}
