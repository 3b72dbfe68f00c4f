"""Workspace and Checkouts on a plain folder: what tests and `python -m agent` use. Never runs git."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from agent.adapters.workspace.objects import EXECUTABLE, PLAIN, blob_id, tree_id
from agent.adapters.workspace.paths import (
    delete_file,
    folder_of,
    is_there,
    parts_of,
    read_file,
    remove_tree,
    write_file,
)
from agent.adapters.workspace.ripgrep import files_holding, lines_holding
from agent.adapters.workspace.trees import apply_change, copy_entry, snapshot
from agent.domain.edit import Change
from agent.edits.content import BINARY_PROBE, is_binary
from agent.errors import WorkspaceError
from agent.ports import Checkout, Checkouts, Entry, Workspace

MAX_READ = 128 * 1024**2
"""Bytes of the largest file a run looks at: what is edited lies in memory a few times over, beside a suite."""


class DirectoryWorkspace(Workspace):
    """The files below one folder; whoever has the entries from git already passes them, so that nothing is hashed."""

    def __init__(self, root: Path, entries: Iterable[Entry] | None = None) -> None:
        self._root = root.resolve(strict=True)
        listed = snapshot(self._root) if entries is None else entries
        # links and submodules cannot be read or written through this port, so they are not offered either
        self._base: Mapping[str, Entry] = {entry.path: entry for entry in listed if entry.mode in (PLAIN, EXECUTABLE)}
        self._before: dict[str, bytes | None] = {}
        self._now: dict[str, bytes | None] = {}
        self._listed: tuple[Entry, ...] | None = None

    def entries(self) -> tuple[Entry, ...]:
        """Plain files of the base and of this run, minus deleted ones; sorted by path."""
        if self._listed is None:
            self._listed = self._list()
        return self._listed

    def _list(self) -> tuple[Entry, ...]:
        present = {path: entry for path, entry in self._base.items() if path not in self._now}
        for path, content in self._now.items():
            if content is not None:
                present[path] = Entry(path=path, blob=blob_id(content), mode=self._mode(path), size=len(content))
        return tuple(present[path] for path in sorted(present))

    def read(self, path: str) -> bytes:
        """Present bytes; WorkspaceError when the file is neither tracked nor made by this run."""
        parts_of(path)
        if path in self._now:
            content = self._now[path]
            if content is None:
                raise WorkspaceError(f"no such file: {path!r} (deleted by this run)")
            return content
        if path not in self._base:
            raise WorkspaceError(f"no such file: {path!r} is not tracked")
        if self._base[path].size > MAX_READ:
            raise WorkspaceError(f"{path!r} has {self._base[path].size} bytes; files over {MAX_READ} are left alone")
        return read_file(self._root, path)

    def grep(self, text: str, *, ignore_case: bool = False, under: str = "") -> Iterator[str]:
        """Paths of text files that hold `text` in a line, sorted; each is looked at when it is asked for."""
        self._searchable((text,), under)
        names = files_holding(self._root, text.encode(), ignore_case=ignore_case, under=under)
        return filter(self._is_text, sorted(map(os.fsdecode, names)))

    def lines(self, texts: Sequence[str], *, under: str = "") -> Mapping[str, bytes] | None:
        """Path -> its lines with one of `texts` in them, case ignored; None when they are too many."""
        self._searchable(texts, under)
        found = lines_holding(self._root, [text.encode() for text in texts], under=under)
        if found is None:
            return None
        named = ((os.fsdecode(name), rows) for name, rows in found.items())
        return {path: b"\n".join(rows) for path, rows in named if self._has(path)}

    def _searchable(self, texts: Sequence[str], under: str) -> None:
        wrong = [text for text in texts if not text or "\n" in text or "\0" in text]
        if wrong:
            raise ValueError(f"not a piece of one line: {wrong[0]!r}")
        if under:
            with folder_of(self._root, (*parts_of(under), "")):
                pass  # it is a folder, and no link leads there

    def write(self, path: str, content: bytes) -> None:
        """Create or replace a file; an existing one keeps its mode."""
        self._remember(path)
        write_file(self._root, path, content, self._mode(path))
        self._now[path] = content
        self._listed = None

    def delete(self, path: str) -> None:
        """Remove a file; WorkspaceError when there is none."""
        self.read(path)
        self._remember(path)
        delete_file(self._root, path)
        self._now[path] = None
        self._listed = None

    def checkpoint(self) -> object:
        """The present state of everything this run touched."""
        return MappingProxyType(dict(self._now))

    def restore(self, token: object) -> None:
        """Put back the state of a token of this workspace."""
        if not isinstance(token, MappingProxyType):
            raise WorkspaceError("not a checkpoint of this workspace")
        for path in tuple(self._now):
            wanted = token.get(path, self._before[path])
            if wanted == self._now[path]:
                continue
            if wanted is None:
                self.delete(path)
            else:
                self.write(path, wanted)

    def changes(self) -> tuple[Change, ...]:
        """What differs from the base, one per file, sorted by path."""
        return tuple(
            Change(path=path, before=self._before[path], after=self._now[path], mode=self._mode(path))
            for path in sorted(self._now)
            if self._before[path] != self._now[path]
        )

    def _has(self, path: str) -> bool:
        return self._now[path] is not None if path in self._now else path in self._base

    def _is_text(self, path: str) -> bool:
        """Whether a path that was found lying in the tree is one of the run's files, and no binary one."""
        try:
            return self._has(path) and not is_binary(read_file(self._root, path, BINARY_PROBE))
        except WorkspaceError:
            return False  # gone or unreadable since

    def _mode(self, path: str) -> int:
        return self._base[path].mode if path in self._base else PLAIN

    def _remember(self, path: str) -> None:
        parts_of(path)
        if path not in self._now:
            before = self.read(path) if path in self._base else None
            if before is None and is_there(self._root, path):
                raise WorkspaceError(f"{path!r} lies in the tree untracked; it is left alone")
            self._before[path] = before
            self._now[path] = before


