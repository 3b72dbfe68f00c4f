from circle import area


def test_area_grows_with_the_square():
    assert area(2) == 4 * area(1)
