"""Every answer of the stand-in is what githubkit's models expect of GitHub."""

from collections.abc import Iterator

import pytest

from deploy.devhub.rest import ROUTES
from tests.support.devhub_contract import OPERATIONS, Scene, running_scene

pytestmark = pytest.mark.xdist_group("devhub-contract")


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with running_scene(tmp_path_factory.mktemp("scene")) as made:
        yield made


@pytest.mark.parametrize("name", OPERATIONS)
def test_answer_validates(scene: Scene, name: str) -> None:
    answer = OPERATIONS[name](scene)
    assert answer.status_code in {200, 201, 202, 204}
    if answer.status_code != 204:
        assert answer.parsed_data is not None


def test_every_endpoint_is_among_the_operations(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running_scene(tmp_path_factory.mktemp("all")) as scene:
        for call in OPERATIONS.values():
            call(scene)
        called = [(one.method, one.path) for one in scene.recorder.exchanges]
    missed = [
        f"{route.method} {route.template}"
        for route in ROUTES
        if not any(method == route.method and route.pattern.fullmatch(path) for method, path in called)
    ]
    assert missed == []
