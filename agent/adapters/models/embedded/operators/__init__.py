"""Mutation operators over the syntax tree: each module proposes text edits of the anchor, cheapest guesses lowest.

Each has `propose(scope) -> Iterator[Edit]` and must not run, compile or rank anything. What an edit does is its family;
`KNOWN` lists them all, so that a measurement can switch some off.
"""

from collections.abc import Callable, Iterator

from agent.adapters.models.embedded.operators import (
    arguments,
    arithmetic,
    calls,
    comparisons,
    conditions,
    constants,
    donors,
    expressions,
    guards,
    handlers,
    literals,
    names,
    returns,
    slices,
    statements,
    strings,
    tables,
    truths,
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
    truths.propose,
    tables.propose,
    arguments.propose,
    guards.propose,
    donors.propose,
    expressions.propose,
)

KNOWN = frozenset(
    {
        "adapted expression", "added instead of assigned", "and for or", "another comparison", "another condition",
        "another expression", "another type", "another value returned", "argument added", "argument dropped",
        "arguments swapped", "asked for", "assigned instead of added", "attribute", "attribute left off",
        "attribute taken", "bounded", "call put around", "call put in", "call taken off", "call to variable",
        "character dropped",
        "choice dropped", "comparison", "comparison added", "concatenated", "condition extended", "condition joined",
        "condition of a sibling", "constant condition", "constant to comparison", "constant to length",
        "constant to variable", "default added", "early refusal", "early return", "element added", "element dropped",
        "element for tuple", "elements swapped", "elif for if", "entry added", "everywhere", "exception caught",
        "exception caught too", "exception handled", "exception raised", "filter added", "filter dropped",
        "first for last", "flag", "format", "function", "guard", "if for elif", "index", "index added",
        "index for element", "index taken off", "indexes swapped", "jump added", "jump exchanged", "kept when set",
        "key added", "key and value swapped", "keyword passed on", "loop for branch", "made conditional",
        "method added", "moved before block", "moved into block", "moved out of block", "negated", "negation dropped",
        "none", "none instead of false", "number", "number of the file", "off by one", "operand dropped",
        "operands swapped", "operator", "order reversed", "own call put around", "own call returned", "part dropped",
        "part for whole", "part negated", "pattern", "range", "regrouped", "return missing", "returned otherwise",
        "safe look-up", "scaled", "sibling function", "sign", "sign dropped", "slice", "slice added",
        "slice taken off", "square", "start added", "statement copied", "statement deleted", "statement of a sibling",
        "statements swapped", "step added", "text", "text of the file", "type added", "value missing", "variable",
        "variable in text", "way out", "with a variable", "with an expression", "yield", "yield from",
    }
)  # fmt: skip
"""Every family an edit may have."""
