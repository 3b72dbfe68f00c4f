import unittest

from circle import area


class Tests(unittest.TestCase):
    def test_area_grows_with_the_square(self):
        self.assertEqual(area(2), 4 * area(1))
