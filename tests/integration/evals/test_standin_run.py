"""A whole run through the real clients of both wires, against a stand-in that speaks them: to a verified diff."""

from pathlib import Path

from agent.adapters.models.chat import ChatGenerator
from agent.adapters.models.systemone import SystemOneClassifier
from deploy.standin.script import Lines, Reply, Say, Script
from deploy.standin.server import standin
from tests.support.agent_runs import ADDER, run_agent, write_tree

SCRIPT = Script(
    says=(
        Say(action="read_code", read="adder.py"),
        Say(action="apply_edit", edit="adder.py", lines=Lines(first="return a - b")),
        Say(action="task_complete"),
    ),
    replies=(Reply(role="draft", text="    return a + b"),),
)


def test_a_run_over_both_wires_ends_with_a_verified_diff(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "repo", ADDER)
    with standin(SCRIPT) as server:
        classifier = SystemOneClassifier(url=server.classify_url, model="scripted", key="")
        generator = ChatGenerator(url=server.generate_url, model="scripted", key="")
        run = run_agent(folder, classifier, generator)
        classifier.close()
        generator.close()

    judgement = run.result.judgement
    assert judgement is not None
    assert judgement.verdict.value == "verified", judgement.reason
    assert run.files["adder.py"] == ADDER["adder.py"].replace("a - b", "a + b").encode()
    record = server.record()
    assert record["problems"] == []
    assert record["left"] == {"says": 0, "replies": 0}
    assert record["generate"]["roles"] == {"draft": 1}  # type: ignore[index]
    assert run.result.usage.tokens > 0
