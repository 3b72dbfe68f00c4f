"""`bendcoder delegate`: the same loop on a local clean checkout, without a forge."""
