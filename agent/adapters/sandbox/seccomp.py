"""System calls no test suite needs and kernels keep having holes in, refused by a filter of a few instructions.

Namespaces do not cover kernel keyrings, and an ordinary user may make user namespaces, in which a thousand paths of
the kernel open that are root's otherwise. The filter is a second wall, not the first: where the machine is unknown
there is none.
"""

import errno
import platform
import struct

_NEWUSER = 0x10000000
_X32 = 0x40000000
"""Set in the numbers of x86-64's other calling convention, which would walk past a filter on numbers."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000

_MACHINES = {
    # AUDIT_ARCH_…, clone, unshare, then what is refused: add_key request_key keyctl bpf perf_event_open userfaultfd
    # open_by_handle_at setns syslog (numbers of linux/arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h)
    "x86_64": (0xC000003E, 56, 272, (248, 249, 250, 321, 298, 323, 304, 308, 103)),
    "aarch64": (0xC00000B7, 220, 97, (217, 218, 219, 280, 241, 282, 265, 268, 116)),
}
_CLONE3 = 435  # the same on both; its flags lie in memory a filter cannot read, and libraries fall back to clone
_IO_URING = (425, 426, 427)


def program(machine: str | None = None) -> bytes | None:
    """The filter as bubblewrap's `--seccomp` reads it; None for a machine whose numbers are not known here."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    arch, clone, unshare, refused = known
    code = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, arch),
        _refuse(errno.ENOSYS),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        _refuse(errno.ENOSYS),
    ]
    for number in (_CLONE3, *_IO_URING):
        code += [(_EQUAL, 0, 1, number), _refuse(errno.ENOSYS)]
    for number in refused:
        code += [(_EQUAL, 0, 1, number), _refuse(errno.EPERM)]
    code += [
        (_EQUAL, 1, 0, clone),
        (_EQUAL, 0, 3, unshare),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_BIT, 0, 1, _NEWUSER),
        _refuse(errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _refuse(number: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, _ERRNO | number)
