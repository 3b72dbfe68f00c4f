"""Composes the three houses: the command line, the GitHub stand-in, the demo. The only place that imports them all."""
