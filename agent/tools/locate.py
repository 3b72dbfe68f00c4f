"""Says which file a path from outside means; must not guess: a name that is merely similar is told, never taken.

Whether the file may be touched is decided elsewhere: by the guards, and in the end by the Workspace itself.
"""

from dataclasses import dataclass

from agent.ports import Entry, Workspace
from agent.tools.refused import Refused

_FENCES = frozenset(
    {
        "bash", "c", "cpp", "csharp", "css", "diff", "go", "html", "java", "javascript", "js", "json", "kotlin", "lua",
        "markdown", "md", "php", "plaintext", "py", "python", "ruby", "rust", "sh", "shell", "sql", "swift", "text",
        "toml", "ts", "typescript", "xml", "yaml", "yml",
    }
)  # fmt: skip
"""What stands behind a code fence and is then taken for the name of a file; one that exists is edited all the same."""
_NAMED = 3  # files of the same name that a refusal lists


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A path inside the tree."""

    path: str
    entry: Entry | None
    """The file that lies there; None: nothing does."""


def locate(workspace: Workspace, path: str) -> Located | Refused:
    """The file a path means, or the place where there is none yet.

    A leading `./` is dropped. A folder that stands twice at the front (`.x/.x/a.json`) stands once when only that file
    exists: models double the folder they are in.
    """
    plain = path.removeprefix("./")
    parts = plain.split("/")
    if plain.startswith(("/", "~")) or any(part in ("", ".", "..") for part in parts):
        return Refused(reason=f"{shown(path)!r} is no path inside the tree: give it relative to the tree's root")
    files = {entry.path: entry for entry in workspace.entries()}
    for name in (plain, *_undoubled(parts)):
        if name in files:
            return Located(path=name, entry=files[name])
    if any(name.startswith(f"{plain}/") for name in files):
        return Refused(reason=f"{shown(path)} is a folder: name a file in it")
    return Located(path=plain, entry=None)


def existing(workspace: Workspace, path: str) -> Located | Refused:
    """The file a path means; a refusal that names files called alike when there is none."""
    place = locate(workspace, path)
    if isinstance(place, Refused) or place.entry is not None:
        return place
    name = place.path.rsplit("/", 1)[-1].casefold()
    alike = [entry.path for entry in workspace.entries() if entry.path.rsplit("/", 1)[-1].casefold() == name]
    hint = f"; there is {', '.join(map(shown, alike[:_NAMED]))}" if alike else ""
    return Refused(reason=f"no such file: {shown(path)}{hint}")


def new_name(workspace: Workspace, path: str) -> Refused | None:
    """Why no file should be made under a name that nothing has yet; None when it may."""
    odd = not path.isprintable() or any(part != part.strip() for part in path.split("/"))
    if odd or path.lower() in _FENCES:
        return Refused(reason=f"{shown(path)!r} does not look like a path, so no file of that name is made")
    folded = path.casefold()
    twin = next((entry.path for entry in workspace.entries() if entry.path.casefold() == folded), None)
    if twin is not None:
        return Refused(reason=f"{path} differs from the file {shown(twin)} only in its case: no second one is made")
    return None


def shown(path: str) -> str:
    """A path in one printable line: bytes that are no text and control characters as escapes."""
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in path)


def _escaped(letter: str) -> str:
    if "\udc80" <= letter <= "\udcff":  # a byte of a name that is no UTF-8
        return f"\\x{ord(letter) - 0xDC00:02x}"
    return letter.encode("unicode_escape").decode()


def _undoubled(parts: list[str]) -> list[str]:
    return ["/".join(parts[size:]) for size in range(1, len(parts) // 2 + 1) if parts[:size] == parts[size : 2 * size]]
