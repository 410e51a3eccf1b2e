"""Which files the cache keeps; by itself, so that a command looks at a small file without loading the cache."""

SMALLEST_KEPT_BYTES = 1 << 20
"""A smaller file is read about as fast as it is found."""
