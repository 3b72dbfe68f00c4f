import pytest

from agent.domain.edit import Change
from agent.verify.paths import (
    collected_files,
    holding_tests,
    is_prose,
    is_test_path,
    judge_files,
    new_names,
    only_tests,
    shadows,
)


def new(path):
    return Change(path=path, before=None, after=b"x = 1\n")


def edited(path):
    return Change(path=path, before=b"x = 1\n", after=b"x = 2\n")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/test_a.py", True),
        ("pkg/test/data.json", True),
        ("src/testing/tools.py", True),
        ("test_top.py", True),
        ("sub/unit/check_b.py", True),
        ("tests/conftest.py", False),
        ("conftest.py", False),
        ("src/a.py", False),
        ("tests.py", False),
        ("attests/a.py", False),
        ("docs/example.py", False),
    ],
)
def test_what_a_test_path_is(path, expected):
    collected = frozenset({"test_top.py", "unit/check_b.py"})
    assert is_test_path(path, collected) is expected


def test_source_with_examples_in_its_docstrings_is_not_a_test():
    ids = ["src/calc.py::src.calc.add", "calc.py::calc", "tests/test_a.py::test_a", "test_b.py::test_b", "t.yaml::case"]
    assert collected_files(ids) == {"tests/test_a.py", "test_b.py", "t.yaml"}


def test_rust_keeps_tests_in_its_sources():
    def changed(path, before):
        return Change(path=path, before=before, after=b"fn main() {}\n")

    held = [
        changed("src/a.rs", b"#[cfg(test)]\nmod tests {}\n"),
        changed("src/b.rs", b'#[tokio::test(flavor = "x")]\nasync fn t() {}\n'),
        changed("src/c.rs", b"#[cfg(all(test, unix))]\nmod tests {}\n"),
        changed("src/d.rs", b"// a test\nfn test() {}\n#[derive(Debug)]\nstruct T;\n"),
        changed("tests/e.rs", b"#[test]\nfn t() {}\n"),
        changed("src/f.py", b"#[test]\n"),
        changed("src/new.rs", None),
    ]
    assert holding_tests(held) == ("src/a.rs", "src/b.rs", "src/c.rs")


def test_go_keeps_tests_beside_its_sources_and_names_packages():
    assert is_test_path("pkg/a_test.go", frozenset())
    assert not is_test_path("pkg/a.go", frozenset())
    assert collected_files(["example/m/pkg::TestA", "demo::tests::adds", "test/a.js::x"]) == {"test/a.js"}


def test_r_keeps_tests_alone():
    changes = (edited("a.py"), edited("tests/test_a.py"), new("tests/conftest.py"), new("tests/data.txt"))
    assert [change.path for change in only_tests(changes, frozenset())] == ["tests/test_a.py", "tests/data.txt"]


@pytest.mark.parametrize(
    "path",
    ["conftest.py", "a/b/conftest.py", "pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", ".coveragerc", "x.pth",
     "lib/native.so", "sitecustomize.py", "Makefile", "jest.config.ts", "package.json", "run.sh", "__pycache__/a.pyc",
     "vite.config.mts", "vitest.setup.js", ".mocharc", ".babelrc.json", "build.rs", ".cargo/config.toml", "go.work"],
)  # fmt: skip
def test_judge_files(path):
    assert judge_files([edited(path)], frozenset({path}), frozenset({"run.sh"})) == (path,)


def test_ordinary_files_are_no_judges():
    changes = [edited("src/a.py"), new("src/b.py"), edited("tests/test_a.py"), edited("README.md")]
    assert judge_files(changes, frozenset({"src/a.py"}), frozenset()) == ()


@pytest.mark.parametrize(
    "path",
    ["test_utils.py", "pkg/testutils.py", "pkg/_testing.py", "unit_tests/a/check.py", "Tests/a.py",
     "lib/testcase.py", "spec_tests/x.py"],
)  # fmt: skip
def test_what_tests_stand_on_is_a_judge(path):
    assert judge_files([edited(path)], frozenset({path}), frozenset()) == (path,)
    assert judge_files([new(path)], frozenset(), frozenset()) == ()
    assert judge_files([edited(path)], frozenset({path}), frozenset(), frozenset(), frozenset({path})) == ()


def test_source_that_imports_the_framework_is_a_judge():
    plugin = Change(path="src/plugin.py", before=b"import os\nfrom pytest import fixture\n", after=b"")
    product = Change(path="src/contest.py", before=b"import pytester\n# import pytest\n", after=b"")
    football = Change(path="league/fixtures.py", before=b"MATCHES = []\n", after=b"")
    assert judge_files([plugin, product, football], frozenset(), frozenset()) == ("src/plugin.py",)


TRACKED = frozenset({"src/pkg/__init__.py", "src/pkg/core.py", "tool.py", "tests/test_a.py", "src/pkg/sub/__init__.py"})


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("json.py", True),
        ("src/random.py", True),
        ("tests/pytest.py", True),
        ("_pytest/__init__.py", True),
        ("pkg.py", True),
        ("pkg/__init__.py", True),
        ("src/pkg/core/__init__.py", True),
        ("src/tool.py", True),
        ("src/pkg/json.py", False),
        ("src/pkg/sub/random.py", False),
        ("src/fresh.py", False),
        ("src/pkg/fresh.py", False),
        ("data/json.txt", False),
    ],
)
def test_new_files_that_take_a_name_away(path, expected):
    assert shadows(path, TRACKED | {path}) is expected


@pytest.mark.parametrize(
    ("path", "prose"),
    [("README.md", True), ("docs/a.rst", True), ("CHANGES.txt", True), ("CHANGELOG", True), ("changes.py", False),
     ("requirements.txt", False), ("data/news.json", False)],
)  # fmt: skip
def test_text_for_people(path, prose):
    assert is_prose(path) is prose


def test_a_module_beside_a_package_of_its_name():
    assert shadows("src/pkg.py", TRACKED | {"src/pkg.py"})


def test_only_names_that_can_be_imported_from_outside_a_package_are_asked_for():
    changes = [
        Change(path=path, before=None, after=b"")
        for path in ("yaml.py", "src/new.py", "extra/__init__.py", "extra/inner.py", "pkg/other.py", "docs/a.txt")
    ]
    assert new_names(changes, frozenset({"pkg/__init__.py"})) == {"yaml", "new", "extra"}


def test_a_new_file_under_an_installed_name_is_a_judge():
    changes = [
        Change(path=path, before=None, after=b"") for path in ("yaml.py", "plus.py", "sitecustomize/__init__.py")
    ]
    assert judge_files(changes, frozenset(), frozenset(), frozenset({"yaml"})) == (
        "sitecustomize/__init__.py",
        "yaml.py",
    )
