"""The machine-readable end of a delegation: plain strings, numbers and lists, the same keys for every end."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from agent.domain.edit import Change
from agent.domain.result import Outcome, RunResult, Verdict
from agent.domain.suite import SuiteRun
from deploy.delegate.request import COULD_NOT_START

VERSION = 1
EXIT_VERIFIED, EXIT_NOT_STARTED, EXIT_NOTHING_KEPT, EXIT_NOT_VERIFIED = 0, 1, 2, 3


def exit_code(result: RunResult) -> int:
    """Design's table: verified 0, unverified or failing 3, nothing kept 2, suite unusable 1."""
    if result.judgement is not None:
        return EXIT_VERIFIED if result.judgement.verdict is Verdict.VERIFIED else EXIT_NOT_VERIFIED
    return EXIT_NOT_STARTED if result.outcome is Outcome.SUITE_UNUSABLE else EXIT_NOTHING_KEPT


def document(result: RunResult, *, branch: str | None, base: str, title: str, sandbox: str) -> dict[str, object]:
    """Everything a run ended with."""
    judgement = result.judgement
    return {
        **_empty(),
        "exit_code": exit_code(result),
        "run_id": result.run_id,
        "title": title,
        "base": base,
        "outcome": result.outcome.value,
        "outcome_reason": result.outcome_reason,
        "verdict": judgement.verdict.value if judgement else None,
        "reason": judgement.reason if judgement else result.outcome_reason,
        "kept_edits": [_edit(change) for change in result.changes],
        "diff": result.diff,
        "baseline": suite(result.baseline),
        "final": suite(judgement.final if judgement else None),
        "fixed": list(judgement.fixed) if judgement else [],
        "broken": list(judgement.broken) if judgement else [],
        "flaky": list(judgement.flaky) if judgement else [],
        "still_red": list(judgement.still_red) if judgement else [],
        "evidence": list(judgement.evidence) if judgement else [],
        "coverage": dict(judgement.coverage) if judgement else {},
        "notes": list(judgement.notes) if judgement else [],
        "usage": asdict(result.usage),
        "refusals": [
            {"action": refusal.action.value, "guard": refusal.guard, "reason": refusal.reason}
            for refusal in result.refusals
        ],
        "answer": result.answer,
        "branch": branch,
        "trace": result.trace,
        "classify": result.classify,
        "generate": result.generate,
        "sandbox": sandbox,
    }


def not_started(reason: str, outcome: str = COULD_NOT_START) -> dict[str, object]:
    """The same keys when nothing ran."""
    return {**_empty(), "outcome": outcome, "outcome_reason": reason, "reason": reason}


def write(target: Path, content: Mapping[str, object]) -> None:
    """Write the document whole or not at all; OSError when the folder refuses."""
    fresh = target.with_name(f".{target.name}.new")
    fresh.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", errors="replace")
    fresh.replace(target)


def suite(run: SuiteRun | None) -> dict[str, object] | None:
    """One suite run in numbers and names."""
    if run is None:
        return None
    counted = Counter(case.status.value for case in run.cases or ())
    return {
        "exit_code": run.exit_code,
        "timed_out": run.timed_out,
        "seconds": round(run.seconds, 3),
        "report": run.cases is not None,
        "report_problem": run.report_problem,
        "tests": sum(counted.values()),
        "counts": dict(sorted(counted.items())),
        "red": sorted(run.red()),
    }


def _edit(change: Change) -> dict[str, object]:
    how = "added" if change.before is None else "deleted" if change.after is None else "changed"
    return {"path": change.path, "how": how}


def _empty() -> dict[str, object]:
    return {
        "version": VERSION,
        "exit_code": EXIT_NOT_STARTED,
        "run_id": "",
        "title": "",
        "base": "",
        "outcome": COULD_NOT_START,
        "outcome_reason": "",
        "verdict": None,
        "reason": "",
        "kept_edits": [],
        "diff": "",
        "baseline": None,
        "final": None,
        "fixed": [],
        "broken": [],
        "flaky": [],
        "still_red": [],
        "evidence": [],
        "coverage": {},
        "notes": [],
        "usage": {},
        "refusals": [],
        "answer": "",
        "branch": None,
        "trace": "",
        "classify": "",
        "generate": "",
        "sandbox": "",
    }
