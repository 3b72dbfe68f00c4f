import unittest

from reading import Reading
from report import report


class Tests(unittest.TestCase):
    def test_unit(self):
        self.assertEqual(Reading(20).unit, "C")

    def test_report_converts(self):
        self.assertEqual(report(Reading(20)), "68 F")

    def test_degrees(self):
        self.assertEqual(Reading(3).degrees, 3)
