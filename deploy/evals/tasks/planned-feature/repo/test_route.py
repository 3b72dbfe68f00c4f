import unittest

import distances
from route import length


class Tests(unittest.TestCase):
    def test_parse(self):
        self.assertEqual(distances.parse("3 km"), 3000)
        self.assertEqual(distances.parse("20 m"), 20)

    def test_numbers(self):
        self.assertEqual(length([1, 2]), 3)

    def test_texts(self):
        self.assertEqual(length(["1 km", 500]), 1500)
