"""The effect of a plan: Generate lists the places to change, code keeps the list; must not perform any of it."""

from agent.domain.thresholds import GENERATE_SECONDS
from agent.guards.events import PLANNED, TICKED, Event
from agent.loop.context import Context
from agent.loop.plan import next_open, read_plan, ticked
from agent.loop.prompting import prompt
from agent.ports import WriteRequest
from agent.prompts.material import Role


def make_plan(context: Context) -> tuple[Event, ...]:
    """Ask for a worklist and keep it; a reply without an item is a plan that holds nothing back."""
    seconds = max(1.0, min(GENERATE_SECONDS, context.meter.loop_left))
    request = WriteRequest(anchor=None, role="plan", messages=prompt(context, Role.PLAN), seconds=seconds)
    written = context.write(request, 1)
    reply = written.drafts[0].text.decode(errors="replace") if written.drafts else ""
    context.book.plan = read_plan(reply)
    told = "\n".join(item.shown() for item in context.book.plan) or "Generate wrote no plan"
    return (*context.note("plan", told), Event(PLANNED, {"open": _open(context)}))


def tick(context: Context, paths: tuple[str, ...]) -> tuple[Event, ...]:
    """Tick what a kept edit of these files did; nothing without a plan."""
    if not context.book.plan:
        return ()
    context.book.plan = ticked(context.book.plan, paths)
    return (Event(TICKED, {"open": _open(context)}),)


def _open(context: Context) -> str:
    return next_open(context.book.plan, context.listing.exists)
