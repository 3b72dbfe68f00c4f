import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.verify.repositories import Files, Repository

MakeRepository = Callable[..., Repository]


@pytest.fixture
def repository(tmp_path: Path) -> MakeRepository:
    def make(files: Files, verify: tuple[str, ...] = ("python", "-m", "pytest", "-q"), **more: Any) -> Repository:
        return Repository(tmp_path / f"repository-{time.monotonic_ns()}", files, verify, **more)

    return make
