"""Which commands are node's test runner, and what is run."""

import json

import pytest

from agent.verify.frameworks.nodetests import NodeTest, recognise
from agent.verify.frameworks.protocol import Room

ROOM = Room(reports="/r", inside="/i")
OURS = ("--test-reporter=/i/bendcoder_nodetest.mjs", "--test-reporter-destination=/r/bendcoder-report")
SPEC = ("--test-reporter=spec", "--test-reporter-destination=stdout")


@pytest.mark.parametrize("words", ["node --test", "/usr/bin/node --import tsx --test test/", "nodejs --test -r x a.js"])
def test_the_command_is_recognised(words):
    assert recognise(tuple(words.split())) == NodeTest()


@pytest.mark.parametrize(
    "words",
    ["node", "node test.js --test", "node --test --watch", "npm test", "node -r --test x.js", "", "deno --test"],
)
def test_other_commands_are_not(words):
    assert recognise(tuple(words.split())) is None


@pytest.mark.parametrize(
    ("words", "argv"),
    [
        ("node --test", ("node", "--test", *SPEC, *OURS)),
        ("node --test test/ --odd", ("node", "--test", *SPEC, *OURS, "test/", "--odd")),
        ("node --test -- test/", ("node", "--test", *SPEC, *OURS, "--", "test/")),
        (
            "node --test --test-reporter tap a.js",
            ("node", "--test", "--test-reporter", "tap", "--test-reporter-destination=stdout", *OURS, "a.js"),
        ),
        (
            "node --test --test-reporter=tap --test-reporter-destination=x",
            ("node", "--test", "--test-reporter=tap", "--test-reporter-destination=x", *OURS),
        ),
    ],
)
def test_our_reporter_is_added_to_what_is_there(words, argv):
    assert NodeTest().launch(tuple(words.split()), ROOM, None).argv == argv


def test_chosen_tests_are_named_by_file_and_title():
    ids = ["test/a.js::outer > is 1 (one) + /x/", "test/b.js"]
    launch = NodeTest().launch(("node", "--test", "test/"), ROOM, ids)
    pattern = r"--test-name-pattern=/^is 1 \(one\) \+ \/x\/$/"
    assert launch.argv == ("node", "--test", *SPEC, *OURS, pattern, "test/a.js", "test/b.js")
    assert json.loads(launch.files["bendcoder-select.json"]) == ids
    assert launch.variables == {"BENDCODER_SELECT": "/r/bendcoder-select.json"}
    assert not NodeTest().narrows(["::anonymous"])
