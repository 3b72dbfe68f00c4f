import unittest

from slugs import slug


class Tests(unittest.TestCase):
    def test_spaces_become_dashes(self):
        self.assertEqual(slug("Hello  World"), "hello-world")
