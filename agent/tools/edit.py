"""Replaces a quoted text in one file of the run, or creates a file; must not change anything when it refuses."""

from dataclasses import dataclass

from agent.edits.matching import How
from agent.edits.replace import NotReplaced, replace, unwritable
from agent.errors import WorkspaceError
from agent.ports import Workspace
from agent.tools.locate import existing, locate, shown
from agent.tools.refused import Refused
from agent.tools.write import Created, create


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """The text was replaced."""

    path: str
    count: int
    """Places that were replaced."""
    how: How
    everywhere: bool = False
    """All places were asked for."""

    def render(self) -> str:
        """For a reader: where, how often, and what had to be overlooked."""
        places = f" at {self.count} places" if self.everywhere else ""
        how = f"; the old text was found {self.how}" if self.how is not How.LITERAL else ""
        return f"edited {shown(self.path)}{places}{how}"


def edit(
    workspace: Workspace, path: str, old: str, new: str, *, everywhere: bool = False
) -> Edited | Created | Refused:
    """Put `new` where `old` stands in the file; an empty `old` makes the file, or fills one that is empty."""
    refused = unwritable(old, new)
    if refused:
        return Refused(reason=refused.render())
    place = existing(workspace, path) if old else locate(workspace, path)
    if isinstance(place, Refused):
        return place
    if place.entry is None:
        return create(workspace, place.path, new)
    try:
        result = replace(workspace.read(place.path), old, new, everywhere=everywhere)
        if isinstance(result, NotReplaced):
            return Refused(reason=f"{shown(place.path)}: {result.render()}")
        workspace.write(place.path, result.content)
    except WorkspaceError as error:
        return Refused(reason=str(error))
    return Edited(path=place.path, count=result.count, how=result.how, everywhere=everywhere)
