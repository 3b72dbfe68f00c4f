"""Environments on disk: made once, counted only when finished, the longest unused removed, the used ones never."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from worker.environment import EnvironmentStore


def writing(size: int, text: str = "x") -> Callable[[Path], int]:
    def make(folder: Path) -> int:
        assert list(folder.iterdir()) == []
        (folder / "file").write_text(text)
        return size

    return make


def never(folder: Path) -> int:
    raise AssertionError("made twice")


def names(room: Path) -> set[str]:
    return {path.name for path in room.iterdir() if path.is_dir()}


def test_made_once_at_a_fixed_place(tmp_path: Path) -> None:
    store = EnvironmentStore(tmp_path / "room")
    assert store.get("a", writing(1)) == store.folder("a") == tmp_path / "room/a"
    assert store.get("a", never) == tmp_path / "room/a"
    other = EnvironmentStore(tmp_path / "room")
    assert (other.get("a", never) / "file").read_text() == "x"
    store.release()
    other.release()


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    store = EnvironmentStore(tmp_path)

    def failing(folder: Path) -> int:
        (folder / "half").mkdir()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        store.get("a", failing)
    assert list(tmp_path.iterdir()) == []
    store.get("a", writing(1))
    store.release()


def test_what_a_killed_set_up_left_is_made_anew_or_swept(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "half").write_text("")
    store = EnvironmentStore(tmp_path)
    store.get("a", writing(1))
    store.release()
    assert names(tmp_path) == {"a"}


def test_the_longest_unused_go_first_and_those_in_use_stay(tmp_path: Path) -> None:
    store, busy = EnvironmentStore(tmp_path, budget=25), EnvironmentStore(tmp_path, budget=25)
    for number, name in enumerate("abc"):
        (store if name != "a" else busy).get(name, writing(10))
        os.utime(tmp_path / f"{name}.ready", (number, number))
    store.get("d", writing(10))
    assert names(tmp_path) == {"a", "d"}  # a is the oldest, but held
    busy.release()
    store.get("e", writing(10))
    assert names(tmp_path) == {"d", "e"}
    store.release()
    assert {path.suffix for path in tmp_path.iterdir() if path.is_file()} == {".ready", ".lock"}


def test_one_that_is_used_by_others_can_be_had_at_once(tmp_path: Path) -> None:
    first, second = EnvironmentStore(tmp_path), EnvironmentStore(tmp_path)
    first.get("a", writing(1))
    assert second.get("a", never) == tmp_path / "a"
    first.release()
    second.release()


def test_others_wait_for_the_one_who_makes_it(tmp_path: Path) -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(folder: Path) -> int:
        begun.set()
        assert go.wait(10)
        return 1

    def first() -> None:
        store = EnvironmentStore(tmp_path)
        store.get("a", slow)
        store.release()

    got: list[Path] = []

    def second() -> None:
        store = EnvironmentStore(tmp_path)
        got.append(store.get("a", never))
        store.release()

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    assert begun.wait(10)
    threads[1].start()
    assert got == []
    go.set()
    for thread in threads:
        thread.join(10)
    assert got == [tmp_path / "a"]
