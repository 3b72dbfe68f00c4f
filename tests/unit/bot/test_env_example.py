"""The example environment names every setting there is, and no other."""

import re
from pathlib import Path

from worker.contract.names import KNOWN, PREFIX, unknown

EXAMPLE = Path(__file__).parents[3] / "deploy" / "env.example"


def test_every_setting_stands_in_the_example_once() -> None:
    named = re.findall(r"^#?(\w+)=", EXAMPLE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(named) == len(set(named))
    assert {PREFIX + name for name in KNOWN} == {name for name in named if name.startswith(PREFIX)}


def test_only_prefixed_names_can_be_unknown() -> None:
    assert unknown(["PATH", "BENDCODER_LABEL", "bendcoder_label", "BENDCODER_B", "BENDCODER_A"]) == (
        "BENDCODER_A",
        "BENDCODER_B",
    )
