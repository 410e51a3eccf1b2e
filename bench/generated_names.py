"""Names and stacks of generated files, as programs have them: many, long, and in common."""

import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

Name = TypeVar("Name", str, int)

WORDS: tuple[str, ...] = (
    "parse",
    "emit",
    "alloc",
    "visit",
    "resolve",
    "lookup",
    "insert",
    "hash",
    "copy",
    "format",
    "render",
    "walk",
)
WORDS += ("tree", "node", "expr", "stmt", "block", "type", "symbol", "scope", "module", "buffer", "stream", "token")


def stacks(rnd: random.Random, names: Sequence[Name]) -> Iterator[list[Name]]:
    """Stacks that go on from the one before, as samples in time do."""
    stack: list[Name] = []
    while True:
        stack = stack[: rnd.randrange(len(stack) + 1)] + [rnd.choice(names) for _ in range(rnd.randrange(1, 5))]
        stack = stack[:40]
        yield stack
