"""The page about the repository's file: its example is read, sets every key, and its table names each of them."""

import re
from dataclasses import fields
from pathlib import Path

from worker.options import Ceiling
from worker.repo_config import RepoConfig, parse

PAGE = (Path(__file__).parents[4] / "docs/repo-config.md").read_text(encoding="utf-8")
DOTTED = {f"{name}_seconds": f"timeouts.{name}" for name in ("check", "suite", "setup")}


def test_the_example_is_read_and_sets_every_key() -> None:
    example = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert example
    found = parse(example[1].encode())
    assert [field.name for field in fields(found) if getattr(found, field.name) in (None, ())] == []
    assert found.setup == (("python", "-m", "venv", "{env}"), ("pip", "install", "-r", "requirements.txt"))


def test_the_table_names_every_key_and_no_other() -> None:
    rows = re.findall(r"^\| (`.*?`) \| ", PAGE, re.MULTILINE)
    named = sorted(re.findall(r"`([\w.]+)`", " ".join(rows)))
    assert named == sorted(DOTTED.get(field.name, field.name) for field in fields(RepoConfig))


def test_the_tables_numbers_are_the_defaults() -> None:
    ceiling = Ceiling()
    assert f"| {ceiling.default_steps}, ceiling {ceiling.steps} |" in PAGE
    assert f"| {ceiling.check_seconds:g}, {ceiling.suite_seconds:g} |" in PAGE
