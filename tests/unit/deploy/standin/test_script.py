"""Scripts are read strictly: what is wrong is told by file and place, and nothing is guessed."""

import json
from pathlib import Path

import pytest

from deploy.standin.script import Lines, ScriptError, joined, load


def _script(folder: Path, document: object) -> Path:
    path = folder / "script.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def test_a_script_is_read_with_its_defaults(tmp_path: Path) -> None:
    script = load(
        _script(
            tmp_path,
            {
                "says": [{"action": "apply_edit", "edit": "a.py", "lines": {"first": "return 1"}}],
                "replies": [{"role": "draft", "text": ["a", "b"]}],
            },
        )
    )

    assert script.says[0].lines == Lines(first="return 1")
    assert script.says[0].confidence == 0.9
    assert joined(script.replies[0].text) == "a\nb"


def test_a_reply_may_lie_in_a_file_beside_the_script(tmp_path: Path) -> None:
    (tmp_path / "fix.py").write_text("x = 1\n")

    assert load(_script(tmp_path, {"replies": [{"file": "fix.py"}]})).replies[0].text == "x = 1\n"


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ("{", "the whole"),
        ({"says": [{}]}, "says.0.action"),
        ({"says": [{"action": "read_code", "confidense": 1}]}, "says.0.confidense"),
        ({"says": [{"action": "read_code", "confidence": 2}]}, "says.0.confidence"),
        ({"says": [{"action": "read_code", "lines": {"last": "x"}}]}, "says.0.lines"),
        ({"replies": [{"text": "a", "file": "b"}]}, "replies.0"),
        ({"replies": [{"role": "poet"}]}, "replies.0.role"),
        ({"replies": [{"file": "absent.py"}]}, "absent.py"),
    ],
)
def test_what_is_wrong_is_told_by_file_and_place(tmp_path: Path, document: object, told: str) -> None:
    path = _script(tmp_path, document)

    with pytest.raises(ScriptError) as problem:
        load(path)

    assert str(path) in problem.value.args[0]
    assert told in problem.value.args[0]


def test_a_missing_script_is_told(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="cannot be read"):
        load(tmp_path / "none.json")
