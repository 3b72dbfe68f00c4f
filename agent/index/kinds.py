"""How likely a fault lies in a file of a kind, by its path alone; decides nothing, tests and texts stay on the list."""

import re
from collections.abc import Iterable, Iterator

_TEST_FOLDERS = frozenset({"__tests__", "e2e", "fixtures", "spec", "specs", "test", "testdata", "testing", "tests"})
_ASIDE_FOLDERS = frozenset(
    {
        ".github", "bench", "benchmark", "benchmarks", "demo", "demos", "doc", "docs", "example", "examples",
        "node_modules", "sample", "samples", "scripts", "third_party", "tools", "vendor", "vendored",
    }
)  # fmt: skip
_FOLDERS = _TEST_FOLDERS | _ASIDE_FOLDERS
_TEST_NAME = re.compile(r"^(test_|tests?\.|conftest\.)|(_test|_spec|\.test|\.spec)\.\w+$")
_SOURCE = frozenset(
    {
        ".c", ".cc", ".cjs", ".cpp", ".cs", ".cts", ".cxx", ".ex", ".exs", ".go", ".h", ".hh", ".hpp", ".hxx", ".java",
        ".js", ".jsx", ".kt", ".lua", ".m", ".mjs", ".mm", ".mts", ".php", ".pl", ".py", ".pyi", ".pyx", ".rb", ".rs",
        ".scala", ".sh", ".svelte", ".swift", ".ts", ".tsx", ".vue",
    }
)  # fmt: skip
_PLAIN, _ASIDE, _BESIDE, _STUB = 1.0, 0.35, 0.25, 0.5
_RECIPES = frozenset({"setup.py", "noxfile.py", "conf.py"})


def likelihood(path: str) -> float:
    """1 for a source, less for tests, examples, tools, stubs, texts and data.

    Without it a changelog or a test, which repeat an issue's words more than any source, comes first: of the 28
    issues of `lexical` it puts 20 right files first instead of 7.
    """
    return next(likelihoods((path,)))


def likelihoods(paths: Iterable[str]) -> Iterator[float]:
    """The same of thousands of paths, whose folders are looked at once."""
    aside: dict[str, bool] = {}
    for path in paths:
        folder, _, name = path.lower().rpartition("/")
        suffix = name[name.rfind(".") :]
        if suffix not in _SOURCE:
            yield _BESIDE
            continue
        if folder not in aside:
            aside[folder] = not _FOLDERS.isdisjoint(folder.split("/"))
        if aside[folder] or name in _RECIPES or (("test" in name or "spec" in name) and _TEST_NAME.search(name)):
            yield _ASIDE
        else:
            yield _STUB if suffix == ".pyi" else _PLAIN
