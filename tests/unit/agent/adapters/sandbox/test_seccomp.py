"""The filter's decisions, by running its instructions; that the kernel takes it is shown by the attacks."""

import errno
import struct

import pytest

from agent.adapters.sandbox.seccomp import program

ALLOW = 0x7FFF0000
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def decide(code: bytes, number: int, arch: int, first: int = 0) -> int:
    """What a filter returns for one call."""
    data = struct.pack("<IIQQ", number, arch, 0, first)
    loaded, at = 0, 0
    steps = [struct.unpack_from("=HBBI", code, offset) for offset in range(0, len(code), 8)]
    while True:
        kind, jump_true, jump_false, value = steps[at]
        if kind == 0x06:
            return int(value)
        if kind == 0x20:
            loaded = struct.unpack_from("<I", data, value)[0]
            at += 1
            continue
        true = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}[kind]
        at += 1 + (jump_true if true else jump_false)


def number_of(result: int) -> int:
    assert result & 0xFFFF0000 == 0x00050000
    return result & 0xFFFF


@pytest.mark.parametrize(
    ("machine", "clone", "unshare", "keyctl"), [("x86_64", 56, 272, 250), ("aarch64", 220, 97, 219)]
)
def test_what_is_refused_and_what_is_not(machine: str, clone: int, unshare: int, keyctl: int) -> None:
    code, arch = program(machine), ARCH[machine]
    assert code is not None
    for number in range(424):
        if number not in (clone, unshare) and decide(code, number, arch) != ALLOW:
            assert number_of(decide(code, number, arch)) == errno.EPERM
    assert [decide(code, number, arch) == ALLOW for number in (keyctl, keyctl - 1, keyctl - 2)] == [False] * 3
    assert number_of(decide(code, 435, arch)) == number_of(decide(code, 425, arch)) == errno.ENOSYS
    for number in (clone, unshare):
        assert decide(code, number, arch, 0x11) == ALLOW
        assert number_of(decide(code, number, arch, 0x10000011)) == errno.EPERM
    assert sum(decide(code, number, arch) != ALLOW for number in range(600)) == 9 + 4


def test_other_calling_conventions_do_not_walk_past() -> None:
    code = program("x86_64")
    assert code is not None
    assert number_of(decide(code, 0x40000000 | 250, ARCH["x86_64"])) == errno.ENOSYS
    assert number_of(decide(code, 1, 0x40000003)) == errno.ENOSYS  # 32-bit programs


def test_an_unknown_machine_has_none() -> None:
    assert program("riscv64") is None
