"""Our questions as the System One SDK's; must not change a word of them."""

from typesafe_sdk import Choice as WireChoice
from typesafe_sdk import Noul as WireNoul
from typesafe_sdk import Score as WireScore

from agent.domain.answers import Choice, Question, Score


def wire_question(question: Question) -> WireChoice | WireScore | WireNoul:
    """One question as it is sent."""
    if isinstance(question, Choice):
        return WireChoice(instructions=question.instructions, criteria=dict(question.options))
    if isinstance(question, Score):
        return WireScore(instructions=question.instructions, criteria=list(question.levels))
    return WireNoul(instructions=question.instructions)
