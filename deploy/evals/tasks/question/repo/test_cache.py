from cache import fresh


def test_fresh():
    assert fresh({"at": 0}, 3599)
    assert not fresh({"at": 0}, 3600)
