"""A small real folder and a workspace on it."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import pytest

from agent.adapters.workspace.directory import DirectoryWorkspace
from tests.support.gitrepo import write as write_files


class Make(Protocol):
    def __call__(self, files: Mapping[str, bytes], untracked: Mapping[str, bytes] = ...) -> DirectoryWorkspace: ...


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Files of a fresh folder, `tmp_path / "tree"`, as a workspace; untracked ones lie beside them."""

    def made(files: Mapping[str, bytes], untracked: Mapping[str, bytes] = MappingProxyType({})) -> DirectoryWorkspace:
        root = tmp_path / "tree"
        root.mkdir()
        write_files(root, files)
        workspace = DirectoryWorkspace(root)
        write_files(root, untracked)
        return workspace

    return made
