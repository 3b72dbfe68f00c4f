"""How a run ended: outcome, verdict, usage and everything a report is made from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from agent.domain.action import Refusal
from agent.domain.edit import Change
from agent.domain.suite import SuiteRun


class Outcome(StrEnum):
    """How the loop ended; says nothing of whether the change is right."""

    COMPLETED = "completed"
    ANSWERED = "answered"
    STALLED = "stalled"
    OUT_OF_BUDGET = "out_of_budget"
    CANCELLED = "cancelled"
    SUITE_UNUSABLE = "suite_unusable"


class Verdict(StrEnum):
    """Made by `agent.verify.verdict` from baseline and final alone."""

    VERIFIED = "verified"
    FAILING = "failing"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict with the facts that carry it; test ids are normalised node ids, sorted."""

    verdict: Verdict
    reason: str
    """One sentence; `verified by existing tests`, or what was not checked, or what is red."""
    final: SuiteRun | None
    tree: str
    """Tree id of the final checkout; what is pushed must have it."""
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    still_red: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    """Tests that tell the change from the base, 3 of 3 on each side."""
    coverage: Mapping[str, str] = field(default_factory=dict)
    """Changed file -> covered | not covered | unknown."""
    notes: tuple[str, ...] = ()
    """What a reviewer should know besides: facts, one sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a run cost."""

    steps: int = 0
    classify_calls: int = 0
    generate_calls: int = 0
    tokens: int = 0
    money: float | None = None
    """None: no price known."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """Everything the agent hands back."""

    run_id: str
    outcome: Outcome
    outcome_reason: str
    judgement: Judgement | None
    """None without a kept edit."""
    changes: tuple[Change, ...]
    """Kept edits only, merged per file."""
    diff: str
    """Unified diff of the changes, `a/` and `b/` prefixes."""
    baseline: SuiteRun | None
    usage: Usage
    refusals: tuple[Refusal, ...] = ()
    answer: str = ""
    """The prose answer of an `answered` run."""
    trace: str = ""
    """Where the trace lies."""
    classify: str = ""
    """Label of the Classify backend, e.g. `embedded rules, not calibrated`."""
    generate: str = ""
