"""Which comments are commands, and what they ask for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.command import MAX_STEPS, Ask, first_own_line, parse
from worker.contract.job import Command


@pytest.mark.parametrize(
    ("comment", "options"),
    [
        ("/bendcoder", {}),
        ("/bendcoder\n", {}),
        ("  /bendcoder steps=12  ", {"steps": "12"}),
        (
            "/bendcoder steps=1 base=release/1.x model=vendor/name:free",
            {"steps": "1", "base": "release/1.x", "model": "vendor/name:free"},
        ),
        ("/bendcoder\tsteps=40", {"steps": "40"}),
        ("/bendcoder steps=007", {"steps": "7"}),
        ("/Bendcoder", {}),
        ("/bendcoder\r\nThank you!", {}),
        ("> somebody wrote\n\n/bendcoder steps=2", {"steps": "2"}),
        ("```\ncode\n```\n/bendcoder steps=3", {"steps": "3"}),
        ("<!-- from a template -->\n\n/bendcoder", {}),
    ],
)
def test_a_command_runs_with_its_options(comment: str, options: dict[str, str]) -> None:
    assert parse(comment) == Ask(command=Command.RUN, options=options)


@pytest.mark.parametrize("word", ["stop", "status", "retry", "help", "ci"])
def test_each_word_is_its_command(word: str) -> None:
    assert parse(f"/bendcoder {word}") == Ask(command=Command(word))
    assert parse(f"/bendcoder {word.upper()}") == Ask(command=Command(word))


@pytest.mark.parametrize(
    "comment",
    [
        "",
        "please /bendcoder",
        "Thanks!\n/bendcoder",
        "Thanks!\n\n/bendcoder",
        "/bendcoders",
        "/bendcoder-please",
        "bendcoder",
        "> /bendcoder",
        "> quoted\n/bendcoder which still belongs to the quote",
        "    /bendcoder",
        "```\n/bendcoder\n```",
        "~~~\n/bendcoder",
        "`/bendcoder`",
        "**/bendcoder**",
        "- /bendcoder",
        "1. /bendcoder",
        "# /bendcoder",
        "# How to\n\n/bendcoder",
        "- an example:\n\n/bendcoder",
        "---\n\n/bendcoder",
        "<!-- /bendcoder -->",
        "<!--\n/bendcoder\n-->",
        "<details>\n/bendcoder\n</details>",
        "&#47;bendcoder",
        "\u200b/bendcoder",
    ],
)
def test_this_is_no_command(comment: str) -> None:
    assert parse(comment) is None


@pytest.mark.parametrize(
    ("comment", "why"),
    [
        ("/bendcoder steps=0", "from 1 to 40"),
        ("/bendcoder steps=41", "from 1 to 40"),
        ("/bendcoder steps=-1", "from 1 to 40"),
        ("/bendcoder steps=", "from 1 to 40"),
        ("/bendcoder steps=twelve", "from 1 to 40"),
        ("/bendcoder steps=1.5", "from 1 to 40"),
        ("/bendcoder steps=٣", "from 1 to 40"),
        ("/bendcoder steps=99999999999999999999", "from 1 to 40"),
        ("/bendcoder steps=2 steps=3", "given twice"),
        ("/bendcoder speed=3", "`speed=3` is not understood"),
        ("/bendcoder please fix this", "`please` is not understood"),
        ("/bendcoder steps", "`steps` is not understood"),
        ("/bendcoder steps = 3", "`steps` is not understood"),
        ("/bendcoder stop now", "`stop` stands alone"),
        ("/bendcoder stop steps=3", "`stop` stands alone"),
        ("/bendcoder steps=3 stop", "`stop` is not understood"),
        ("/bendcoder base=", "name of a branch"),
        ("/bendcoder base=--upload-pack=x", "name of a branch"),
        ("/bendcoder base=a..b", "name of a branch"),
        ("/bendcoder base=/a", "name of a branch"),
        ("/bendcoder base=a/", "name of a branch"),
        ("/bendcoder base=a//b", "name of a branch"),
        ("/bendcoder base=a/.b", "name of a branch"),
        ("/bendcoder base=a.lock", "name of a branch"),
        ("/bendcoder base=a.lock/b", "name of a branch"),
        ("/bendcoder base=a~1", "name of a branch"),
        ("/bendcoder base=a:b", "name of a branch"),
        ("/bendcoder base=@{u}", "name of a branch"),
        ("/bendcoder model=", "name of a model"),
        ("/bendcoder model=-x", "name of a model"),
        ("/bendcoder model=a;b", "name of a model"),
        ("/bendcoder model=" + "a" * 101, "name of a model"),
    ],
)
def test_what_is_not_understood_is_answered_and_never_runs(comment: str, why: str) -> None:
    asked = parse(comment)
    assert asked is not None
    assert asked.command is Command.INVALID
    assert asked.options == {}
    assert why in asked.problem
    assert "Nothing was started" in asked.problem


def test_a_strangers_word_is_made_harmless_before_it_is_repeated() -> None:
    asked = parse("/bendcoder @everyone`<img>[x](y)\u202eabc" + "z" * 90)
    assert asked is not None
    shown = asked.problem.split(" is not understood")[0]
    assert shown == "`?everyone??img??x??y??abczzzzzzzzzzzzzz...`"


def test_only_the_top_of_a_long_comment_is_read() -> None:
    assert parse("> quote\n" * 5_000 + "\n/bendcoder") is None
    assert parse("/bendcoder\n" + "x\n" * 100_000) == Ask(command=Command.RUN)


_words = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=6).map(" ".join)


@given(rest=_words)
def test_a_line_with_our_name_is_always_answered_one_way(rest: str) -> None:
    line = "/bendcoder " + rest.replace("\n", " ").replace("\r", " ")
    asked = parse(line)
    assert asked is None or (asked.command is Command.INVALID) == bool(asked.problem)
    if asked is not None and "steps" in asked.options:
        assert 1 <= int(asked.options["steps"]) <= MAX_STEPS


@given(comment=st.text(st.characters(exclude_categories=["Cs"]), max_size=300))
def test_no_comment_breaks_the_parser(comment: str) -> None:
    for text in (comment, comment + "\n\n/bendcoder", "/bendcoder" + comment):
        asked = parse(text)
        assert asked is None or first_own_line(text).lower().startswith("/bendcoder")


@given(
    steps=st.integers(min_value=1, max_value=MAX_STEPS),
    base=st.from_regex(r"\A[a-z][a-z0-9]{0,10}(/[a-z0-9]{1,10}){0,3}\Z"),
    order=st.permutations(["steps", "base"]),
)
def test_good_options_come_through_as_written_in_any_order(steps: int, base: str, order: list[str]) -> None:
    given_ = {"steps": str(steps), "base": base}
    asked = parse("/bendcoder " + " ".join(f"{name}={given_[name]}" for name in order))
    assert asked == Ask(command=Command.RUN, options=given_)
