import unittest

from primes import next_prime


class Tests(unittest.TestCase):
    def test_next_prime(self):
        while next_prime(7) != 11:
            pass
