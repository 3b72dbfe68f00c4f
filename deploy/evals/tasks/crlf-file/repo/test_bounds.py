import unittest

from bounds import clamp


class Tests(unittest.TestCase):
    def test_above(self):
        self.assertEqual(clamp(12, 0, 10), 10)

    def test_below_and_between(self):
        self.assertEqual((clamp(-1, 0, 10), clamp(5, 0, 10)), (0, 5))
