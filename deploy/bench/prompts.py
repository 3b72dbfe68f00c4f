"""Bars of the prompt packer: ten times the observations, the same size; and what packing takes."""

import time
from collections.abc import Iterator

from deploy.bench.measure import Measure

_ROOM = 400_000
"""Characters: a window so large that nothing but the packer's own bounds holds a prompt down."""
_SEEN = 40


def growth() -> Iterator[Measure]:
    """Size of an edit's prompt after ten times the observations over its size before, and milliseconds to pack it."""
    small, _ = _packed(_SEEN)
    large, seconds = _packed(10 * _SEEN)
    yield Measure(what=f"prompts: {10 * _SEEN} observations over {_SEEN}", value=large / small, unit="x", budget=1.05)
    yield Measure(what=f"prompts: packing {10 * _SEEN} observations", value=seconds * 1000, unit="ms", budget=25)


def _packed(count: int) -> tuple[int, float]:
    from agent.domain.action import Observation
    from agent.domain.edit import Anchor
    from agent.prompts.material import Material, Role
    from agent.prompts.packing import pack

    seen = [
        Observation(
            label=f"read m{number}.py",
            text="\n".join(f"{line}\tvalue_{line} = {line} * {number}" for line in range(1, 201)),
            path=f"m{number}.py",
            begin=1,
            end=200,
        )
        for number in range(count)
    ]
    source = "".join(f"value_{line} = {line}\n" for line in range(1, 2001)).encode()
    anchor = Anchor(path="m0.py", begin=1000, end=1001, old=b"value_1000 = 1000\nvalue_1001 = 1001\n")
    began = time.perf_counter()
    packed = pack(
        Role.EDIT,
        Material(
            goal="The value is wrong", anchor=anchor, source=source, failure="E  assert 1 == 2", observations=seen
        ),
        _ROOM,
    )
    return packed.characters, time.perf_counter() - began
