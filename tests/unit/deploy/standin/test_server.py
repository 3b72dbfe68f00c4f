"""The stand-in over real HTTP: conformant, told to fail when the script says so, and usable from the command line."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from jevcompat import runner

from agent.adapters.models.chat import ChatGenerator
from agent.adapters.models.retrying import Pace
from agent.adapters.models.systemone import SystemOneClassifier
from agent.domain.answers import Choice, Chosen, Missing
from agent.ports import WriteRequest
from deploy.standin.script import Fault, Reply, Say, Script
from deploy.standin.server import standin

ROOT = Path(__file__).parents[4]
QUESTIONS = {"action": Choice(instructions="What next?", options={"read_code": "look", "none": "nothing"})}
TEXT = WriteRequest(anchor=None, role="answer", messages=(("user", "why?"),), seconds=5.0)


def test_it_is_conformant() -> None:
    with standin(Script()) as server:
        report = runner.run(server.classify_url, timeout=5.0)

    assert report.verdict == "conformant"


def test_classify_fails_as_often_as_the_script_says() -> None:
    script = Script(says=(Say(action="read_code", fault=Fault(status=503, retry_after=0, times=2)),))
    with standin(script) as server:
        answer = _ask(server.classify_url)

    assert isinstance(answer, Chosen)
    assert answer.choice == "read_code"
    assert server.record()["classify"]["calls"] == 3  # type: ignore[index]


def test_a_malformed_answer_is_a_missing_one() -> None:
    with standin(Script(says=(Say(action="read_code", fault=Fault(body="<html>")),))) as server:
        assert isinstance(_ask(server.classify_url), Missing)


def test_generate_fails_and_then_writes() -> None:
    script = Script(replies=(Reply(text="because", fault=Fault(status=429, retry_after=0)),))
    with standin(script) as server:
        generator = ChatGenerator(
            url=server.generate_url, model="scripted", key="k", pace=Pace(cap=1.0, sleep=lambda _: None)
        )
        written = generator.write(TEXT, 1)
        generator.close()

    assert written.drafts[0].text == b"because"
    assert written.tokens > 0
    assert server.record()["generate"]["calls"] == 2  # type: ignore[index]


def test_a_delay_only_delays() -> None:
    with standin(Script(replies=(Reply(text="late", fault=Fault(delay=0.05)),))) as server:
        sent = {"messages": [{"role": "user", "content": "why?"}]}
        reply = httpx.post(f"{server.generate_url}/chat/completions", json=sent, trust_env=False)

    assert reply.elapsed.total_seconds() >= 0.05
    assert reply.json()["choices"][0]["message"]["content"] == "late"


@pytest.mark.parametrize("sent", [{}, {"messages": []}, {"messages": [{"content": "no role"}]}])
def test_a_bad_completion_request_is_refused(sent: object) -> None:
    with standin(Script()) as server:
        reply = httpx.post(f"{server.generate_url}/chat/completions", json=sent, trust_env=False)

    assert reply.status_code == 422


def test_the_command_prints_its_address_and_in_the_end_its_record(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text('{"says": [{"action": "read_code"}]}')
    command = [sys.executable, "-m", "deploy.standin", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = process.stdout.readline().strip()
        assert isinstance(_ask(url), Chosen)
        assert httpx.get(f"{url}/record", trust_env=False).json()["classify"]["calls"] == 1
        process.send_signal(signal.SIGTERM)
        assert json.loads(process.stdout.readline())["left"] == {"says": 0, "replies": 0}
        assert process.wait(10) == 0


def _ask(url: str) -> object:
    classifier = SystemOneClassifier(url=url, model="scripted", key="k")
    try:
        return classifier.ask({"directive": "x"}, QUESTIONS).answers["action"]
    finally:
        classifier.close()
