"""The whole set of threads in its order, the one list the loop and the explorer use; must add no rule of its own."""

from collections.abc import Callable
from functools import partial

from agent.domain.profiles import BENDCODER, Profile
from agent.guards.asking import answering, blocked, risk
from agent.guards.confidence import flail, floors, recorded_failure
from agent.guards.engine import Program
from agent.guards.events import Thread
from agent.guards.limits import budgets, cancel
from agent.guards.paths import PathRules, protected_paths
from agent.guards.preparing import plan_once, plan_open, reproduce_first
from agent.guards.reading import picked, read_before_edit, reads
from agent.guards.repetition import repeat, searches
from agent.guards.steering import classify, fallback, one_effect
from agent.guards.verifying import green_before_done, repair_cap, verify_after_edit

Named = tuple[str, Callable[[], Thread], int]
"""A thread's name, what makes it, and its rank: the lower goes first."""


def guards(rules: PathRules, profile: Profile = BENDCODER) -> tuple[Named, ...]:
    """Every thread of a run; ranks order requests only, a block counts the same at any rank.

    `profile` holds the floors of the Classify backend that answers.
    """
    return (
        ("cancel", cancel, 0),
        ("budgets", budgets, 1),
        ("verify-after-edit", verify_after_edit, 2),
        ("one-effect", one_effect, 3),
        ("read-before-edit", read_before_edit, 3),
        ("reads", reads, 3),
        ("searches", searches, 3),
        ("repeat", repeat, 3),
        ("recorded-failure", partial(recorded_failure, profile), 3),
        ("protected-paths", partial(protected_paths, rules), 3),
        ("repair-cap", repair_cap, 3),
        ("green-before-done", partial(green_before_done, profile), 3),
        ("reproduce-first", partial(reproduce_first, profile), 3),
        ("plan-once", plan_once, 3),
        ("plan-open", plan_open, 3),
        ("blocked", partial(blocked, profile), 3),
        ("risk", partial(risk, profile), 3),
        ("answering", partial(answering, profile), 3),
        ("floors", partial(floors, profile), 3),
        ("flail", flail, 3),
        ("picked", picked, 3),  # last: an edit refused for a better reason was not asked for its lines
        ("classify", classify, 5),
        ("fallback", fallback, 9),
    )


def program(named: tuple[Named, ...]) -> Program:
    """A fresh program of these threads."""
    made = Program()
    for name, make, rank in named:
        made.add(name, make(), rank)
    return made
