"""Names the languages of a repository by the endings of its paths; must not read a file."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

_NAMES: Mapping[str, str] = {
    ".py": "Python", ".pyi": "Python", ".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript",
    ".jsx": "JavaScript", ".ts": "TypeScript", ".tsx": "TypeScript", ".rs": "Rust", ".go": "Go", ".c": "C", ".h": "C",
    ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hpp": "C++", ".java": "Java", ".kt": "Kotlin", ".rb": "Ruby",
    ".php": "PHP", ".cs": "C#", ".swift": "Swift", ".scala": "Scala", ".sh": "Shell", ".lua": "Lua", ".ex": "Elixir",
    ".exs": "Elixir", ".hs": "Haskell", ".ml": "OCaml", ".zig": "Zig", ".dart": "Dart", ".r": "R", ".jl": "Julia",
}  # fmt: skip
MOST = 4
"""Languages named: a prompt needs those a change may be in, not the build script's."""
_SHARE = 0.02  # of the files with a known ending, below which a language is not named


def languages_of(paths: Iterable[str]) -> tuple[str, ...]:
    """At most four names, the commonest first, equals by name."""
    endings = (PurePosixPath(path).suffix.lower() for path in paths)
    counts = Counter(_NAMES[ending] for ending in endings if ending in _NAMES)
    least = _SHARE * sum(counts.values())
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    return tuple(name for name in ordered if counts[name] >= least)[:MOST]
