"""Suites that would wait for a person: an editor, a pager, a question, a terminal. None of them may be waited for."""

import time

import pytest

COMMIT = "git init -q w && cd w && git -c user.name=a -c user.email=a@b commit --allow-empty"
WAITERS = {
    "an editor through the terminal": "sh -c 'exec < /dev/tty; read answer'",
    "a question on standard input": 'read answer; test -n "$answer"',
    "git's editor": COMMIT,
    "git's pager": f"{COMMIT} -qm x && git log",
    "a pager by name": "yes | head -500 | ${PAGER:-cat}",
}


@pytest.mark.parametrize("script", WAITERS.values(), ids=WAITERS.keys())
def test_nobody_waits_for_a_person(repository, script):
    repo = repository({"run.sh": script + "\n"}, verify=("sh", "run.sh"))
    begin = time.monotonic()
    run = repo.verifier.baseline(20)
    assert not run.timed_out
    assert time.monotonic() - begin < 10
