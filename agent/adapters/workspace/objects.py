"""Git object ids computed in Python, so that a tree can be named without a repository. Reads and writes nothing."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

PLAIN, EXECUTABLE, LINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000


def object_id(kind: str, content: bytes) -> str:
    """Hex SHA-1 of a git object; `kind` is blob, tree or commit."""
    # git names objects by SHA-1; nothing here relies on it for security
    digest = hashlib.sha1(b"%s %d\0" % (kind.encode(), len(content)), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def blob_id(content: bytes) -> str:
    """Git's id of a file's bytes."""
    return object_id("blob", content)


@dataclass(slots=True)
class _Folder:
    files: dict[bytes, tuple[int, str]] = field(default_factory=dict)
    folders: dict[bytes, "_Folder"] = field(default_factory=dict)


def tree_objects(files: Mapping[str, tuple[int, str]]) -> Iterator[tuple[str, bytes]]:
    """Ids and contents of all tree objects for path -> (git mode, blob id); the root tree comes last."""
    root = _Folder()
    for path, entry in files.items():
        *folders, name = path.encode("utf-8", "surrogateescape").split(b"/")
        here = root
        for folder in folders:
            here = here.folders.setdefault(folder, _Folder())
        here.files[name] = entry
    yield from _emit(root)


def _emit(folder: _Folder) -> Iterator[tuple[str, bytes]]:
    rows = [(name, b"%o" % mode, blob) for name, (mode, blob) in folder.files.items()]
    for name, below in folder.folders.items():
        last = ""
        for identity, content in _emit(below):
            yield identity, content
            last = identity
        rows.append((name + b"/", b"40000", last))
    # git sorts folders as if their name ended in a slash
    body = b"".join(b"%s %s\0%s" % (mode, name.rstrip(b"/"), bytes.fromhex(blob)) for name, mode, blob in sorted(rows))
    yield object_id("tree", body), body


def tree_id(files: Iterable[tuple[str, int, str]]) -> str:
    """Git's id of the tree that holds exactly these (path, git mode, blob id)."""
    return list(tree_objects({path: (mode, blob) for path, mode, blob in files}))[-1][0]
