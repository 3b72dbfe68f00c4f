"""Words are split as programmers join them, and rare words weigh more."""

from hypothesis import given
from hypothesis import strategies as st

from agent.index.rank import bm25, each_words, words


def test_names_are_split_at_case_underscore_and_digits() -> None:
    assert words("parseHTTPHeader_v2 of a.b") == ("parse", "http", "header", "v", "2", "of", "a", "b")


@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=20), max_size=4))
def test_many_texts_are_split_as_each_of_them(texts: list[str]) -> None:
    assert list(each_words(texts)) == [list(words(text)) for text in texts]


def test_a_rare_word_beats_a_common_one() -> None:
    scores = bm25(words("merge the intervals"), {"a": "the list of the day", "b": "merge intervals", "c": "the rest"})

    assert max(scores, key=lambda key: scores[key]) == "b"


def test_nothing_in_common_scores_nothing() -> None:
    assert bm25(words("zebra"), {"a": "horse", "b": ""}) == {"a": 0.0, "b": 0.0}
    assert bm25(words("zebra"), {}) == {}
