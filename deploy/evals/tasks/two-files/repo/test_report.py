from reading import Reading
from report import report


def test_unit():
    assert Reading(20).unit == "C"


def test_report_converts():
    assert report(Reading(20)) == "68 F"


def test_degrees():
    assert Reading(3).degrees == 3
