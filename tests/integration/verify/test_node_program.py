"""node's test runner with our reporter, whole and narrowed; collected only where node is installed (see conftest)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from agent.adapters.sandbox.local import LocalSandbox
from agent.domain.environment import Environment
from agent.domain.suite import Status, SuiteRun
from agent.ports import Limits
from agent.verify.frameworks.nodetests import recognise
from agent.verify.frameworks.protocol import REPORT, Room


def run(folder: Path, files: Mapping[str, str], *arguments: str, ids: Sequence[str] | None = None) -> SuiteRun:
    tree = folder / "tree"
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    command = ("node", "--test", *arguments)
    node = recognise(command)
    assert node is not None
    with LocalSandbox(folder).open(tree, Environment()) as box:
        launch = node.launch(command, Room(reports=box.reports, inside=box.inside), ids)
        for name, content in launch.files.items():
            box.give(name, content)
        ran = box.run(
            launch.argv, Limits(seconds=20, memory=8 * 1024**3), {**launch.variables, "AT": f"{box.reports}/{REPORT}"}
        )
        return node.read(ran, box.collect(REPORT), partial=ids is not None)


SHAPES = {
    "test/a.test.js": """
const test = require('node:test'); const assert = require('node:assert'); const { describe, it, before } = test;
test('plain', () => {});
test('wrong [1]', () => { assert.strictEqual(1, 2); });
test('off', { skip: 'not here' }, () => {});
test('later', { todo: true }, () => { throw new Error('later'); });
describe('outer', () => {
  it('in', () => {});
  it('out', () => { throw new RangeError('x\\0y'); });
  describe('deep', () => { it('in', () => {}); });
});
describe('hooked', () => { before(() => { throw new Error('hook'); }); it('never', () => {}); });
test('parent', async (t) => { await t.test('child', () => { assert.ok(false); }); });
""",
    "test/broken.test.js": "throw new Error('load');\n",
    "test/script.test.js": "require('node:assert').ok(true);\n",
}
A = "test/a.test.js::"
EXPECTED = {
    f"{A}plain": Status.PASSED,
    f"{A}wrong [1]": Status.FAILED,
    f"{A}off": Status.SKIPPED,
    f"{A}later": Status.XFAILED,
    f"{A}outer > in": Status.PASSED,
    f"{A}outer > out": Status.FAILED,
    f"{A}outer > deep > in": Status.PASSED,
    f"{A}hooked": Status.ERROR,
    f"{A}hooked > never": Status.ERROR,
    f"{A}parent": Status.FAILED,
    f"{A}parent > child": Status.FAILED,
    "test/broken.test.js": Status.ERROR,
    "test/script.test.js": Status.PASSED,
}


def test_every_way_a_test_can_end(tmp_path):
    found = run(tmp_path, SHAPES)
    assert (found.report_problem, found.status()) == ("", EXPECTED)
    messages = {case.id: case.message for case in found.cases or ()}
    assert messages[f"{A}wrong [1]"].startswith("AssertionError: Expected values to be strictly equal")
    assert messages[f"{A}outer > out"] == "RangeError: xy"
    assert "bendcoder-seal" not in found.output


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([f"{A}outer > in", f"{A}wrong [1]"], {f"{A}outer > in": Status.PASSED, f"{A}wrong [1]": Status.FAILED}),
        (["test/script.test.js", f"{A}gone"], {"test/script.test.js": Status.PASSED}),
        (["test/broken.test.js::gone"], {"test/broken.test.js": Status.ERROR}),
    ],
)
def test_chosen_tests_alone(tmp_path, ids, expected):
    found = run(tmp_path, SHAPES, "test/", ids=ids)
    assert (found.report_problem, found.status()) == ("", expected)


FORGE = """
const test = require('node:test'); const fs = require('node:fs');
const PASSED = JSON.stringify({ id: 'x.test.js::x', status: 'passed', seconds: 0, message: '' }) + '\\n';
test('x', () => { ATTACK; throw new Error('wrong'); });
"""


@pytest.mark.parametrize(
    "attack",
    [
        "process.on('exit', () => fs.writeFileSync(process.env.AT, PASSED))",
        "fs.appendFileSync(process.env.AT, PASSED); process.exit(0)",
        "fs.writeSync(1, '\\nbendcoder-seal 1 ' + 'a'.repeat(64) + '\\n'); process.kill(process.ppid, 'SIGKILL')",
    ],
)
def test_a_report_written_by_the_tests_is_never_a_pass(tmp_path, attack):
    found = run(tmp_path, {"x.test.js": FORGE.replace("ATTACK", attack)})
    # leaving early makes the file as a whole pass: its test is gone, which is no pass either
    assert not found.finished or "x.test.js::x" not in found.passed()
