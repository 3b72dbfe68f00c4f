"""What git says, turned into our errors and freed of secrets."""

import pickle
from pathlib import Path

import pytest

from worker.errors import GitAuthError, GitError, PushRefused
from worker.git.command import Git, Remote
from worker.git.failures import explain, redact
from worker.git.local import slug_of
from worker.git.publish import checked_branch
from worker.git.scratch import full_id

WORKFLOW = (
    " ! [remote rejected] x -> x (refusing to allow a GitHub App to create or update workflow"
    " `.github/workflows/ci.yml` without `workflows` permission)"
)


@pytest.mark.parametrize(
    ("command", "text", "kind"),
    [
        ("fetch", "fatal: could not read Username for 'https://h': terminal prompts disabled", GitAuthError),
        ("push", "fatal: Authentication failed for 'https://h/o/r.git/'", GitAuthError),
        ("push", WORKFLOW, PushRefused),
        ("push", "remote: error: GH006: Protected branch update failed", PushRefused),
        ("push", "!\tx:refs/heads/x\t[rejected] (stale info)", GitError),
        ("fetch", "fatal: unable to access 'https://h/': Could not resolve host: h", GitError),
    ],
)
def test_the_error_says_whose_fault_it_is(command: str, text: str, kind: type[GitError]) -> None:
    error = explain(command, 128, text)
    assert type(error) is kind
    assert pickle.loads(pickle.dumps(error)).args == error.args  # noqa: S301 - our own bytes


def test_the_remotes_own_lines_are_kept() -> None:
    assert "workflows" in explain("push", 1, WORKFLOW).args[0]


@pytest.mark.parametrize(
    "text",
    [
        "ghs_99_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjF9.sig-NATURE_0",
        "Authorization: Basic eC1hY2Nlc3MtdG9rZW46Z2hzXzEyMw==",
        "https://x-access-token:secretsecret@github.com/o/r.git",
        "github_pat_11ABCDEFG0abcdefghijkl_mnop",
    ],
)
def test_what_looks_like_a_token_is_hidden(text: str) -> None:
    hidden = redact(f"before {text} after")
    assert "[redacted]" in hidden
    assert "eyJ" not in hidden
    assert "secretsecret" not in hidden
    assert "eC1h" not in hidden
    assert hidden.startswith("before ")
    assert hidden.endswith(" after")


def test_known_secrets_are_hidden_whatever_their_shape() -> None:
    remote = Remote(url="https://h/o/r.git", token="plain-word-token")
    basic = remote.header.removeprefix("Basic ")
    assert redact(f"plain-word-token {basic}", remote.secrets) == "[redacted] [redacted]"
    assert "plain-word-token" not in repr(remote)


def test_a_token_is_never_an_argument() -> None:
    git = Git(git_dir=Path("/x"))
    remote = Remote(url="https://h/o/r.git", token="plain-word-token")
    words = " ".join(git._argv(("fetch", remote.url), remote))
    assert "plain-word-token" not in words
    assert remote.header.removeprefix("Basic ") not in words


@pytest.mark.parametrize("text", ["HEAD", "main", "a" * 39, "A" * 40, "--help", "0" * 40 + "\n"])
def test_only_full_ids_are_revisions(text: str) -> None:
    with pytest.raises(GitError):
        full_id(text)


@pytest.mark.parametrize("name", ["bendcoder/issue-1", "bendcoder/a/b", "bendcoder/issue-1-2"])
def test_our_branch_names_are_accepted(name: str) -> None:
    assert checked_branch(name) == name


@pytest.mark.parametrize("name", ["bendcoder/a..b", "bendcoder/.a", "bendcoder/a.", "bendcoder/a//b", "bendcoder/a\n"])
def test_other_names_are_not(name: str) -> None:
    with pytest.raises(GitError):
        checked_branch(name)


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("merge() loses the LAST interval!", "merge-loses-the-last-interval"),
        ("  Ünïcode — only  ", "n-code-only"),
        ("日本語", "issue"),
        ("x" * 90, "x" * 40),
        ("a" * 39 + " b", "a" * 39),
        ("wrap() returns lines one character too long", "wrap-returns-lines-one-character-too"),
    ],
)
def test_a_slug_is_short_and_plain(title: str, slug: str) -> None:
    assert slug_of(title) == slug
    assert checked_branch(f"bendcoder/{slug}-1")
