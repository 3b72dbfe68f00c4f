"""Puts a whole file down, new or in place of an old one; must not write what a text file cannot be."""

from dataclasses import dataclass

from agent.edits.content import BOM, ending_near, is_binary, with_endings
from agent.edits.replace import not_text, numbered_rows
from agent.errors import WorkspaceError
from agent.ports import Workspace
from agent.tools.locate import locate, new_name, shown
from agent.tools.refused import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """There was no such file."""

    path: str

    def render(self) -> str:
        """For a reader."""
        return f"created {shown(self.path)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """The file was there and has other content now."""

    path: str

    def render(self) -> str:
        """For a reader."""
        return f"updated {shown(self.path)}"


def write(workspace: Workspace, path: str, text: str) -> Created | Updated | Refused:
    """Create a file with the folders on its way, or replace all of an existing text file.

    An existing file keeps its mode, its byte order mark and the kind of line ending it begins with.
    """
    refused = not_text(text) or numbered_rows(text)
    if refused:
        return Refused(reason=refused.render())
    place = locate(workspace, path)
    if isinstance(place, Refused):
        return place
    try:
        return _updated(workspace, place.path, text) if place.entry else create(workspace, place.path, text)
    except WorkspaceError as error:
        return Refused(reason=str(error))


def create(workspace: Workspace, path: str, text: str) -> Created | Refused:
    """Make a file at a path where nothing lies, with the folders on its way."""
    refused = not_text(text) or numbered_rows(text)
    if refused:
        return Refused(reason=refused.render())
    odd = new_name(workspace, path)
    if odd:
        return odd
    try:
        workspace.write(path, text.encode())
    except WorkspaceError as error:
        return Refused(reason=str(error))
    return Created(path=path)


def _updated(workspace: Workspace, path: str, text: str) -> Updated | Refused:
    before = workspace.read(path)
    if is_binary(before):
        return Refused(reason=f"{shown(path)} is a binary file, which is not replaced by text")
    mark = BOM if before.startswith(BOM) else b""
    plain = text.removeprefix("\ufeff") if mark else text
    body = with_endings(plain, b"\r\n") if ending_near(before, 0, 0) == b"\r\n" else plain.encode()
    if mark + body == before:
        return Refused(reason=f"{shown(path)} holds that text already: there is nothing to change")
    workspace.write(path, mark + body)
    return Updated(path=path)
