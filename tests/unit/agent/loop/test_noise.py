"""Whatever models answer, a run ends by itself with a reason, writes nothing outside its tree and claims nothing.

Seeds are fixed: a failure names its seed, and `noisy(seed, arena)` plays exactly that run again.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from random import Random
from typing import NoReturn

import pytest

from agent.adapters.models.chat import ChatGenerator
from agent.adapters.models.retrying import Pace
from agent.adapters.models.systemone import SystemOneClassifier
from agent.domain.result import Outcome, Verdict
from agent.domain.task import Budget, Commands, Options, Timeouts
from deploy.standin.script import Fault, Say, Script
from deploy.standin.script import Reply as Scripted
from deploy.standin.server import standin
from tests.support.arena import UNUSABLE, Arena, Ended, arena_in, play
from tests.support.chat_server import chat_server
from tests.support.noise import NoiseClassifier, NoiseGenerator, Temper, temper_of
from tests.support.noise_server import replies_of
from tests.support.noise_wire import WireClassifier, WireGenerator

pytestmark = pytest.mark.no_cover  # half the time of thousands of runs; what they run is covered by other tests
CHUNKS, EACH = 24, 100
"""2,400 runs, of some 10 ms each."""
RESUMED = 21
"""One run in so many is killed at an event chosen by its seed, and goes on."""
OVER_HTTP = 40


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with arena_in(tmp_path_factory.mktemp("arena")) as made:
        yield made


def options_of(dice: Random, commands: Commands) -> Options:
    budget = Budget(
        steps=dice.choice((0, 1, 2, 6, 12, 12, 20)),
        seconds=dice.choice((5.0, 600.0, 600.0)),
        tokens=dice.choice((None, 50, 10**6)),
        money=dice.choice((None, None, 1.0)),
    )
    return Options(commands=commands, budget=budget, timeouts=Timeouts(check=20.0, suite=200.0))


def models_of(seed: int, temper: Temper, files: Mapping[str, bytes]) -> tuple[NoiseClassifier, NoiseGenerator]:
    """At the ports for one half of the seeds, at the wire for the other."""
    if seed % 2:
        return WireClassifier(temper), WireGenerator(temper, files)
    return NoiseClassifier(temper), NoiseGenerator(temper, files)


def noisy(seed: int, arena: Arena, *, goes_on: bool = False) -> Ended:
    """One run from its seed; `goes_on`: along the trace that lies there."""
    temper = temper_of(seed, str(arena.root / "planted.py"))
    dice = temper.dice("run")
    unusable = dice.random() < 0.02
    world = dice.choice([one for one in arena.worlds if (one.name in UNUSABLE) == unusable])
    classifier, generator = models_of(seed, temper, world.files)
    return play(arena, world, classifier, generator, options_of(dice, world.commands), goes_on=goes_on)


def judge(ended: Ended) -> None:
    """What must hold of every run, whatever was answered."""
    result = ended.result
    assert result.outcome_reason.strip()
    assert result.usage.steps <= ended.options.budget.steps
    assert result.judgement is None or result.judgement.verdict is not Verdict.VERIFIED
    assert bool(result.changes) == (result.judgement is not None)
    assert ended.trace[-1].kind == "run_ended"
    assert (result.outcome is Outcome.SUITE_UNUSABLE) == (ended.world.name in UNUSABLE)
    assert not (result.outcome is Outcome.SUITE_UNUSABLE and result.usage.classify_calls)
    for change in result.changes:
        assert not change.path.startswith((".git", "/", "..")), change.path
        assert change.path not in ("tests/test_toy.py", "tests/test_red.py", "conftest.py"), change.path


def killed(seed: int, ended: Ended, arena: Arena) -> None:
    """Cut the trace at an event, go on, and end in the same way."""
    path = arena.trace
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert all(json.loads(line, parse_constant=_no_number) for line in lines)
    path.write_text("".join(lines[: temper_of(seed, "").dice("cut").randrange(len(lines))]), encoding="utf-8")
    again = noisy(seed, arena, goes_on=True)
    judge(again)
    for name in ("outcome", "outcome_reason", "diff", "answer", "refusals"):
        assert getattr(again.result, name) == getattr(ended.result, name), name
    assert again.result.usage.steps == ended.result.usage.steps


def _no_number(word: str) -> NoReturn:
    raise AssertionError(f"{word} is no JSON")


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_noise_makes_a_run_raise_write_outside_claim_or_end_without_a_reason(arena: Arena, chunk: int) -> None:
    before, whole = arena.seen(), arena.seen(whole=True)
    for seed in range(chunk * EACH, (chunk + 1) * EACH):
        try:
            ended = noisy(seed, arena)
            judge(ended)
            assert arena.seen() == before
            if seed % RESUMED == 0:
                killed(seed, ended, arena)
        except Exception as error:
            error.add_note(f"this was noisy({seed}, arena)")
            raise
    assert arena.seen(whole=True) == whole


@contextmanager
def clients(classify: str, generate: str) -> Iterator[tuple[SystemOneClassifier, ChatGenerator]]:
    """The real clients, which wait for nothing."""
    pace = Pace(cap=0.0, sleep=lambda _: None)
    with (
        closing(SystemOneClassifier(url=classify, model="noise", key="k", pace=pace)) as classifier,
        closing(ChatGenerator(url=generate, model="noise", key="k", pace=pace)) as generator,
    ):
        yield classifier, generator


def test_no_noise_over_http_does_either(arena: Arena) -> None:
    """The same through the real clients: bodies, statuses and headers that a server may send."""
    before, now = arena.seen(whole=True), [temper_of(0, "")]
    with (
        chat_server(lambda asked: replies_of(now[0], asked)) as server,
        clients(server.url.removesuffix("/v1"), server.url) as (classifier, generator),
    ):
        for seed in range(OVER_HTTP):
            now[0] = temper_of(seed, str(arena.root / "planted.py"))
            world = arena.worlds[seed % (len(arena.worlds) - len(UNUSABLE))]
            judge(play(arena, world, classifier, generator, options_of(now[0].dice("run"), world.commands)))
            assert arena.seen(whole=True) == before, seed


FAULTS = (
    Fault(status=500, body="broken"),
    Fault(status=401),
    Fault(status=404, body="not here"),
    Fault(status=429, retry_after=0),
    Fault(body="<html>"),
    Fault(body=""),
    Fault(body="{" * 1000),
    Fault(body='{"answers": {"action": {"choice": "apply_edit"}}, "choices": [{}]}'),
)


@pytest.mark.parametrize(
    "fault",
    [one.model_copy(update={"times": 99}) for one in FAULTS],
    ids=lambda one: f"{one.status} {(one.body or '')[:12]}",
)
@pytest.mark.parametrize("classify", [True, False], ids=["classify", "generate"])
def test_a_model_that_only_ever_fails_ends_the_run_with_its_reason(arena: Arena, fault: Fault, classify: bool) -> None:
    says = (Say(action="read_code", read="free.py"), Say(action="apply_edit", edit="free.py", lines=(1, 1)))
    if classify:
        says = tuple(one.model_copy(update={"fault": fault}) for one in says)
    script = Script(says=says, replies=(Scripted(text="# other", fault=None if classify else fault, times=0),))
    world = next(one for one in arena.worlds if one.name == "red")
    with standin(script) as server, clients(server.classify_url, server.generate_url) as (classifier, generator):
        options = Options(commands=world.commands, budget=Budget(steps=6))
        ended = play(arena, world, classifier, generator, options)
    judge(ended)
    assert ended.result.outcome in (Outcome.STALLED, Outcome.OUT_OF_BUDGET)
    assert not ended.result.changes
