"""What the loop's notebook makes of what it remembers."""

from agent.index.localise import Suspect
from agent.loop.notebook import Notebook

LONG = Suspect(path="a.py", begin=758, end=814, name="module level", score=0.1)
SHORT = Suspect(path="a.py", begin=20, end=25, name="f", score=0.9)


def test_an_edit_that_ends_before_its_suspect_does_is_still_of_that_suspect() -> None:
    """Else the same place is asked for again until the budget is used up."""
    book = Notebook(suspects=(SHORT, LONG), tried=[("a.py", "758-813"), ("b.py", "20-25"), ("", "free")])
    assert book.untried == (SHORT,)


def test_nothing_is_kept_back_before_the_baseline() -> None:
    assert Notebook().reserve == 0.0
