"""`.github/bendcoder.yml` of a repository, bytes in, `RepoConfig` out; no IO. The file is hostile until parsed."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import yaml

from worker.errors import ConfigError

PATH = ".github/bendcoder.yml"
SIZE = 64 * 1024
DEPTH = 3  # the file is a mapping that holds lists and one more mapping: anything deeper is a mistake or an attack
MOST_SECONDS = 24 * 3600.0

_OPERATORS = frozenset({"&&", "||", "|", ";", ">", ">>", "<", "&", "2>&1"})


class Drafts(StrEnum):
    """When a draft pull request opens: for every kept change, or for verified ones alone."""

    ALWAYS = "always"
    VERIFIED = "verified"


@dataclass(frozen=True, slots=True, kw_only=True)
class RepoConfig:
    """What a repository's maintainers wrote; None where they left the choice to detection or the operator."""

    verify: tuple[str, ...] | None = None
    check: tuple[str, ...] | None = None
    setup: tuple[tuple[str, ...], ...] | None = None
    """Commands, run one after the other."""
    steps: int | None = None
    model: str | None = None
    protected: tuple[str, ...] = ()
    check_seconds: float | None = None
    suite_seconds: float | None = None
    setup_seconds: float | None = None
    drafts: Drafts = Drafts.ALWAYS
    ci: str | None = None


@dataclass(slots=True)
class _Reader:
    """The top mapping of the file; every `take` removes a key, so that what remains is unknown."""

    nodes: dict[str, yaml.Node]
    prefix: str = ""
    known: list[str] = field(default_factory=list)

    def take(self, key: str) -> yaml.Node | None:
        self.known.append(key)
        return self.nodes.pop(key, None)

    def name(self, key: str) -> str:
        return f"{self.prefix}{key}"

    def finish(self) -> None:
        for key, node in self.nodes.items():
            raise _wrong(self.name(key), node, f"is not a setting; known here: {', '.join(self.known)}")


def parse(content: bytes | None) -> RepoConfig:
    """Read the file; None (no such file) is an empty configuration. ConfigError names the key and the line."""
    if content is None:
        return RepoConfig()
    if len(content) > SIZE:
        raise ConfigError(f"`{PATH}` is larger than {SIZE // 1024} KB. Nothing ran; make it smaller and ask again.")
    root = _compose(content)
    if root is None:
        return RepoConfig()
    reader = _Reader(nodes=_mapping("the file", root))
    config = _read(reader)
    reader.finish()
    return config


def _read(top: _Reader) -> RepoConfig:
    verify = _command(top, "verify")
    check = _command(top, "check")
    setup = _commands(top, "setup")
    steps = _number(top, "steps", 1, 1000)
    model = _text(top, "model")
    protected = _texts(top, "protected")
    node = top.take("timeouts")
    times = _Reader(nodes=_mapping("timeouts", node) if node else {}, prefix="timeouts.")
    check_seconds = _seconds(times, "check")
    suite_seconds = _seconds(times, "suite")
    setup_seconds = _seconds(times, "setup")
    times.finish()
    drafts = _word(top, "drafts", [one.value for one in Drafts])
    return RepoConfig(
        verify=verify,
        check=check,
        setup=setup,
        steps=steps,
        model=model,
        protected=protected,
        check_seconds=check_seconds,
        suite_seconds=suite_seconds,
        setup_seconds=setup_seconds,
        drafts=Drafts(drafts) if drafts else Drafts.ALWAYS,
        ci=_word(top, "ci", ["hold", "run"]),
    )


