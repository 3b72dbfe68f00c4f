"""Drives the guards' program: what is allowed, what was chosen, what happened; must not perform or judge anything."""

from collections.abc import Callable

from agent.domain.action import Action, Candidate, Offer, Refusal
from agent.domain.profiles import BENDCODER, Profile
from agent.errors import GuardError
from agent.guards.catalogue import guards, program
from agent.guards.events import ACTIONS, BUDGET, CANCEL, PROPOSED, SETTLED, Event, Stepped
from agent.guards.paths import PathRules

OFFERED = (
    Action.READ_CODE,
    Action.SEARCH_CODE,
    Action.PLAN,
    Action.REPRODUCE,
    Action.APPLY_EDIT,
    Action.RUN_SUITE,
    Action.GENERATE_ANSWER,
    Action.TASK_COMPLETE,
)
"""What Classify may be offered, in this order."""


class Rules:
    """One run's guards."""

    def __init__(self, rules: PathRules, profile: Profile = BENDCODER) -> None:
        self._program = program(guards(rules, profile))

    def tell(self, *events: Event) -> None:
        """Report what happened; a guard that refuses a fact is a fault of ours and ends the run."""
        for event in events:
            self._program.ingress(event)
        while self._program.waiting:
            stepped = self._program.step()
            if stepped.selected is None:
                raise GuardError(f"`{stepped.blocked[0].by}` refuses to hear of `{stepped.requested[0].type}`")

    def begin(self, left: dict[str, object], *, cancelled: bool) -> Stepped:
        """Start a step: what is left of the budget, and what a guard itself wants done before anyone is asked."""
        self.tell(Event(BUDGET, left), *([Event(CANCEL)] if cancelled else []))
        return self._program.step()

    def mask(self) -> dict[str, str]:
        """Actions that could not happen whatever their arguments, with the first reason."""
        found = {}
        for action in OFFERED:
            blocked = self._program.probe(Event(action))
            if blocked:
                found[action.value] = f"{blocked[0].by}: {blocked[0].reason}"
        return found

    def allowed(self, event: Event) -> bool:
        """Whether nobody would block this event now."""
        return not self._program.probe(event)

    def decide(self, proposal: Event) -> Stepped:
        """Let the guards choose among a proposal's candidates; with the fallback there always is a choice."""
        if proposal.type != PROPOSED:
            raise GuardError(f"`{proposal.type}` is no proposal")
        self.tell(proposal)
        stepped = self._program.step()
        if stepped.selected is None:
            raise GuardError("the guards left nothing to do, not even a stop")
        return stepped

    def settle(self, *events: Event) -> None:
        """Report an effect's results and that it is over."""
        self.tell(*events, Event(SETTLED))

    def memory(self) -> dict[str, dict[str, object]]:
        """The guards' own memory, for the trace."""
        return self._program.memory()


def offer_of(stepped: Stepped) -> Offer:
    """What the guards left of the requested actions, and the refusals: of each request its first blocker only."""
    found = _refused(stepped, lambda _event: True)
    left = [event for event in stepped.requested if event.type in ACTIONS and id(event) not in found]
    return Offer(candidates=tuple(candidate_of(event) for event in left), refusals=tuple(found.values()))


def worth_telling(stepped: Stepped) -> tuple[Refusal, ...]:
    """Refusals a person should hear of: not those of Classify's runners-up, which mostly fall under their floor."""
    told = _refused(stepped, lambda event: "p" not in event.detail or bool(event.detail.get("top")))
    return tuple(told.values())


def _refused(stepped: Stepped, counts: Callable[[Event], bool]) -> dict[int, Refusal]:
    found: dict[int, Refusal] = {}
    for one in stepped.blocked:
        if one.event.type in ACTIONS and counts(one.event):
            path = one.event.text("path")
            what = f"{path}: {one.reason}" if path and path not in one.reason else one.reason
            found.setdefault(id(one.event), Refusal(action=Action(one.event.type), guard=one.by, reason=what))
    return found


def candidate_of(event: Event) -> Candidate:
    """An action's event as a value: its arguments in the order of their names."""
    arguments = {key: value for key, value in event.detail.items() if isinstance(value, str)}
    return Candidate(
        action=Action(event.type),
        arguments=tuple(sorted(arguments.items())),
        probability=event.number("p"),
        top=bool(event.detail.get("top")),
    )


def described(event: Event) -> dict[str, object]:
    """An event for the trace: its type and its arguments."""
    return {"action": event.type, **{key: value for key, value in event.detail.items() if key != "candidates"}}
