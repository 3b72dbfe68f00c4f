"""Keeps on disk what the index learnt of blobs. Never reads a repository."""
