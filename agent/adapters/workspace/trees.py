"""The files of a plain folder as entries, and entries as files of a tree; must not follow a link or run git."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from agent.adapters.workspace.objects import EXECUTABLE, LINK, PLAIN, blob_id
from agent.adapters.workspace.paths import delete_file, parts_of, read_file, write_file
from agent.domain.edit import Change
from agent.errors import WorkspaceError
from agent.ports import Entry


def snapshot(root: Path, tracked: Iterable[str] | None = None) -> tuple[Entry, ...]:
    """Entries of a folder: `tracked` paths, or every file outside of `.git`; links are entries of git mode 120000."""
    paths = sorted(tracked) if tracked is not None else sorted(_walk(root))
    return tuple(_entry(root, path) for path in paths)


def _walk(root: Path) -> Iterator[str]:
    for here, folders, files in os.walk(root, followlinks=False):
        links = [name for name in folders if Path(here, name).is_symlink()]
        folders[:] = [name for name in folders if name.casefold() != ".git" and name not in links]
        for name in files + links:
            path = Path(here, name)
            kind = path.lstat().st_mode
            if name.casefold() != ".git" and (stat.S_ISREG(kind) or stat.S_ISLNK(kind)):
                yield path.relative_to(root).as_posix()


def _entry(root: Path, path: str) -> Entry:
    parts_of(path)
    try:
        kind = (root / path).lstat().st_mode
    except FileNotFoundError:
        raise WorkspaceError(f"tracked file {path!r} is missing on disk") from None
    if stat.S_ISLNK(kind):
        content, mode = _target(root / path), LINK
    else:
        content, mode = read_file(root, path), EXECUTABLE if kind & 0o100 else PLAIN
    return Entry(path=path, blob=blob_id(content), mode=mode, size=len(content))


def _target(link: Path) -> bytes:
    return os.readlink(os.fsencode(link))  # noqa: PTH115 - Path.readlink would tidy the bytes up


def copy_entry(source: Path, tree: Path, entry: Entry) -> None:
    """Put one entry of a folder into a tree as git checks it out; WorkspaceError when it is another file by now."""
    target = tree / entry.path
    if entry.mode == LINK:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(os.fsdecode(_target(source / entry.path)))
    elif entry.mode in (PLAIN, EXECUTABLE):
        content = read_file(source, entry.path)
        if len(content) != entry.size or blob_id(content) != entry.blob:
            raise WorkspaceError(f"{entry.path!r} changed on disk since the run began; start again")
        write_file(tree, entry.path, content, entry.mode)
    else:
        target.mkdir(parents=True, exist_ok=True)  # a submodule is an empty folder, as after a plain clone


def apply_change(tree: Path, change: Change, files: dict[str, tuple[int, str]]) -> None:
    """Apply one change to a tree and to its path -> (git mode, blob id); WorkspaceError when it does not fit."""
    present = files.get(change.path)
    if (present[1] if present else None) != (None if change.before is None else blob_id(change.before)):
        raise WorkspaceError(f"the change of {change.path!r} does not start from the base's bytes")
    if change.after is None:
        delete_file(tree, change.path)
        files.pop(change.path, None)
        return
    mode = EXECUTABLE if change.mode & 0o111 else PLAIN
    write_file(tree, change.path, change.after, mode)
    files[change.path] = (mode, blob_id(change.after))
