"""Typed access to a running stand-in, for tests and the demo: does by HTTP what people do by hand on GitHub."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from deploy.devhub.client_base import Connection, DevhubRefused
from deploy.devhub.problems import Json
from deploy.devhub.seen import SeenApp, SeenCheck, SeenComment, SeenIssue, SeenPull, SeenReaction, as_list

__all__ = ["DevhubClient", "DevhubRefused", "RepoName"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepoName:
    """owner and name, as most calls take them."""

    owner: str
    name: str

    @property
    def full(self) -> str:
        """owner/name."""
        return f"{self.owner}/{self.name}"


class DevhubClient(Connection):
    """Acts on one stand-in as people would; close it, or use it as a context manager."""

    # --- App and installations -------------------------------------------------------------------------------------

    def app(self) -> SeenApp:
        """The App with its secrets."""
        return SeenApp.read(self.call("GET", "/app"))

    def set_webhook_url(self, url: str | None, secret: str | None = None) -> None:
        """Where the App's webhooks go (None: nowhere), and optionally another secret."""
        self.call("PATCH", "/app", {"webhook_url": url} | ({} if secret is None else {"webhook_secret": secret}))

    def installation_id(self, owner: str) -> int:
        """The id of the App's installation on an account."""
        found = self.call("GET", f"/installations/{owner}")
        return int(str(found["id"])) if isinstance(found, dict) else 0

    def change_installation(self, owner: str, **changes: object) -> None:
        """`permissions` (whole mapping), `suspended` (bool) or `repositories` (names, or None for all)."""
        self.call("PATCH", f"/installations/{owner}", dict(changes))

    def uninstall(self, owner: str) -> None:
        """Remove the installation."""
        self.call("DELETE", f"/installations/{owner}")

    # --- repositories ----------------------------------------------------------------------------------------------

    def create_repository(
        self, owner: str, name: str, files: Mapping[str, bytes | str], *, private: bool = False, install: bool = True
    ) -> RepoName:
        """A repository on branch `main` with one commit of these files; the App is installed unless told not to."""
        body: Json = {"owner": owner, "name": name, "files": _encoded(files), "private": private, "install": install}
        self.call("POST", "/repos", body)
        return RepoName(owner=owner, name=name)

    def repository_id(self, repo: RepoName) -> int:
        """The repository's id."""
        found = self.call("PATCH", f"/repos/{repo.full}", {})
        return int(str(found["id"])) if isinstance(found, dict) else 0

    def change_repository(self, repo: RepoName, **changes: object) -> None:
        """`archived private drafts signed_only` (bools), `refused_refs` (pattern -> reason), `name` (renames)."""
        self.call("PATCH", f"/repos/{repo.full}", dict(changes))

    def delete_repository(self, repo: RepoName) -> None:
        """Remove a repository and everything in it."""
        self.call("DELETE", f"/repos/{repo.full}")

    def set_role(self, repo: RepoName, login: str, role: str) -> None:
        """Give a person a role: none read triage write maintain admin."""
        self.call("POST", f"/repos/{repo.full}/roles", {"login": login, "role": role})

    def commit(
        self,
        repo: RepoName,
        files: Mapping[str, bytes | str | None],
        *,
        branch: str = "main",
        start: str | None = None,
        message: str = "Change files",
        actor: str | None = None,
    ) -> str:
        """A commit by a person, as if pushed; its sha. None deletes a file, `start` says where a new branch begins."""
        body: Json = {"files": _encoded(files), "branch": branch, "from": start, "message": message, "as": actor}
        made = self.call("POST", f"/repos/{repo.full}/commits", body)
        return str(made["sha"]) if isinstance(made, dict) else ""

    def branches(self, repo: RepoName) -> dict[str, str]:
        """Branch name -> sha."""
        found = self.call("GET", f"/repos/{repo.full}/branches")
        return {str(name): str(sha) for name, sha in found.items()} if isinstance(found, dict) else {}

    def file(self, repo: RepoName, path: str, ref: str = "main") -> bytes | None:
        """A file's bytes on a ref; None when absent."""
        found = self.call("GET", f"/repos/{repo.full}/files/{path}", query={"ref": ref})
        content = found.get("content") if isinstance(found, dict) else None
        return None if content is None else base64.b64decode(str(content))

    # --- people on issues ------------------------------------------------------------------------------------------

    def create_issue(
        self, repo: RepoName, title: str, body: str = "", *, actor: str | None = None, labels: tuple[str, ...] = ()
    ) -> int:
        """Open an issue as somebody (None: the owner); its number."""
        sent: Json = {"title": title, "body": body, "as": actor, "labels": list(labels)}
        return SeenIssue.read(self.call("POST", f"/repos/{repo.full}/issues", sent)).number

    def issue(self, repo: RepoName, number: int) -> SeenIssue:
        """An issue as it is now."""
        return SeenIssue.read(self.call("GET", f"/repos/{repo.full}/issues/{number}"))

    def change_issue(self, repo: RepoName, number: int, *, actor: str | None = None, **changes: object) -> None:
        """`title`, `body`, `state`, `locked`, `deleted`."""
        self.call("PATCH", f"/repos/{repo.full}/issues/{number}", dict(changes) | {"as": actor})

    def add_label(self, repo: RepoName, number: int, label: str, *, actor: str | None = None) -> None:
        """Set a label as somebody."""
        self.call("POST", f"/repos/{repo.full}/issues/{number}/labels", {"label": label, "as": actor})

    def remove_label(self, repo: RepoName, number: int, label: str) -> None:
        """Take a label off, as the owner."""
        self.call("DELETE", f"/repos/{repo.full}/issues/{number}/labels/{label}")

    def comment(self, repo: RepoName, number: int, body: str, *, actor: str | None = None) -> int:
        """Comment as somebody; the comment's id."""
        sent: Json = {"body": body, "as": actor}
        return SeenComment.read(self.call("POST", f"/repos/{repo.full}/issues/{number}/comments", sent)).id

    def edit_comment(self, repo: RepoName, comment_id: int, body: str, *, actor: str | None = None) -> None:
        """Replace a comment's text as somebody."""
        self.call("PATCH", f"/repos/{repo.full}/comments/{comment_id}", {"body": body, "as": actor})

    def delete_comment(self, repo: RepoName, comment_id: int) -> None:
        """Remove a comment, as the owner."""
        self.call("DELETE", f"/repos/{repo.full}/comments/{comment_id}")

    def comments(self, repo: RepoName, number: int) -> list[SeenComment]:
        """An issue's comments, oldest first."""
        return [
            SeenComment.read(one) for one in as_list(self.call("GET", f"/repos/{repo.full}/issues/{number}/comments"))
        ]

    def reactions(self, repo: RepoName, number: int) -> list[SeenReaction]:
        """Reactions on an issue and on its comments."""
        found = as_list(self.call("GET", f"/repos/{repo.full}/issues/{number}/reactions"))
        return [SeenReaction.read(one) for one in found]

    # --- pull requests ---------------------------------------------------------------------------------------------

    def pulls(self, repo: RepoName) -> list[SeenPull]:
        """Every pull request, open or closed, oldest first."""
        return [SeenPull.read(one) for one in as_list(self.call("GET", f"/repos/{repo.full}/pulls"))]

    def pull(self, repo: RepoName, number: int) -> SeenPull:
        """One pull request; KeyError when there is none."""
        for found in self.pulls(repo):
            if found.number == number:
                return found
        raise KeyError(number)

    def diff(self, repo: RepoName, number: int) -> str:
        """A pull request's diff."""
        found = self.call("GET", f"/repos/{repo.full}/pulls/{number}/diff")
        return str(found["diff"]) if isinstance(found, dict) else ""

    def checks(self, repo: RepoName) -> list[SeenCheck]:
        """Every check run."""
        return [SeenCheck.read(one) for one in as_list(self.call("GET", f"/repos/{repo.full}/check-runs"))]


def _encoded(files: Mapping[str, bytes | str] | Mapping[str, bytes | str | None]) -> Json:
    def one(content: bytes | str | None) -> str | None:
        raw = content.encode() if isinstance(content, str) else content
        return None if raw is None else base64.b64encode(raw).decode()

    return {path: one(content) for path, content in files.items()}
