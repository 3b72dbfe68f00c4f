"""Mutation operators over the syntax tree: each family proposes text edits of the anchor, cheapest guesses lowest.

A family is a module with `propose(scope) -> Iterator[Edit]`. It must not run, compile or rank anything.
"""

from collections.abc import Callable, Iterator

from agent.adapters.models.embedded.operators import (
    arithmetic,
    calls,
    comparisons,
    conditions,
    constants,
    expressions,
    handlers,
    literals,
    names,
    returns,
    slices,
    statements,
    strings,
)
from agent.adapters.models.embedded.scope import Edit, Scope

FAMILIES: tuple[Callable[[Scope], Iterator[Edit]], ...] = (
    comparisons.propose,
    constants.propose,
    names.propose,
    arithmetic.propose,
    calls.propose,
    conditions.propose,
    slices.propose,
    returns.propose,
    literals.propose,
    strings.propose,
    handlers.propose,
    statements.propose,
    expressions.propose,
)
