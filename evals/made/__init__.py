"""Traces that no program recorded: made the same way every time, for traps and for shapes that are hard to record."""

from collections.abc import Callable

Made = tuple[str, bytes]
"""A file's name and its bytes."""


def made(name: str) -> Made:
    """The file that a generator makes. Raises KeyError for an unknown generator."""
    return MAKERS[name]()


MAKERS: dict[str, Callable[[], Made]] = {}
