"""Mutation operators over the syntax tree: each module proposes text edits of the anchor, cheapest guesses lowest.

Each has `propose(scope) -> Iterator[Edit]` and must not run, compile or rank anything. What an edit does is its family;
`KNOWN` lists them all, so that a measurement can switch some off.
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

KNOWN = frozenset(
    {
        "added instead of assigned", "and for or", "another comparison", "another condition", "another expression",
        "another value returned", "argument added", "argument dropped", "arguments swapped",
        "assigned instead of added", "attribute", "attribute left off", "attribute taken", "bounded",
        "call put around", "call taken off", "call to variable", "choice dropped", "comparison", "comparison added",
        "concatenated", "condition extended", "condition joined", "constant condition", "constant to comparison",
        "constant to length", "constant to variable", "default added", "early refusal", "early return",
        "element added", "element dropped", "element for tuple", "elements swapped", "elif for if",
        "exception caught", "exception caught too", "exception raised", "filter added", "filter dropped",
        "first for last", "flag", "format", "function", "guard", "if for elif", "index", "index added",
        "index for element", "index taken off", "indexes swapped", "jump added", "jump exchanged", "kept when set",
        "key and value swapped", "loop for branch", "method added", "moved before block", "moved into block",
        "moved out of block", "negated", "negation dropped", "none", "number", "number of the file", "off by one",
        "operand dropped", "operands swapped", "operator", "order reversed", "own call returned", "part dropped",
        "part for whole", "part negated", "range", "regrouped", "return missing", "returned otherwise",
        "safe look-up", "scaled", "sibling function", "sign", "sign dropped", "slice", "slice added",
        "slice taken off", "square", "start added", "statement copied", "statement deleted", "statements swapped",
        "step added", "text", "text of the file", "value missing", "variable", "variable in text", "with a variable",
        "with an expression", "yield", "yield from",
    }
)  # fmt: skip
"""Every family an edit may have."""
