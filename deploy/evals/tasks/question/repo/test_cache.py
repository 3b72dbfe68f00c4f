import unittest

from cache import fresh


class Tests(unittest.TestCase):
    def test_fresh(self):
        self.assertTrue(fresh({"at": 0}, 3599))
        self.assertFalse(fresh({"at": 0}, 3600))
