import unittest

from rounding import cents


class Tests(unittest.TestCase):
    def test_whole_cents_stay(self):
        self.assertEqual(cents(2.5), 250)

    def test_half_a_cent_is_rounded_up(self):
        self.assertEqual(cents(0.125), 13)
