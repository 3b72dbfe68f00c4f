"""Which framework a command is, whatever stands around it; and what stands behind `npm test`."""

import json

import pytest

from agent.verify.command import understand
from agent.verify.frameworks.npm import runs_a_script, script_behind
from agent.verify.frameworks.protocol import Room

PY = "/venv/bin/python"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("pytest", "pytest"),
        ("coverage run -m pytest", "pytest"),
        ("PYTHONPATH=src python -m unittest discover", "unittest"),
        ("coverage run -m unittest", "unittest"),
        ("env A=b python -m unittest", "unittest"),
        ("node --test", "node --test"),
        ("cargo test", "cargo test"),
        ("go test ./...", "go test"),
        ("npm test", "a command"),
        ("jest", "jest"),
        ("npx vitest run", "vitest"),
        ("node node_modules/mocha/bin/_mocha test", "mocha"),
        ("jest --watch", "a command"),
        ("vitest bench", "a command"),
        ("mocha -R dot", "a command"),
        ("mocha --reporter=dot", "a command"),
        ("jest --json", "a command"),
        ("cargo nextest run", "a command"),
        ("tox", "a command"),
        ("make test", "a command"),
        ("./run_tests.sh", "a command"),
        ("", "a command"),
    ],
)
def test_every_command_is_some_framework(words, name):
    command = understand(words.split(), PY)
    assert command.framework.name == name
    assert command.framework.per_test == (name != "a command")
    assert command.pytest == (name == "pytest")


def package(script="node --test test/", **more):
    return json.dumps({"scripts": {"test": script, **more}}).encode()


@pytest.mark.parametrize(
    ("words", "content", "argv"),
    [
        ("npm test", package(), "node --test test/"),
        ("npm t", package(), "node --test test/"),
        ("npm run test -- a.js", package("node --test"), "node --test a.js"),
        ("yarn test", package(), "node --test test/"),
        ("A=b pnpm run test", package(), "node --test test/"),
    ],
)
def test_a_plain_script_is_run_in_the_place_of_npm(words, content, argv):
    command = understand(words.split(), None, content)
    assert command.framework.name == "node --test"
    assert command.argv == tuple(argv.split())


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("npm test", None),
        ("npm test", b"{"),
        ("npm test", b"[" * 100_000),
        ("npm test", b'{"scripts": []}'),
        ("npm test", b'{"scripts": {"test": 1}}'),
        ("npm test", package("eslint . && node --test")),
        ("npm test", package("node --test; true")),
        ("npm test", package("A=b node --test")),
        ("npm test", package("node --test test/*.js")),
        ("npm test", package("node --test $(ls)")),
        ("npm test", package("node --test 'a")),
        ("npm test", package("")),
        ("yarn test", package("jest")),
        ("npm test", package("karma start")),
        ("npm test", package(pretest="tsc")),
        ("npm test", package(posttest="rm -r out")),
        ("npm run lint", package()),
        ("npm test --silent", package()),
        ("npm", package()),
    ],
)
def test_anything_else_is_left_to_npm(words, content):
    command = understand(words.split(), None, content)
    assert command.argv == tuple(words.split())
    assert not command.framework.per_test


def test_what_npm_finds_for_itself_is_left_to_it_and_asked_for_a_report():
    command = understand(["npm", "test"], None, package("jest --coverage"))
    assert command.framework.name == "jest"
    launch = command.framework.launch(command.argv, Room(reports="/r", inside="/i"), None)
    assert launch.argv == ("npm", "test", "--", "--ci", "--json", "--outputFile=/r/bendcoder-report")


def test_what_asks_for_a_script():
    assert runs_a_script(("npm", "test"))
    assert not runs_a_script(("node", "--test"))
    assert script_behind(("npm", "test"), package('node --test "a b"')) == ("node", "--test", "a b")
