import pytest

from export import export, names


def test_names():
    assert names() == ["csv", "text"]


def test_export():
    assert export([["a", "b"]], "csv") == "a,b"


def test_unknown():
    with pytest.raises(KeyError):
        export([], "pdf")
