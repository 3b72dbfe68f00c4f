from primes import next_prime


def test_next_prime():
    while next_prime(7) != 11:
        pass
