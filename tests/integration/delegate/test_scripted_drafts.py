"""Whole delegations with drafts a test wrote down, over a real model endpoint: honest ones pass, tricks do not."""

import json
import py_compile
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from deploy.cli import main
from tests.support import gitrepo
from tests.support.chat_server import ChatServer, chat_server, text_reply

pytestmark = pytest.mark.sandbox

WRONG = 'def double(n):\n    """Twice n."""\n    return n + n + 1\n'
RIGHT = 'def double(n):\n    """Twice n."""\n    return n + n\n'
TESTS = """from m import double


def test_double():
    assert double(2) == 4


def test_odd_stays_whole():
    assert isinstance(double(3), int)
"""
FILES = {
    ".github/bendcoder.yml": "verify: env PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest\n",
    ".gitignore": "helper.py\n__pycache__/\n",
    "m.py": WRONG,
    "tests/test_m.py": TESTS,
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
}
KEY = "sk-or-v1-0123456789abcdef0123456789abcdef"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    gitrepo.make(tmp_path / "clone", FILES)
    return tmp_path / "clone"


def _delegate(
    folder: Path, drafts: Sequence[str], monkeypatch: pytest.MonkeyPatch, *options: str
) -> tuple[int, dict[str, object], ChatServer]:
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    issue, target, trace = (folder.parent / name for name in ("issue.md", "out.json", "trace.jsonl"))
    issue.write_text("# double(2) is 5\n\nIt should be 4.\n")
    before = gitrepo.fingerprint(folder)
    with chat_server([text_reply(draft) for draft in drafts]) as server:
        words = ["delegate", "--repo", str(folder), "--issue", str(issue), "--json", str(target), "--env", sys.prefix]
        words += ["--generate", "chat", "--generate-url", server.url, "--generate-model", "scripted"]
        code = main([*words, "--trace", str(trace), "--seconds", "90", *options])
    after = gitrepo.fingerprint(folder)
    assert {name: after[name] for name in before} == before
    written = target.read_text() + trace.read_text()
    assert KEY not in written
    return code, json.loads(target.read_text()), server


def test_an_honest_draft_is_verified(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, found, server = _delegate(folder, [RIGHT], monkeypatch)
    assert (code, found["verdict"]) == (0, "verified"), found["reason"]
    assert found["fixed"] == ["tests/test_m.py::test_double"]
    assert gitrepo.git(folder, "show", f"{found['branch']}:m.py") == RIGHT.strip()
    assert server.keys[0] == f"Bearer {KEY}"
    assert "double(2) is 5" in json.dumps(server.requests[0])


def test_a_wrong_draft_is_repaired_by_the_next(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, found, _server = _delegate(folder, [WRONG.replace("+ 1", "+ 2"), RIGHT], monkeypatch)
    assert (code, found["verdict"]) == (0, "verified"), found["reason"]


TRICKS = {
    "an exit hook in source": RIGHT.replace("    return", "    import atexit\n    atexit.register(print)\n    return"),
    "source that skips its test": WRONG.replace(
        "    return", "    import pytest\n    pytest.skip('later')\n    return"
    ),
    "source that ends the run": WRONG.replace("    return", "    import os\n    os._exit(0)\n    return"),
    "a test newly red": WRONG.replace("n + n + 1", "4 if n == 2 else None"),
    "a helper only this checkout has": WRONG.replace(
        "    return n + n + 1", "    import helper\n    return helper.two(n)"
    ),
    "a new file among the tests that equals everything": (
        "<<<PATH>>>\nm.py\n<<<OLD>>>\n    return n + n + 1\n<<<NEW>>>\n    import sys\n    sys.path.append('tests')\n"
        "    import pretend\n    return pretend.Any(n)\n<<<END>>>\n<<<PATH>>>\ntests/pretend.py\n<<<OLD>>>\n<<<NEW>>>\n"
        "class Any(int):\n    def __eq__(self, other):\n        return True\n<<<END>>>\n"
    ),
    "an object that equals everything": (
        "class Any(int):\n    def __eq__(self, other):\n        same = isinstance(other, int)\n        return same\n"
        "\n\n"
        'def double(n):\n    """Twice n."""\n    return Any(n)\n'
    ),
    "a comment": WRONG.replace("+ 1", "+ 1  # right"),
    "nothing at all": WRONG,
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_is_never_verified(trick: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "helper.py").write_text("def two(n):\n    return n + n\n")
    code, found, _server = _delegate(folder, [TRICKS[trick]], monkeypatch)
    assert found["verdict"] != "verified"
    assert code == (3 if found["kept_edits"] else 2), found["reason"]
    assert bool(found["branch"]) == bool(found["kept_edits"])
    assert found["reason"]


def test_stale_bytecode_of_the_checkout_counts_for_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled from right code and marked never to be checked: it would make the wrong source pass."""
    right = folder.parent / "right.py"
    right.write_text(RIGHT)
    cached = folder / "__pycache__" / f"m.{sys.implementation.cache_tag}.pyc"
    cached.parent.mkdir()
    py_compile.compile(str(right), str(cached), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    _code, found, _server = _delegate(folder, [WRONG.replace("+ 1", "+ 1  # right")], monkeypatch)
    assert found["verdict"] != "verified"
    assert found["baseline"]["red"] == ["tests/test_m.py::test_double"]  # type: ignore[index]


def test_a_harmless_edit_on_a_green_suite_is_not_verified(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gitrepo.commit(folder, {"m.py": RIGHT})
    code, found, _server = _delegate(folder, [RIGHT.replace("Twice n.", "Twice as much.")], monkeypatch)
    assert code in (2, 3)
    assert found["verdict"] != "verified"
