"""A script for Classify and what is to become of its last answer: what tests of the route table are made of."""

from dataclasses import dataclass, replace
from pathlib import Path

from tests.support.agent_runs import Run, options, run_agent, write_tree
from tests.support.scripted_models import Say, ScriptedClassifier, ScriptedGenerator
from tests.support.toy_suite import IMPOSSIBLE, ToySandbox, Watch, digest_of, same

ALPHA = b'"""Alpha."""\n\n\ndef alpha():\n    return 1\n'
FILES = {
    "alpha.py": ALPHA,
    "free.py": b"X = 1\nY = 2\n",
    "more.py": b"Z = 1\n",
    "tests/test_toy.py": same("alpha", "alpha.py", IMPOSSIBLE) + same("beta", "free.py", digest_of(b"X = 1\nY = 2\n")),
}
READ = Say(action="read_code", read="alpha.py")
SEARCH = Say(action="search_code")
EDIT = Say(action="apply_edit", edit="alpha.py", lines=(5, 5))
OTHER = Say(action="apply_edit", edit="more.py", lines=(1, 1))
SUITE = Say(action="run_suite")
ANSWER = Say(action="generate_answer", needs=0.1)
DONE = Say(action="task_complete", needs=0.1)
PLAN = Say(action="plan", needs=0.1)
NONE = Say(action="none")
LOOK = replace(READ, needs=0.1)
OPEN = b"1. say two in alpha.py\n"
CLEAR = b"1. tell everybody\n"
WRONG = b"    return 3\n"


def weak(say: Say, confidence: float = 0.3) -> Say:
    return replace(say, confidence=confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A script, and what the decision on its last answer is."""

    says: tuple[Say, ...]
    chosen: str
    """The action, or `stop`; empty when Classify gave no decision that guards could look at."""
    by: str
    guards: tuple[str, ...] = ()
    """All that refuse the answer's own action."""
    reason: str = ""
    """A piece of what is said about it."""
    writes: tuple[bytes, ...] = ()
    prose: bool = False
    goal: str = "alpha is wrong: zebra_one, zebra_two, zebra_three"


def play(tmp_path: Path, row: Row) -> tuple[Run, ScriptedClassifier]:
    """The row's run on a small repository, and the model that was asked."""
    classifier = ScriptedClassifier([*row.says, NONE])
    generator = ScriptedGenerator(*([text] for text in row.writes), prose=row.prose)
    run = run_agent(
        write_tree(tmp_path / "repo", FILES),
        classifier,
        generator,
        goal=row.goal,
        chosen=options(verify=("pytest",)),
        sandbox=ToySandbox(Watch()),
    )
    return run, classifier
