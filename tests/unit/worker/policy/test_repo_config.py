"""A repository's own file: what is read, and what is refused with the key's name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.errors import ConfigError
from worker.repo_config import SIZE, Drafts, RepoConfig, parse

FULL = b"""\
# how our tests run
verify: python -m pytest -q "tests dir"
check: [python, -m, py_compile, "{file}"]
setup: make deps
steps: 20
model: small
protected:
  - migrations/**
timeouts:
  check: 30
  suite: 120.5
  setup: 300
drafts: verified
ci: run
"""


def test_every_setting_is_read():
    assert parse(FULL) == RepoConfig(
        verify=("python", "-m", "pytest", "-q", "tests dir"),
        check=("python", "-m", "py_compile", "{file}"),
        setup=(("make", "deps"),),
        steps=20,
        model="small",
        protected=("migrations/**",),
        check_seconds=30.0,
        suite_seconds=120.5,
        setup_seconds=300.0,
        drafts=Drafts.VERIFIED,
        ci="run",
    )


def test_set_up_may_be_several_commands_of_which_each_is_one_line():
    content = b"setup:\n  - python -m venv {env}\n  - pip install -r 'my file.txt'\n"
    assert parse(content).setup == (("python", "-m", "venv", "{env}"), ("pip", "install", "-r", "my file.txt"))


@pytest.mark.parametrize("value", ["[]", "[make, 'a && b']", "[make, '']", "['\"']", "{a: b}", "[[make, deps]]"])
def test_a_set_up_that_is_no_list_of_commands_is_named(value):
    with pytest.raises(ConfigError, match="`setup`"):
        parse(f"setup: {value}\n".encode())


@pytest.mark.parametrize("content", [None, b"", b"# nothing\n", b"\xef\xbb\xbf"])
def test_nothing_said_is_nothing_set(content):
    assert parse(content) == RepoConfig()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"verify: a && b", "line 1: `verify` holds `&&`"),
        (b"\nverify: 'a", "is not YAML"),
        (b'verify: "\'a"', "quote that is not closed"),
        (b"verify: []", "`verify` must name a program"),
        (b"verify: {a: b}", "`verify` must be one value"),
        (b"check: [[a]]", "`check` must be a list of words"),
        (b'check: ["a\\0b"]', "`check` must name a program"),
        (b"steps: 0", "`steps` must be a whole number"),
        (b"steps: yes", "`steps` must be a whole number"),
        (b"steps: " + b"9" * 5000, "`steps` must be a whole number"),
        (b"steps: 1\nsteps: 2", "line 2: `steps` stands there twice"),
        (b"stepz: 1", "line 1: `stepz` is not a setting; known here: verify"),
        (b"timeouts: {slow: 1}", "`timeouts.slow` is not a setting"),
        (b"timeouts: {check: nan}", "`timeouts.check` must be seconds"),
        (b"timeouts: {check: -1}", "`timeouts.check` must be seconds"),
        (b"timeouts: 5", "`timeouts` must hold"),
        (b"drafts: never", "`drafts` must be one of: always, verified"),
        (b"ci: maybe", "`ci` must be one of: hold, run"),
        (b"protected: a", "`protected` must be a list"),
        (b"protected: ['']", "`protected` must be a list of words"),
        (b'model: "a\\nb"', "`model` must be one short line"),
        (b"- a", "`the file` must hold"),
        (b"[a]: 1", "has a key that is not a word"),
        (b"a: &x 1\nb: *x", "anchor or alias"),
        (b"b: *x", "anchor or alias"),
        (b"[[[[", "nests deeper"),
        (b"---\na: 1\n---\nb: 1", "is not YAML"),
        (b"\xff\xfe", "not UTF-8"),
        (b"\x00", "characters YAML does not allow"),
        (b"#" * (SIZE + 1), "larger than 64 KB"),
        (b"`@bob` : 1", "is not YAML"),
    ],
)
def test_a_mistake_is_named_and_nothing_runs(content, words):
    with pytest.raises(ConfigError, match="Nothing ran") as caught:
        parse(content)
    assert words in str(caught.value)


def test_an_alias_bomb_is_refused_before_it_unfolds():
    rows = [b"a0: &a0 [x, x]"] + [b"a%d: &a%d [*a%d, *a%d]" % (n, n, n - 1, n - 1) for n in range(1, 60)]
    with pytest.raises(ConfigError, match="anchor or alias"):
        parse(b"\n".join(rows))


def test_deep_nesting_is_refused_without_exhausting_the_stack():
    with pytest.raises(ConfigError, match="nests deeper"):
        parse(b"[" * 60_000)


def outcome(content: bytes) -> RepoConfig | str:
    try:
        return parse(content)
    except ConfigError as error:
        return str(error)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_configuration_or_a_configuration_error(content):
    found = outcome(content)
    assert isinstance(found, RepoConfig) or "Nothing ran" in found


KEYS = ["verify", "check", "setup", "steps", "model", "protected", "timeouts", "drafts", "ci", "other"]
VALUES = ["x", "1", "[a, b]", "{check: 1}", "'", "a;b", "!!python/object:os.system x", "~", "2026-01-01"]


@given(st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)), max_size=5))
def test_any_shape_gives_a_configuration_or_names_what_is_wrong(rows):
    found = outcome("\n".join(f"{key}: {value}" for key, value in rows).encode())
    if isinstance(found, str):
        assert ".github/bendcoder.yml" in found
    else:
        assert found.verify is None or all(isinstance(word, str) and word for word in found.verify)
