"""What was learnt of blobs comes back as it was, and a file that cannot be used is an empty memory."""

import sqlite3
from pathlib import Path

import pytest

from agent.adapters.index.sqlite import SqliteMemory
from agent.index.tally import Counting
from agent.ports import Tally

ONE, TWO = b"colon header header", b"colon stripe"


def tally(**texts: bytes) -> Tally:
    counting = Counting()
    for blob, text in texts.items():
        counting.add(blob, text)
    return counting.tally()


def known(memory: SqliteMemory, blobs: str, query: str) -> dict[str, tuple[int, dict[str, int]]]:
    """Blob -> words altogether, and how often it has each word of the query; letters are blobs."""
    found = {}
    for one in memory.tallies(blobs, query.split()):
        assert set(one.places) <= set(query.split())
        for place, (blob, size) in enumerate(zip(one.blobs, one.sizes, strict=True)):
            counts = {word: list(places).count(place) for word, places in one.places.items() if place in places}
            assert found.setdefault(blob, (size, counts)) == (size, counts)
    return found


def test_known_blobs_come_back_with_the_words_asked_for(tmp_path: Path) -> None:
    SqliteMemory(tmp_path / "a" / "index").keep(tally(a=ONE, b=TWO, c=b""))
    memory = SqliteMemory(tmp_path / "a" / "index")
    memory.keep(tally(d=ONE))

    assert known(memory, "abcde", "header stripe none") == {
        "a": (3, {"header": 2}),
        "b": (2, {"stripe": 1}),
        "c": (0, {}),
        "d": (3, {"header": 2}),
    }
    assert known(memory, "de", "header").keys() == {"d"}
    assert known(memory, "e", "header") == {}


def test_a_blob_kept_twice_is_known(tmp_path: Path) -> None:
    memory = SqliteMemory(tmp_path / "index")
    memory.keep(tally(a=ONE))
    memory.keep(tally(a=ONE))

    assert known(memory, "a", "header") == {"a": (3, {"header": 2})}


def test_more_texts_than_two_bytes_number_come_back(tmp_path: Path) -> None:
    many = 70_000
    blobs = [str(number) for number in range(many)]
    memory = SqliteMemory(tmp_path / "index")
    memory.keep(Tally(blobs=blobs, sizes=[3] * many, places={"last": [0, many - 1], "next": [1]}))

    (found,) = memory.tallies(["1"], ["last"])
    assert found.blobs == blobs
    assert {word: list(places) for word, places in found.places.items()} == {"last": [0, many - 1]}


def test_words_of_one_row_are_told_apart(tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(2000)]
    memory = SqliteMemory(tmp_path / "index")
    memory.keep(tally(a=" ".join(words).encode(), b=b"w7 w7 w1999"))

    (found,) = memory.tallies(["a"], [*words, "w2000"])
    assert {word: list(places) for word, places in found.places.items() if len(places) > 1} == {
        "w7": [0, 1, 1],
        "w1999": [0, 1],
    }
    assert list(found.places) == words


@pytest.mark.parametrize("damage", [b"no database, but as long as the head of one" * 40, b"SQLite format 3\0" * 300])
def test_a_damaged_file_is_an_empty_memory_and_works_again(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "index"
    path.write_bytes(damage)
    memory = SqliteMemory(path)

    assert known(memory, "a", "header") == {}
    memory.keep(tally(a=ONE))
    assert known(memory, "a", "header") == {"a": (3, {"header": 2})}


def test_names_come_back_by_blob_and_by_how_they_were_looked_for(tmp_path: Path) -> None:
    SqliteMemory(tmp_path / "index").keep_names({("1", "python"): ("Box", "größe"), ("1", ""): (), ("2", "go"): ("a",)})
    memory = SqliteMemory(tmp_path / "index")

    assert memory.named([("1", "python"), ("1", ""), ("1", "go"), ("3", "go")]) == {
        ("1", "python"): ("Box", "größe"),
        ("1", ""): (),
    }


def test_names_in_a_damaged_file_are_none_and_can_be_kept_again(tmp_path: Path) -> None:
    path, names = tmp_path / "index", {("1", "go"): ("a", "b")}
    path.write_bytes(b"no database, but as long as the head of one" * 40)
    memory = SqliteMemory(path)

    assert memory.named(names) == {}
    memory.keep_names(names)
    assert memory.named(names) == names


def test_names_that_are_no_text_are_damage(tmp_path: Path) -> None:
    path, names = tmp_path / "index", {("1", "go"): ("a", "b")}
    memory = SqliteMemory(path)
    memory.keep_names(names)
    with sqlite3.connect(path) as base:
        base.execute("UPDATE name SET names = x'ff'")
    base.close()

    assert memory.named(names) == {}
    assert not path.exists()


@pytest.mark.parametrize("column", ["batch.blobs", "batch.sizes", "word.words", "word.ends", "word.places"])
@pytest.mark.parametrize("held", [b"\xff\xff\xff\xff", 5, None, "text"])
def test_what_we_did_not_write_is_damage(tmp_path: Path, column: str, held: object) -> None:
    path, (table, name) = tmp_path / "index", column.split(".")
    memory = SqliteMemory(path)
    memory.keep(tally(a=ONE, b=TWO))
    with sqlite3.connect(path) as base:
        base.execute(f"UPDATE {table} SET {name} = ?", (held,))  # noqa: S608 - names of this test
    base.close()

    assert memory.tallies("a", ["header"]) == ()
    assert not path.exists()


def test_a_file_of_another_version_is_an_empty_memory(tmp_path: Path) -> None:
    path = tmp_path / "index"
    memory = SqliteMemory(path)
    memory.keep(tally(a=ONE))
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA user_version = 99")
    base.close()

    assert known(memory, "a", "header") == {}


def test_it_forgets_everything_rather_than_grow_beyond_its_bound(tmp_path: Path) -> None:
    memory = SqliteMemory(tmp_path / "index", most=10)
    memory.keep(tally(a=ONE))
    memory.keep(tally(b=TWO))

    assert known(memory, "ab", "").keys() == {"b"}
    memory.keep_names({("1", ""): ("a",)})
    assert known(memory, "b", "") == {}


def test_a_file_another_process_writes_to_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "index"
    memory = SqliteMemory(path)
    memory.keep(tally(a=ONE))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    memory.keep(tally(b=TWO))
    assert known(memory, "a", "header") == {}
    other.execute("COMMIT")
    other.close()

    assert known(memory, "ab", "").keys() == {"a"}


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "index").symlink_to(tmp_path / "elsewhere")

    SqliteMemory(tmp_path / "index").keep(tally(a=ONE))

    assert not (tmp_path / "elsewhere").exists()