class DirectoryCheckouts(Checkouts):
    """Clean copies of a folder that nobody edits; `parent` is where they are made (default: the system's)."""

    def __init__(self, source: Path, entries: Iterable[Entry] | None = None, parent: Path | None = None) -> None:
        self._source = source.resolve(strict=True)
        self._entries = tuple(snapshot(self._source) if entries is None else entries)
        self._parent = parent

    @contextmanager
    def base(self) -> Iterator[Checkout]:
        """The folder's entries and nothing else."""
        with self.of(()) as checkout:
            yield checkout

    @contextmanager
    def of(self, changes: Sequence[Change]) -> Iterator[Checkout]:
        """The base with these changes applied; WorkspaceError when a change does not fit the base."""
        place = Path(tempfile.mkdtemp(prefix="bendcoder-tree-", dir=self._parent))
        try:
            tree = place / "tree"
            tree.mkdir(mode=0o755)
            for entry in self._entries:
                copy_entry(self._source, tree, entry)
            files = {entry.path: (entry.mode, entry.blob) for entry in self._entries}
            for change in changes:
                apply_change(tree, change, files)
            yield Checkout(path=tree, tree=tree_id((path, *entry) for path, entry in files.items()))
        finally:
            remove_tree(place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """A folder copied twice: one to edit, one that stays as it was."""

    root: Path
    """Where the workspace's files lie."""
    workspace: DirectoryWorkspace
    checkouts: DirectoryCheckouts


@contextmanager
def copies_of(folder: Path, tracked: Iterable[str] | None = None) -> Iterator[Copies]:
    """Workspace and checkouts of a folder that is itself never written to."""
    entries = snapshot(folder.resolve(strict=True), tracked)
    with DirectoryCheckouts(folder, entries).base() as pristine, DirectoryCheckouts(folder, entries).base() as work:
        yield Copies(
            root=work.path,
            workspace=DirectoryWorkspace(work.path, entries),
            checkouts=DirectoryCheckouts(pristine.path, entries),
        )
