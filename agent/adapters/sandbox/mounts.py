"""What a box shows of the host, as bubblewrap arguments: the system read-only, the environment, and nothing else."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from agent.domain.environment import Environment
from agent.errors import SandboxError

TREE, REPORTS, INSIDE, HOME = "/bendcoder/tree", "/bendcoder/reports", "/bendcoder/inside", "/home/bendcoder"
GIT = "/bendcoder/git"
"""Where the throw-away repository lies when the tree's `.git` is a file."""

_MERGED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")

ETC_FILES = (
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/localtime", "/etc/ssl/openssl.cnf"),
    *("/etc/mime.types", "/etc/protocols", "/etc/services", "/etc/debian_version", "/etc/os-release"),
)
ETC_FOLDERS = (
    *("/etc/ld.so.conf.d", "/etc/alternatives", "/etc/ssl/certs"),
    *("/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted"),
)
"""What programs need of /etc; never host names, accounts, keys, or anything a site configures with secrets."""

ETC_GLOBS = ("python3*", "java-*")
_ETC_FILE_LIMIT = 4 * 1024**2

_NEVER = ("/proc", "/sys", "/dev", "/etc", "/run", "/boot", "/bendcoder")
_TOO_MUCH = ("/", "/home", "/root", "/tmp", "/var", "/var/tmp", "/opt", "/srv", "/mnt", "/media")  # noqa: S108 - never mounted


def stubs(identity: int) -> dict[str, str]:
    """Files of /etc we write ourselves: the one account there is, and no name service but files."""
    return {
        "passwd": f"root:x:0:0::/:/usr/sbin/nologin\nbendcoder:x:{identity}:{identity}::{HOME}:/bin/sh\n",
        "group": f"root:x:0:\nbendcoder:x:{identity}:\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
        "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    }


Mount = tuple[str, ...]
"""The words of one mount; the last one is the place inside."""


def system(root: Path = Path("/")) -> list[Mount]:
    """The read-only system: /usr and its old names."""
    shown: list[Mount] = [("--ro-bind", "/usr", "/usr")]
    for name in _MERGED:
        path = root / name.lstrip("/")
        if path.is_symlink():
            shown.append(("--symlink", str(path.readlink()), name))
        elif path.is_dir():
            shown.append(("--ro-bind", name, name))
    return shown


def make_etc(folder: Path, identity: int, root: Path = Path("/")) -> list[Mount]:
    """Fill `folder` with the /etc of a box, and the mounts that show it.

    Small files are copied, because each mount costs bubblewrap the better part of a millisecond.
    """
    made = {name: text.encode() for name, text in stubs(identity).items()}
    for name in ETC_FILES:
        path = root / name.lstrip("/")
        if path.is_file() and path.stat().st_size <= _ETC_FILE_LIMIT:
            made[name.removeprefix("/etc/")] = path.read_bytes()
    for name, content in made.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(0o644)
    globbed = sorted(f"/etc/{path.name}" for glob in ETC_GLOBS for path in (root / "etc").glob(glob))
    folders = [name for name in (*ETC_FOLDERS, *globbed) if (root / name.lstrip("/")).is_dir()]
    for name in folders:
        (folder / name.removeprefix("/etc/")).mkdir(parents=True, exist_ok=True)
    for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        path.chmod(0o755)
    return [("--ro-bind", str(folder), "/etc"), *(("--ro-bind", name, name) for name in folders)]


def environment_mounts(environment: Environment, tree: Path) -> list[Mount]:
    """The Environment's folders at their own paths; SandboxError for one that is absent or shows too much."""
    paths = outermost(environment.readonly)
    for path in paths:
        check_mount(path, tree)
    return [("--ro-bind", path, path) for path in paths]


def outermost(paths: Iterable[str]) -> list[str]:
    """Paths without those that lie in another one or in /usr, shortest first."""
    kept: list[str] = []
    for path in sorted({str(Path(path)) for path in paths}, key=lambda path: (path.count("/"), path)):
        if not any(Path(path).is_relative_to(above) for above in (*kept, "/usr")):
            kept.append(path)
    return kept


def check_mount(path: str, tree: Path) -> None:
    """SandboxError unless `path` is an existing absolute folder that can be shown without showing the host."""
    where = Path(path)
    if not where.is_absolute() or ".." in where.parts:
        raise SandboxError(f"the environment names {path!r}, which is no absolute path; nothing was run")
    for place in (where, where.resolve()):
        if str(place) in _TOO_MUCH or any(place.is_relative_to(never) for never in _NEVER):
            raise SandboxError(f"the environment wants to show {path!r} to foreign code; that is too much of the host")
    if tree.is_relative_to(where.resolve()):
        raise SandboxError(f"the environment folder {path!r} holds the tree itself; name the virtual environment alone")
    if not where.exists():
        raise SandboxError(f"the environment folder {path!r} does not exist (any more); prepare it again")


def private(memory: int) -> list[Mount]:
    """Devices and writable places of the box's own; their size is bounded because they live in memory."""
    places = (("/dev/shm", "1777", 4), ("/tmp", "1777", 2), (HOME, "0777", 2))  # noqa: S108 - in the box
    return [
        ("--proc", "/proc"),
        ("--dev", "/dev"),
        ("--remount-ro", "/dev"),
        *(("--perms", mode, "--size", str(memory // share), "--tmpfs", path) for path, mode, share in places),
        ("--symlink", "/tmp", "/var/tmp"),  # noqa: S108 - in the box
        ("--dir", "/run"),
    ]


_ETC_PARENTS = ("/etc/ssl", "/etc/pki", "/etc/pki/tls", "/etc/pki/ca-trust")
"""Folders `make_etc` has made itself, in a place nothing can be made in any more."""


def words(mounts: Sequence[Mount]) -> list[str]:
    """The mounts in order, each after its missing parent folders: bubblewrap itself would make those mode 0700."""
    made: set[str] = {"/"}
    full: list[str] = []
    for mount in mounts:
        parents = [str(parent) for parent in reversed(Path(mount[-1]).parents)]
        for parent in parents:
            if parent not in made:
                full += ["--perms", "0755", "--dir", parent]
        made.update(parents, {mount[-1]})
        full += mount
        if mount[-1] == "/etc":
            made.update(_ETC_PARENTS)
    return full
