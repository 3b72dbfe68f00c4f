"""The file an issue is about comes before those that only talk about it."""

import re
from collections import Counter
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.index.kinds import likelihood
from agent.index.lexical import Lexical
from agent.index.outline import described, names
from agent.index.rank import words
from agent.index.tally import TEXT_BYTES, Counting, count
from agent.index.terms import MOST_WORDS, named_files, patterns, weights
from agent.ports import Tally

GOAL = "`parse_header` of httpReader loses the quoted colon\n\nThe headers are wrong when a colon is quoted."


def times(tally: Tally) -> dict[str, int]:
    return {word: len(places) for word, places in tally.places.items()}


def scores(lexical: Lexical, texts: dict[str, bytes]) -> dict[str, float]:
    counting = Counting()
    for path, text in texts.items():
        counting.add(path, text)
    return lexical.scores(lexical.look(tuple(texts)), tuple(texts), [counting.tally()])


def test_words_are_counted_whole_and_in_parts() -> None:
    counted = count(b"parse_header parseHeader HTTP x")

    assert times(counted) == {"parse": 2, "header": 2, "parseheader": 1, "http": 1}
    assert counted.sizes == [6]


def test_binary_texts_and_what_lies_beyond_the_limit_are_not_counted() -> None:
    assert count(b"a\0word") == Tally(blobs=[""], sizes=[0], places={})
    assert count(b" " * TEXT_BYTES + b"word") == Tally(blobs=[""], sizes=[0], places={})


@given(st.binary(max_size=300))
def test_any_bytes_are_counted(content: bytes) -> None:
    counted = count(content)

    assert sum(counted.sizes) == sum(times(counted).values())


@given(st.lists(st.lists(st.sampled_from([b"parse", b"Parse", b"Header", b"_", b"x", b" ", b"\xff"])), max_size=3))
def test_texts_are_counted_together_as_each_alone(texts: list[list[bytes]]) -> None:
    contents = [b"".join(text) for text in texts]
    counting = Counting()
    for number, content in enumerate(contents):
        counting.add(str(number), content)
    together, alone = counting.tally(), [count(content) for content in contents]

    assert together.sizes == [one.sizes[0] for one in alone]
    for word, places in together.places.items():
        assert [places.count(number) for number in range(len(alone))] == [times(one).get(word, 0) for one in alone]


@given(st.text(st.sampled_from("abYZ09_ .é"), max_size=60))
def test_a_token_counts_as_itself_and_as_the_parts_its_capitals_show(text: str) -> None:
    told: Counter[str] = Counter()
    for token in re.findall(r"[a-zA-Z0-9]+", text):
        parts = words(token) if token.lower() != token else ()
        told.update([token.lower(), *(parts if len(parts) > 1 else ())] if 1 < len(token) <= 40 else [])

    assert times(count(text.encode())) == told


def test_a_source_comes_before_the_test_and_the_text_that_say_the_same() -> None:
    text = b"parse header colon quoted " * 5
    files = {"src/reader.py": text, "tests/test_reader.py": text, "docs/reader.md": text, "src/other.py": b""}

    found = scores(Lexical(weights(GOAL)), files)

    assert found["src/reader.py"] == 1.0
    assert found["src/reader.py"] > found["tests/test_reader.py"] > found["docs/reader.md"]
    assert "src/other.py" not in found


def test_files_of_one_blob_have_one_text_and_the_first_tally_of_a_blob_counts() -> None:
    lexical = Lexical({"colon": 1})
    files = lexical.look(("a.py", "b.py", "c.py"))
    once = Tally(blobs=["1"], sizes=[1], places={"colon": [0]})
    again = Tally(blobs=["0", "1"], sizes=[9, 9], places={"colon": [0, 0, 1, 1]})

    assert lexical.scores(files, ("1", "1", ""), [once, again]) == {"a.py": 1.0, "b.py": 1.0}
    assert lexical.scores(files, ("1", "1", ""), [once]) == {"a.py": 1.0, "b.py": 1.0}
    assert lexical.score("c.py", count(b"colon")) == 1.0


def test_the_likeliest_files_are_sources_whose_paths_say_most() -> None:
    lexical = Lexical({"header": 3, "colon": 1})
    paths = ("a.py", "colon.py", "header.md", "lib/header.py", "lib/header_colon.py", "test_header.py")

    assert [paths[file] for file in lexical.likeliest(lexical.look(paths))] == [
        "lib/header_colon.py", "lib/header.py", "colon.py", "a.py", "test_header.py", "header.md",
    ]  # fmt: skip


def test_a_changed_file_is_scored_by_what_was_known_before() -> None:
    lexical = Lexical(weights(GOAL))
    before = scores(lexical, {"a.py": b"colon header", "b.py": b"nothing here"})

    assert lexical.score("a.py", count(b"colon header")) == before["a.py"]
    assert lexical.score("a.py", count(b"quoted colon header header")) > before["a.py"]
    assert lexical.score("b.py", count(b"quoted")) == 0
    assert lexical.score("b.py", count(b"colon here")) > 0 == lexical.score("b.py", count(b"nothing"))


def test_a_goal_gives_names_whole_and_in_parts_and_no_common_words() -> None:
    found = weights(GOAL)

    assert found["colon"] == 2
    assert {"parse", "header", "http", "reader", "httpreader"} <= found.keys()
    assert not {"the", "of", "when", "wrong"} & found.keys()


def test_a_long_goal_gives_a_bounded_number_of_words() -> None:
    assert len(weights(" ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}x" for n in range(600)))) == MOST_WORDS


def test_names_are_searched_before_words() -> None:
    assert patterns("loses the quoted parse_header of v2")[:1] == ("parse_header",)


def test_files_are_named_whatever_root_stands_before_them() -> None:
    tracked = {"src/a.py": 0, "b.py": 0}

    assert list(named_files('File "/tree/src/a.py", line 3; see ./b.py and c.py', tracked)) == ["src/a.py", "b.py"]


@pytest.mark.parametrize("piece", ["a", "a/", "a.", "_", "aB", "export "])
def test_a_text_meant_to_take_long_does_not(piece: str) -> None:
    text, began = piece * (65_536 // len(piece)), process_time()

    list(named_files(text, {}))
    weights(text)
    patterns(text)
    count(text.encode())
    names(text.encode() * 8, "a.py", parse=False)

    assert process_time() - began < 2


def test_kinds_of_files() -> None:
    order = ["pkg/core.py", "pkg/core.pyi", "pkg/core_test.go", "README.md"]

    assert sorted(order, key=likelihood, reverse=True) == order
    assert likelihood("src/latest.py") == 1.0


def test_a_name_of_more_than_one_line_is_none() -> None:
    assert names(b"typedef int (\n*f)(\nint);\nint main() {}", "a.c", parse=True) == ("main",)


def test_the_names_a_goal_asks_for_come_first_in_a_description() -> None:
    source = b"class Box:\n    def size(self): pass\n\ndef parse_header(): pass\n"

    for parse in (True, False):
        defined = names(source, "a.py", parse=parse)
        assert defined == ("Box", "size", "parse_header")
        assert described("a.py", defined, weights(GOAL), 20) == "a.py: parse_header, Box, s"
    assert described("a.py", (), {}, 20) == "a.py"
