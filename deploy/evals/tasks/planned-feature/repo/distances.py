"""Knows distances."""

UNITS = {"m": 1}
