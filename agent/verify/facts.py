"""Everything a verdict is made from, as recorded values. No IO, no judgement: that is `verdict`.

A fact that is None was not recorded, mostly because time ran out; a verdict made without it is never `verified`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent.domain.suite import Status, SuiteRun
from agent.verify.fingerprint import Touched
from agent.verify.hunks import Covered

TRIALS = 3
"""Times an evidence test must behave alike on each side."""
REPEATS = 5
"""Runs of the base within which a failure must show there to be called flaky."""
EVIDENCE_TESTS = 3
"""How many evidence tests are repeated: the cheapest ones."""

Seen = tuple[Status | None, ...]
"""How a test ended in consecutive runs; None where it did not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One test that may tell the change from the base, and how it behaved on each side."""

    id: str
    base: Seen = ()
    """On the base, the baseline first; empty for a test this run wrote (the base does not have it)."""
    alone: Seen = ()
    """On the final tree, run by node id apart from the suite."""
    reverted: Seen = ()
    """On R: the final tree with every path that is no test path put back to the base's bytes."""
    written: bool = False
    """Written by this run, before its first edit."""
    for_the_reason: bool = False
    """It failed there by assertion, or by the exception the issue names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What was run and seen, on which trees."""

    baseline: SuiteRun
    final: SuiteRun | None
    tree: str
    """Tree id of the final checkout."""
    per_test: bool
    """The command tells how each test ended."""
    apart: bool = True
    """Tests that may be evidence can be run apart from the suite; False: there are some, and none of them can."""
    reverted_is_base: bool = True
    """R is the base: the change touches no test path."""
    reverted_is_final: bool = False
    """R is the final tree: the change touches test paths alone."""
    trials: tuple[Trial, ...] | None = None
    repeats: Mapping[str, Seen] = field(default_factory=dict)
    """Newly red tests: how they ended when the base was run again, they alone."""
    suite_again: Mapping[str, Status | None] = field(default_factory=dict)
    """Those the base shows red whenever they are alone: how its whole suite ended them when it was run once more."""
    named: tuple[str, ...] = ()
    """Ids of tests the goal names."""
    reaching: tuple[str, ...] | None = None
    """Base failures, still red, that execute a line of a changed file; None: not measured."""
    unseen: tuple[str, ...] = ()
    """Base failures, still red, of a framework that does not tell what its tests execute."""
    hunks: tuple[Covered, ...] | None = None
    judges: tuple[str, ...] = ()
    """Changed judge files."""
    edited_tests: tuple[str, ...] = ()
    """Test paths of the base that the change edits or deletes: judges as well."""
    new_tests: tuple[str, ...] = ()
    """Test paths the change adds: what they bring may reach beyond their own tests."""
    texts: tuple[str, ...] = ()
    """Changed prose, and Python files of which docstrings held other examples: either may be tests as well."""
    with_base_judges: SuiteRun | None = None
    """The suite on the final tree with the base's judge files, and tests and texts as the base has them."""
    own_tests: tuple[str, ...] = ()
    """Changed source files that hold tests of the base themselves, as is usual in Rust."""
    suspicious: tuple[str, ...] = ()
    """Added lines that reach for the judge."""
    touched: Touched | None = None
    """What the suite did to the tree it ran in."""
    undecided: int = 0
    """Tried candidates that pass the same tests and behave differently on what these exercise; 0: there are none."""
    unchecked: tuple[str, ...] = ()
    """What there was no time for, in words."""
    coverage: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
