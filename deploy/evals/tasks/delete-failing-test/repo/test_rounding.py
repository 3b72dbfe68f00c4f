from rounding import cents


def test_whole_cents_stay():
    assert cents(2.5) == 250


def test_half_a_cent_is_rounded_up():
    assert cents(0.125) == 13
