"""Writes blobs, trees and commits for the git data API; moves no ref."""

import tempfile
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from deploy.devhub.git import BareRepository, Person
from deploy.devhub.state import User


def write_blob(git: BareRepository, content: bytes) -> str:
    """Store a blob; its sha."""
    return git.run("hash-object", "-w", "--stdin", stdin=content).decode().strip()


def write_tree(git: BareRepository, base: str | None, entries: Iterable[Mapping[str, object]]) -> str:
    """A tree made of a base (None: empty) with entries put in, or taken out where `sha` is null; its sha."""
    with tempfile.TemporaryDirectory() as directory:
        extra = {"GIT_INDEX_FILE": str(Path(directory) / "index")}
        git.run("read-tree", *([base] if base else ["--empty"]), extra=extra)
        lines = []
        for entry in entries:
            sha, content = entry.get("sha"), entry.get("content")
            if isinstance(content, str):
                sha = write_blob(git, content.encode())
            mode = "0" if sha is None else str(entry.get("mode", "100644"))
            lines.append(f"{mode} {sha or '0' * 40}\t{entry.get('path')}\n")
        git.run("update-index", "--index-info", stdin="".join(lines).encode(), extra=extra)
        return git.run("write-tree", extra=extra).decode().strip()


def person(given: object, default: User) -> Person:
    """The author a body names, or the account that writes."""
    if isinstance(given, dict):
        return Person(name=str(given.get("name")), email=str(given.get("email")))
    return Person(name=default.login, email=f"{default.id}+{default.login}@users.noreply.localhost")


def write_commit(
    git: BareRepository, tree: str, parents: list[str], message: str, author: Person, when: datetime
) -> str:
    """Store a commit; its sha."""
    at = f"{int(when.timestamp())} +0000"
    extra = {
        "GIT_AUTHOR_NAME": author.name,
        "GIT_AUTHOR_EMAIL": author.email,
        "GIT_AUTHOR_DATE": at,
        "GIT_COMMITTER_NAME": author.name,
        "GIT_COMMITTER_EMAIL": author.email,
        "GIT_COMMITTER_DATE": at,
    }
    words = [word for parent in parents for word in ("-p", parent)]
    return git.run("commit-tree", tree, *words, stdin=message.encode(), extra=extra).decode().strip()
