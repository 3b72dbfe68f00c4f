"""Pages: readable without a script, and foreign text stays text."""

from collections.abc import Iterator
from html.parser import HTMLParser

import httpx
import pytest

from deploy.devhub.client import RepoName
from deploy.devhub.markdown import render
from tests.support.devhub import Devhub, running_devhub

pytestmark = pytest.mark.xdist_group("test-pages")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devhub]:
    with running_devhub(tmp_path_factory.mktemp("hub")) as made:
        yield made


@pytest.fixture(scope="module")
def repo(hub: Devhub) -> RepoName:
    made = hub.control.create_repository("octo", "demo", {"a.py": "x = 1\n", "gone.py": "y\n"})
    number = hub.control.create_issue(made, "<b>bold</b> claim", "It **fails**.\n\n<script>alert(1)</script>")
    hub.control.comment(made, number, "<!-- bendcoder:job=1 -->\nstatus", actor="mona")
    changed = {"a.py": "x = '<i>'\n", "gone.py": None, "new.py": "z\n"}
    hub.control.commit(made, changed, branch="topic", start="main", message="Change & more")
    body = {"title": "Fix it", "head": "topic", "draft": True, "body": "- [ ] one"}
    hub.control.call("POST", f"/repos/{made.full}/pulls", body)
    return made


class Outline(HTMLParser):
    """Tags and text of a page; an unbalanced page fails."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in {"meta", "link", "br", "hr"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def _page(hub: Devhub, path: str, status: int = 200) -> Outline:
    answer = httpx.get(f"{hub.web_url}{path}", trust_env=False)
    assert answer.status_code == status
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    return Outline(answer.text)


def test_issue_page_shows_text_and_runs_nothing(hub: Devhub, repo: RepoName) -> None:
    page = _page(hub, "/octo/demo/issues/1")
    assert "<b>bold</b> claim" in page.text
    assert "<script>alert(1)</script>" in page.text
    assert "mona wrote" in page.text
    assert "bendcoder:job" not in page.text
    assert not page.tags & {"script", "b"}


def test_pull_page_shows_state_and_diff(hub: Devhub, repo: RepoName) -> None:
    page = _page(hub, "/octo/demo/pull/2")
    assert "Draft" in page.text
    assert "octo wants to merge 1 commit into main from topic" in page.text
    for words in ("+x = '<i>'", "-x = 1", "gone.py", "new.py", "Change & more", "None on this head."):
        assert words in page.text
    diff = httpx.get(f"{hub.web_url}/octo/demo/pull/2.diff", trust_env=False).text
    assert diff == hub.control.diff(repo, 2)


def test_the_way_around(hub: Devhub, repo: RepoName) -> None:
    assert "octo/demo" in _page(hub, "/").text
    overview = _page(hub, "/octo/demo").text
    assert "Fix it" in overview
    assert "topic" in overview
    assert "color-scheme" in httpx.get(f"{hub.web_url}/_assets/style.css", trust_env=False).text
    for path in ("/octo/none", "/octo/demo/issues/99", "/octo/demo/runs/1", "/octo/demo/pull/1.diff"):
        _page(hub, path, 404)


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("a <!-- hidden --> b", "<p>a  b</p>"),
        ("<details><summary>more</summary>\n\ntext\n\n</details>", "<details><summary>more</summary>"),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ("<details open onclick=x>", "&lt;details open onclick=x&gt;"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("`<!-- kept -->`", "&lt;!-- kept --&gt;"),
        ("| a |\n|---|\n| b |", "<table>"),
    ],
)
def test_markdown(source: str, wanted: str) -> None:
    assert wanted in render(source)
    assert "<img" not in render(source)
    assert "href" not in render(source)
