import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.verify.repositories import Files, Repository

collect_ignore = [] if shutil.which("node") else ["test_node_program.py"]
"""Programs a machine may lack: what they print is tested from records of it as well."""

MakeRepository = Callable[..., Repository]


@pytest.fixture
def repository(tmp_path: Path) -> MakeRepository:
    def make(files: Files, verify: tuple[str, ...] = ("python", "-m", "pytest", "-q"), **more: Any) -> Repository:
        return Repository(tmp_path / f"repository-{time.monotonic_ns()}", files, verify, **more)

    return make
