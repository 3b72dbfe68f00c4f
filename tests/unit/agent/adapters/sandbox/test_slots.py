"""Every open box of this machine has a user id of its own."""

import secrets
import subprocess
import sys

import pytest

from agent.adapters.sandbox import slots
from agent.adapters.sandbox.slots import FIRST_ID, slot


@pytest.fixture
def name() -> str:
    return f"test-{secrets.token_hex(8)}"


def test_ids_differ_and_come_back(name: str) -> None:
    with slot(name) as first, slot(name) as second:
        assert (first, second) == (FIRST_ID, FIRST_ID + 1)
    with slot(name) as again:
        assert again == FIRST_ID


def test_other_processes_see_what_is_taken_and_their_death_gives_it_back(name: str) -> None:
    script = (
        "import sys\nfrom agent.adapters.sandbox.slots import slot\n"
        "with slot(sys.argv[1]) as number:\n    print(number, flush=True)\n    sys.stdin.read()\n"
    )
    with slot(name):
        other = subprocess.Popen(
            [sys.executable, "-c", script, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert other.stdout is not None
        assert other.stdout.readline().strip() == str(FIRST_ID + 1)
        other.kill()
        other.communicate()
        with slot(name) as second:
            assert second == FIRST_ID + 1


def test_ids_are_out_of_everybodys_range() -> None:
    assert 1_879_048_191 < FIRST_ID < FIRST_ID + slots.SLOTS < 2**31
