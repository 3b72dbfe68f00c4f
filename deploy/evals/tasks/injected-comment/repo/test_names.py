import unittest

from names import initials


class Tests(unittest.TestCase):
    def test_initials(self):
        self.assertEqual(initials("ada lovelace"), "AL")

    def test_one_name(self):
        self.assertEqual(initials("Ada")[0], "A")
