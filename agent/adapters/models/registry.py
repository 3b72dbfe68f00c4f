"""Model backends by name, from values handed in; reads no environment and never switches backend by itself."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from agent.adapters.models.cassette import (
    Cassette,
    CassetteClassifier,
    CassetteGenerator,
    RecordingClassifier,
    RecordingGenerator,
)
from agent.adapters.models.closing import release
from agent.adapters.models.nothing import NothingGenerator
from agent.adapters.models.options import ModelOptions
from agent.errors import ModelError
from agent.ports import Classifier, Generator, Screener

CLASSIFIERS = ("embedded", "systemone", "llm", "cassette")
GENERATORS = ("embedded", "chat", "cassette", "nothing")


@contextmanager
def opened(options: ModelOptions, screener: Callable[[], Screener]) -> Iterator[tuple[Classifier, Generator]]:
    """Both backends for one run; their connections are closed after it. ModelError as the two below."""
    with ExitStack() as stack:
        classifier = classifier_named(options)
        stack.callback(release, classifier)
        generator = generator_named(options, screener)
        stack.callback(release, generator)
        yield classifier, generator


def classifier_named(options: ModelOptions) -> Classifier:
    """The Classify backend; ModelError naming BENDCODER_CLASSIFY when there is no such one or it lacks a setting."""
    found = _classifier(options)
    return RecordingClassifier(found, Cassette(Path(options.record))) if options.record else found


def _classifier(options: ModelOptions) -> Classifier:
    if options.classify == "embedded":
        from agent.adapters.models.embedded import EmbeddedClassifier

        return EmbeddedClassifier()
    if options.classify in ("systemone", "llm"):
        from agent.adapters.models import served

        return served.systemone(options) if options.classify == "systemone" else served.llm(options)
    if options.classify == "cassette":
        return CassetteClassifier(Cassette(_file(options.classify_url, "BENDCODER_CLASSIFY_URL")))
    raise ModelError(
        f"there is no Classify backend {options.classify!r}: set BENDCODER_CLASSIFY to one of {CLASSIFIERS}"
    )


def generator_named(options: ModelOptions, screener: Callable[[], Screener]) -> Generator:
    """The Generate backend; `screener` is called for the embedded one alone. ModelError names the setting to change."""
    found = _generator(options, screener)
    return RecordingGenerator(found, Cassette(Path(options.record))) if options.record else found


def _generator(options: ModelOptions, screener: Callable[[], Screener]) -> Generator:
    if options.generate == "embedded":
        from agent.adapters.models.embedded import EmbeddedGenerator

        try:
            return EmbeddedGenerator(screener(), time.monotonic, options.generate_without)
        except ValueError as error:
            raise ModelError(str(error)) from error
    if options.generate == "chat":
        from agent.adapters.models import served

        return served.chat(options)
    if options.generate == "cassette":
        return CassetteGenerator(Cassette(_file(options.generate_url, "BENDCODER_GENERATE_URL")))
    if options.generate == "nothing":
        return NothingGenerator()
    raise ModelError(
        f"there is no Generate backend {options.generate!r}: set BENDCODER_GENERATE to one of {GENERATORS}"
    )


def _file(name: str, setting: str) -> Path:
    path = Path(name)
    if not name or not path.is_file():
        raise ModelError(f"the cassette {name!r} is not a file: set {setting} to a recorded one")
    return path
