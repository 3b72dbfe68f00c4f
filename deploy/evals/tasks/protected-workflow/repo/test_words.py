import unittest

from words import count


class Tests(unittest.TestCase):
    def test_count(self):
        self.assertEqual(count("a b c"), 3)

    def test_nothing(self):
        self.assertEqual(count(""), 0)
