"""Takes back kept edits that a later one made superfluous: less to review, and no accident left in; adds nothing.

Delta debugging at its simplest (Zeller 1999): each edit but the last is undone once, and stays undone when the whole
suite is as green without it.
"""

from agent.loop.context import Context
from agent.loop.suites import missing_or_red

_TIMES = 3.0  # baselines' worth of seconds that must be left before a suite run is spent on this


def shrink(context: Context) -> None:
    """Try each kept edit but the last; does nothing for a single one, or when time is short.

    Only a search finds edits by accident; what a model wrote may be asked for though no test sees it.
    """
    if context.ports.generator.repairs:
        return
    book, workspace = context.book, context.ports.workspace
    seconds = book.baseline.seconds if book.baseline else 0.0
    for place, (path, before, after) in enumerate(book.swaps[:-1]):
        if not after or context.meter.loop_left < _TIMES * seconds:
            continue
        content = workspace.read(path)
        if content.count(after) != 1:
            continue  # a later edit stands on it
        token = workspace.checkpoint()
        workspace.write(path, content.replace(after, before))
        if not workspace.changes():
            workspace.restore(token)
            continue
        run = context.verifier.suite(workspace.changes(), context.meter.loop_left)
        needed = missing_or_red(book.good, run)
        context.trace("effect", effect="shrink", edit=book.kept[place], needed=needed[:20])
        if needed:
            workspace.restore(token)
        else:
            book.last_good = workspace.checkpoint()
