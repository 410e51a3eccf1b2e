"""Trees of calls as files write them, walked so that what a function did itself comes after what it called."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from traces.model import NONE
from traces.stacks import StackTable

Node = TypeVar("Node")


def callees_first(
    roots: Sequence[Node], children: Callable[[Node], Sequence[Node]], frame: Callable[[Node], int], stacks: StackTable
) -> Iterator[tuple[Node, int]]:
    """Each node with its leaf in `stacks`, callees before their caller. Depth costs no recursion."""
    pending = [(root, NONE, False) for root in reversed(roots)]
    while pending:
        node, at, done = pending.pop()
        if done:
            yield node, at
            continue
        leaf = stacks.child(at, frame(node))
        pending.append((node, leaf, True))
        pending.extend((child, leaf, False) for child in reversed(children(node)))
