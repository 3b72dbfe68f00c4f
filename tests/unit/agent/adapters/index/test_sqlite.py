"""What was learnt of blobs comes back as it was, and a file that cannot be used is an empty memory."""

import sqlite3
from pathlib import Path

import pytest

from agent.adapters.index.sqlite import SqliteMemory
from agent.index.lexical import NOTHING, count
from agent.ports import Counted

ONE, TWO = count(b"colon header header"), count(b"colon stripe")


def test_known_blobs_come_back_with_the_words_asked_for(tmp_path: Path) -> None:
    SqliteMemory(tmp_path / "a" / "index").keep({"1": ONE, "2": TWO, "3": NOTHING})
    memory = SqliteMemory(tmp_path / "a" / "index")
    memory.keep({"4": ONE})

    assert memory.counted(["1", "2", "3", "4", "5"], ["header", "stripe", "none"]) == {
        "1": Counted(size=3, counts={"header": 2}),
        "2": Counted(size=2, counts={"stripe": 1}),
        "3": NOTHING,
        "4": Counted(size=3, counts={"header": 2}),
    }


def test_a_blob_kept_twice_is_counted_once(tmp_path: Path) -> None:
    memory = SqliteMemory(tmp_path / "index")
    memory.keep({"1": ONE})
    memory.keep({"1": ONE})

    assert memory.counted(["1"], ["header"]) == {"1": ONE.only(["header"])}


@pytest.mark.parametrize("damage", [b"no database, but as long as the head of one" * 40, b"SQLite format 3\0" * 300])
def test_a_damaged_file_is_an_empty_memory_and_works_again(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "index"
    path.write_bytes(damage)
    memory = SqliteMemory(path)

    assert memory.counted(["1"], ["header"]) == {}
    memory.keep({"1": ONE})
    assert memory.counted(["1"], ["header"]) == {"1": ONE.only(["header"])}


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


@pytest.mark.parametrize("held", [b"0", 5, None, "text"])
def test_counts_we_did_not_write_are_damage(tmp_path: Path, held: object) -> None:
    path = tmp_path / "index"
    memory = SqliteMemory(path)
    memory.keep({"1": ONE})
    with sqlite3.connect(path) as base:
        base.execute("UPDATE word SET pairs = ?", (held,))
    base.close()

    assert memory.counted(["1"], ["header"]) == {}
    assert not path.exists()


def test_a_file_of_another_version_is_an_empty_memory(tmp_path: Path) -> None:
    path = tmp_path / "index"
    memory = SqliteMemory(path)
    memory.keep({"1": ONE})
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA user_version = 99")
    base.close()

    assert memory.counted(["1"], ["header"]) == {}


def test_it_forgets_everything_rather_than_grow_beyond_its_bound(tmp_path: Path) -> None:
    memory = SqliteMemory(tmp_path / "index", most=10)
    memory.keep({"1": ONE})
    memory.keep({"2": TWO})

    assert memory.counted(["1", "2"], []).keys() == {"2"}
    memory.keep_names({("1", ""): ("a",)})
    assert memory.counted(["2"], []) == {}


def test_a_file_another_process_writes_to_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "index"
    memory = SqliteMemory(path)
    memory.keep({"1": ONE})
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    memory.keep({"2": TWO})
    assert memory.counted(["1"], ["header"]) == {}
    other.execute("COMMIT")
    other.close()

    assert memory.counted(["1", "2"], []).keys() == {"1"}


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "index").symlink_to(tmp_path / "elsewhere")

    SqliteMemory(tmp_path / "index").keep({"1": ONE})

    assert not (tmp_path / "elsewhere").exists()
