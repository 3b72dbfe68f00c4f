"""Two suite runs side by side: what was fixed, what broke, what went missing. No IO, no judgement."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agent.domain.suite import Status, SuiteRun
from agent.verify.facts import Facts, Seen
from agent.verify.ids import lookup


@dataclass(frozen=True, slots=True, kw_only=True)
class Sets:
    """Test ids by what became of them between base and final, sorted."""

    fixed: tuple[str, ...]
    """Red on the base (or not even collected there), passed now."""
    newly_red: tuple[str, ...]
    """Red now and not red on the base: passed, skipped or absent there."""
    still_red: tuple[str, ...]
    vanished: tuple[str, ...]
    """There on the base, gone now."""
    silenced: tuple[str, ...]
    """Ran on the base, skipped or expected to fail now."""
    skipped: tuple[str, ...]
    """Every test skipped or expected to fail now."""


def compare(baseline: SuiteRun, final: SuiteRun) -> Sets:
    """Sort every test of both runs."""
    before, after = baseline.status(), final.status()
    quiet = (Status.SKIPPED, Status.XFAILED)
    was = {test: lookup(before, test) for test in after}
    return Sets(
        fixed=_sorted(t for t, now in after.items() if now is Status.PASSED and _red(was[t])),
        newly_red=_sorted(t for t, now in after.items() if now.red and not _red(was[t])),
        still_red=_sorted(t for t, now in after.items() if now.red and _red(was[t])),
        vanished=_sorted(t for t in before if lookup(after, t) is None and not _collected_now(t, after)),
        silenced=_sorted(t for t, now in after.items() if now in quiet and was[t] not in (None, *quiet)),
        skipped=_sorted(t for t, now in after.items() if now in quiet),
    )


def _collected_now(test: str, after: Mapping[str, Status]) -> bool:
    """A file or class that could not be collected on the base is not missing when its tests are there now."""
    return any(other.startswith(f"{test}::") for other in after)


def _red(status: Status | None) -> bool:
    return status is not None and status.red


def _sorted(tests: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(tests))


def seen_red(seen: Seen) -> bool:
    """At least one of these runs was red."""
    return any(_red(status) for status in seen)


def all_red(seen: Seen) -> bool:
    """Every one of these runs was red."""
    return all(_red(status) for status in seen)


def all_passed(seen: Seen) -> bool:
    """Every one of these runs passed."""
    return all(status is Status.PASSED for status in seen)


def broken_and_flaky(facts: Facts, newly_red: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Newly red tests apart: flaky only where the base shows the failure too, else broken."""
    flaky = tuple(test for test in newly_red if _comes_and_goes(facts, test))
    return tuple(test for test in newly_red if test not in flaky), flaky


def _comes_and_goes(facts: Facts, test: str) -> bool:
    """Red and green in runs of one kind: a test that needs another one before it is red whenever it runs alone."""
    seen = facts.repeats.get(test, ())
    return (seen_red(seen) and Status.PASSED in seen) or _red(facts.suite_again.get(test))
