"""A repository that needs set-up: its suite cannot run without what `setup` makes, and a failing one is told."""

from collections.abc import Iterator

import pytest

from tests.support.house import FILES, SANDBOX, House, running_house
from worker.contract.job import JobState

pytestmark = [pytest.mark.xdist_group("e2e"), pytest.mark.slow, pytest.mark.redis]

CONFIG = ".github/bendcoder.yml"
NEEDING = {
    **FILES,
    "conftest.py": "import os, sys\nsys.path.append(os.environ['BENDCODER_ENV'])\nimport made_by_setup\n",
    "tools/setup.sh": 'echo run >> "$1/runs"\necho "ANSWER = 42" > "$1/made_by_setup.py"\n',
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("house")) as running:
        yield running


def test_what_set_up_made_is_there_for_baseline_and_verdict_and_made_once(house: House) -> None:
    repo = house.repository("prepared", files={**NEEDING, CONFIG: "setup:\n  - sh tools/setup.sh {env}\n"})
    for count in (1, 2):
        house.hub.add_label(repo, house.issue(repo), "bendcoder", actor="ann")
        house.wait(lambda count=count: len(house.jobs(repo)) == count, 15, "a job")
        record = house.ended(house.jobs(repo)[-1])
        assert (record.state, record.verdict) == (JobState.DONE, "verified"), record
    made = list((house.folder).rglob("environments/*/runs"))
    assert [path.read_text() for path in made] == ["run\n"]


def test_a_failing_set_up_is_told_with_its_output(house: House) -> None:
    script = 'echo "the compiler is missing"; exit 4\n'
    files = {**NEEDING, "tools/setup.sh": script, CONFIG: "setup: sh tools/setup.sh {env}\n"}
    repo = house.repository("unprepared", files=files)
    number = house.issue(repo)
    house.hub.add_label(repo, number, "bendcoder", actor="ann")
    record = house.ended(house.job(repo))
    assert (record.state, record.outcome) == (JobState.FAILED, "setup_failed"), record
    (said,) = house.said(repo, number)
    assert "`setup`" in said
    assert "the compiler is missing" in said
    assert list(house.hub.pulls(repo)) == []


@pytest.mark.skipif(SANDBOX != "bubblewrap", reason="the local sandbox filters nothing")
def test_set_up_cannot_reach_the_house_itself(house: House) -> None:
    port = house.settings["BENDCODER_GITHUB_API_URL"].rpartition(":")[2].partition("/")[0]
    fetch = (
        "import urllib.request, sys\n"
        f"for url in ('http://127.0.0.1:{port}/', 'http://localhost/', 'http://169.254.169.254/'):\n"
        "    try: urllib.request.urlopen(url, timeout=5); print('REACHED', url)\n"
        "    except OSError as error: print('refused', error)\n"
        "sys.exit(1)\n"
    )
    repo = house.repository("curious", files={**NEEDING, "fetch.py": fetch, CONFIG: "setup: python fetch.py\n"})
    number = house.issue(repo)
    house.hub.add_label(repo, number, "bendcoder", actor="ann")
    assert house.ended(house.job(repo)).outcome == "setup_failed"
    (said,) = house.said(repo, number)
    assert "REACHED" not in said
    assert "169.254.169.254:80 was refused" in said
