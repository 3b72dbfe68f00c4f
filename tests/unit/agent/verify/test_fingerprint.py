import os

import pytest

from agent.verify.fingerprint import compare, stamps


@pytest.fixture
def tree(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("x")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_text("x = 1\n")
    (tmp_path / "b.py").write_text("x = 1\n")
    (tmp_path / "link").symlink_to("b.py")
    return tmp_path


def look(tree, act):
    before = stamps(tree)
    act()
    return compare(before, stamps(tree))


def test_nothing_done_is_nothing_seen(tree):
    found = look(tree, lambda: (tree / "b.py").read_text())
    assert (found.rewritten, found.planted, found.complete) == ((), (), True)


def test_git_is_not_looked_at(tree):
    assert sorted(stamps(tree)) == ["b.py", "link", "pkg/a.py"]


def test_a_rewritten_a_removed_and_a_relinked_file(tree):
    def act():
        (tree / "b.py").write_text("x = 2\n")
        (tree / "pkg" / "a.py").unlink()
        (tree / "link").unlink()
        (tree / "link").symlink_to("pkg")

    assert look(tree, act).rewritten == ("b.py", "link", "pkg/a.py")


def test_old_bytes_put_back_with_their_old_time_are_seen(tree):
    def act():
        file = tree / "b.py"
        old = file.stat()
        text = file.read_text()
        file.write_text("x = 2\n")
        file.write_text(text)
        os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))

    assert look(tree, act).rewritten == ("b.py",)


def test_a_folder_replaced_by_a_link_is_not_followed(tree, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "a.py").write_text("x = 1\n")

    def act():
        (tree / "pkg").rename(tree / "moved")
        (tree / "pkg").symlink_to(elsewhere)

    found = look(tree, act)
    assert found.rewritten == ("pkg/a.py",)
    assert found.planted == ("moved/a.py",)


def test_code_left_behind_counts_and_data_and_caches_do_not(tree):
    def act():
        for name in ("new.py", "x.pth", "lib.so", "pkg/conftest.py", "out.txt", "__pycache__/a.pyc", ".coverage"):
            (tree / name).parent.mkdir(exist_ok=True)
            (tree / name).write_text("")

    assert look(tree, act).planted == ("lib.so", "new.py", "pkg/conftest.py", "x.pth")


def test_special_files_are_seen_and_never_opened(tree):
    os.mkfifo(tree / "pipe.py")
    assert "pipe.py" in stamps(tree)
