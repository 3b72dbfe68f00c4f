import unittest

from export import export, names


class Tests(unittest.TestCase):
    def test_names(self):
        self.assertEqual(names(), ["csv", "text"])

    def test_export(self):
        self.assertEqual(export([["a", "b"]], "csv"), "a,b")

    def test_unknown(self):
        with self.assertRaises(KeyError):
            export([], "pdf")
