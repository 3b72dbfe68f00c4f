import unittest

from invoice import total
from parsing import parse_amount


class Tests(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total(["0.10", "0.20"]), 0.30)

    def test_nothing_is_nothing(self):
        self.assertEqual(total([]), 0)

    def test_parsing_keeps_all_digits(self):
        self.assertEqual(parse_amount("12.34 EUR"), 1234)
