"""A question whose module imports nothing: a worker imports it when its memory is bounded already."""

import os


def process_of(_: object) -> int:
    """The process that answers."""
    return os.getpid()