def _compose(content: bytes) -> yaml.Node | None:
    """Bytes to a small tree of nodes: no aliases (a few of them unfold to gigabytes), no depth, no second document.

    Nothing is constructed: scalars stay text, so no tag, date or number of YAML's own can surprise us.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"`{PATH}` is not UTF-8 text. Nothing ran; save it as UTF-8.") from error
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.BaseLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise _at(_line(event), "uses an anchor or alias, which are not read here")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > DEPTH:
                raise _at(_line(event), f"nests deeper than {DEPTH} levels")
        node: yaml.Node | None = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _at(mark.line if mark else 0, f"is not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"`{PATH}` is not YAML: it holds characters YAML does not allow. Nothing ran.") from error
    return node


def _line(event: yaml.Event) -> int:
    mark = event.start_mark
    return mark.line if mark else 0


def _at(line: int, problem: str) -> ConfigError:
    return ConfigError(f"`{PATH}`, line {line + 1}: {problem}. Nothing ran; correct the file and ask again.")


def _wrong(key: str, node: yaml.Node, problem: str) -> ConfigError:
    return _at(node.start_mark.line, f"`{_shown(key)}` {problem}")


def _shown(value: str) -> str:
    """A word of the file, short enough and plain enough to stand in a message."""
    plain = "".join(char if char.isprintable() and char != "`" else "?" for char in value)
    return plain if len(plain) <= 60 else plain[:57] + "..."


def _mapping(key: str, node: yaml.Node) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise _wrong(key, node, "must hold `key: value` lines")
    found: dict[str, yaml.Node] = {}
    for name, value in node.value:
        if not isinstance(name, yaml.ScalarNode):
            raise _wrong(key, name, "has a key that is not a word")
        if name.value in found:
            raise _wrong(name.value, name, "stands there twice")
        found[name.value] = value
    return found


def _scalar(reader: _Reader, key: str) -> tuple[str, yaml.Node] | None:
    node = reader.take(key)
    if node is None:
        return None
    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        raise _wrong(reader.name(key), node, "must be one value")
    return node.value.strip(), node


def _text(reader: _Reader, key: str) -> str | None:
    found = _scalar(reader, key)
    if found is None:
        return None
    value, node = found
    if len(value) > 200 or not value.isprintable():
        raise _wrong(reader.name(key), node, "must be one short line")
    return value


def _word(reader: _Reader, key: str, words: Iterable[str]) -> str | None:
    found = _scalar(reader, key)
    if found is None:
        return None
    value, node = found
    choices = list(words)
    if value not in choices:
        raise _wrong(reader.name(key), node, f"must be one of: {', '.join(choices)}")
    return value


def _number(reader: _Reader, key: str, least: int, most: int) -> int | None:
    found = _scalar(reader, key)
    if found is None:
        return None
    value, node = found
    if not (value.isascii() and value.isdigit() and len(value) <= 6 and least <= int(value) <= most):
        raise _wrong(reader.name(key), node, f"must be a whole number from {least} to {most}")
    return int(value)


def _seconds(reader: _Reader, key: str) -> float | None:
    found = _scalar(reader, key)
    if found is None:
        return None
    value, node = found
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MOST_SECONDS:  # also false for nan
        raise _wrong(reader.name(key), node, f"must be seconds, more than 0 and at most {MOST_SECONDS:.0f}")
    return seconds


def _texts(reader: _Reader, key: str) -> tuple[str, ...]:
    node = reader.take(key)
    if node is None:
        return ()
    if not isinstance(node, yaml.SequenceNode):
        raise _wrong(reader.name(key), node, "must be a list")
    for item in node.value:
        if not isinstance(item, yaml.ScalarNode) or not item.value.strip():
            raise _wrong(reader.name(key), item, "must be a list of words")
    return tuple(item.value.strip() for item in node.value)


def _command(reader: _Reader, key: str) -> tuple[str, ...] | None:
    """A command as one line (split like a shell's words) or as a list of words; never run by a shell."""
    node = reader.nodes.get(key)
    if isinstance(node, yaml.SequenceNode):
        return _program(reader.name(key), node, _texts(reader, key))
    found = _scalar(reader, key)
    return None if found is None else _line_of_words(reader.name(key), found[1])


def _commands(reader: _Reader, key: str) -> tuple[tuple[str, ...], ...] | None:
    """One command as one line, or a list of such lines."""
    node = reader.nodes.get(key)
    if not isinstance(node, yaml.SequenceNode):
        found = _scalar(reader, key)
        return None if found is None else (_line_of_words(reader.name(key), found[1]),)
    if not _texts(reader, key):
        raise _wrong(reader.name(key), node, "is an empty list")
    return tuple(_line_of_words(reader.name(key), item) for item in node.value)


def _line_of_words(name: str, node: yaml.Node) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(node.value))
    except ValueError as error:
        raise _wrong(name, node, "has a quote that is not closed") from error
    return _program(name, node, words)


def _program(name: str, node: yaml.Node, words: tuple[str, ...]) -> tuple[str, ...]:
    if not words or any("\0" in word for word in words):
        raise _wrong(name, node, "must name a program")
    if bad := _OPERATORS.intersection(words):
        hint = f"holds `{min(bad)}`, but commands run without a shell: put them into a script and name that"
        raise _wrong(name, node, hint)
    return words
