"""The listing ranks every tracked file once, then looks again only at what changed."""

from pathlib import Path

from agent.adapters.workspace.directory import DirectoryWorkspace
from agent.domain.action import Observation
from agent.index.localise import Suspect
from agent.loop.listing import Listing
from agent.loop.notebook import Notebook
from agent.ports import Tally, Way

GOAL = "`parse_header` loses a quoted colon"
FILES = {
    "CHANGES.md": "parse header quoted colon\n" * 9,
    "src/reader.py": "def parse_header(line):\n    quoted = colon = line\n",
    "src/writer.py": "def write_header(line):\n    return line\n",
    "src/zebra.py": "def stripes():\n    return 3\n",
    "tests/test_reader.py": "def test_parse_header():\n    quoted, colon = 1, 2\n",
}


class Reads(DirectoryWorkspace):
    """A workspace that counts what is asked of it."""

    read_paths: list[str]
    listed = 0

    def read(self, path: str) -> bytes:
        self.read_paths.append(path)
        return super().read(path)

    def entries(self):  # type: ignore[no-untyped-def]
        self.listed += 1
        return super().entries()


def tree(root: Path, files: dict[str, str]) -> Reads:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    workspace = Reads(root)
    workspace.read_paths = []
    return workspace


def test_the_source_the_goal_is_about_comes_first(tmp_path: Path) -> None:
    listing = Listing(tree(tmp_path, FILES), GOAL, Notebook())

    assert listing.ranked()[0] == "src/reader.py"
    assert set(listing.ranked()) == set(FILES)
    assert listing.to_edit()["src/reader.py"] == "src/reader.py: parse_header"


def test_a_second_look_reads_and_lists_nothing(tmp_path: Path) -> None:
    workspace = tree(tmp_path, FILES)
    listing = Listing(workspace, GOAL, Notebook())
    listing.to_edit()
    workspace.read_paths.clear()

    listing.to_read()

    assert workspace.read_paths == []
    assert workspace.listed == 1


def test_only_what_changed_is_looked_at_again(tmp_path: Path) -> None:
    workspace = tree(tmp_path, FILES)
    listing = Listing(workspace, GOAL, Notebook())
    listing.to_edit()
    start = workspace.checkpoint()
    workspace.read_paths.clear()

    workspace.write("src/zebra.py", b"def parse_header(quoted, colon): pass\n" * 9)
    workspace.write("src/new.py", b"def fresh(): pass\n")
    workspace.delete("src/writer.py")
    workspace.read_paths.clear()

    assert set(listing.ranked()[:2]) == {"src/reader.py", "src/zebra.py"}
    assert listing.exists("src/new.py")
    assert not listing.exists("src/writer.py")
    assert listing.to_edit()["src/new.py"] == "src/new.py: fresh"
    assert set(workspace.read_paths) == {"src/zebra.py", "src/new.py"}

    workspace.restore(start)

    assert set(listing.paths()) == set(FILES)
    assert listing.ranked() == Listing(workspace, GOAL, Notebook()).ranked()


def test_suspects_and_search_hits_lift_their_files(tmp_path: Path) -> None:
    book = Notebook()
    listing = Listing(tree(tmp_path, FILES), GOAL, book)
    listing.ranked()

    book.hits.append(Observation(label="search x", text="src/writer.py:1:def write_header(line):\nno/such.py:1:x"))
    assert listing.ranked()[:2] == ("src/reader.py", "src/writer.py")

    book.suspects = (Suspect(path="src/zebra.py", begin=1, end=2, name="stripes", score=0.5),)
    assert listing.ranked()[0] == "src/zebra.py"


def test_a_file_the_goal_names_is_lifted(tmp_path: Path) -> None:
    listing = Listing(tree(tmp_path, FILES), "look at src/zebra.py, please", Notebook())

    assert listing.ranked()[0] == "src/zebra.py"


def test_the_list_is_cut_after_ranking(tmp_path: Path) -> None:
    files = {f"a{number}.py": "" for number in range(300)} | {"z/reader.py": FILES["src/reader.py"]}
    listing = Listing(tree(tmp_path, files), GOAL, Notebook())

    assert listing.ranked()[0] == "z/reader.py"
    assert len(listing.ranked()) == len(listing.to_edit()) == 254


class Memory:
    """Remembers what it is given."""

    def __init__(self) -> None:
        self.kept: list[Tally] = []
        self.names: dict[Way, tuple[str, ...]] = {}

    def tallies(self, blobs, query):  # type: ignore[no-untyped-def]
        return self.kept

    def keep(self, tally):  # type: ignore[no-untyped-def]
        self.kept.append(tally)

    def named(self, ways):  # type: ignore[no-untyped-def]
        return {way: self.names[way] for way in ways if way in self.names}

    def keep_names(self, names):  # type: ignore[no-untyped-def]
        self.names.update(names)


def test_what_is_remembered_is_not_read_and_ranked_and_described_the_same(tmp_path: Path) -> None:
    workspace, memory = tree(tmp_path, FILES), Memory()
    cold = Listing(workspace, GOAL, Notebook(), memory).to_edit()
    workspace.read_paths.clear()

    warm = Listing(workspace, GOAL, Notebook(), memory).to_edit()
    assert list(warm.items()) == list(cold.items())
    assert workspace.read_paths == []
    assert list(Listing(workspace, GOAL, Notebook()).to_edit().items()) == list(cold.items())


def test_names_of_what_the_run_changed_are_not_remembered(tmp_path: Path) -> None:
    workspace, memory = tree(tmp_path, FILES), Memory()
    listing = Listing(workspace, GOAL, Notebook(), memory)
    listing.to_edit()
    kept = dict(memory.names)

    workspace.write("src/zebra.py", b"def fresh(): pass\n")

    assert listing.to_edit()["src/zebra.py"] == "src/zebra.py: fresh"
    assert memory.names == kept
