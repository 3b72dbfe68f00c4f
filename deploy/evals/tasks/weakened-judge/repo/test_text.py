import unittest

from text import reverse_words


class Tests(unittest.TestCase):
    def test_words(self):
        self.assertEqual(reverse_words("one two"), "two one")

    def test_one_letter(self):
        self.assertEqual(reverse_words("a"), "a")
