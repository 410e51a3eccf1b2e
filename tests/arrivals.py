"""A list that a test can wait on: what test servers record, and how a test waits for it without looking again and
again."""

from collections.abc import Callable
from typing import Self, TypeVar

import anyio

BOUND_S = 60.0
"""For whatever must come: only a bound, however busy the machine is."""

T = TypeVar("T")


class Arrivals(list[T]):
    """Only `append` wakes those who wait."""

    def __init__(self) -> None:
        super().__init__()
        self._grown = anyio.Event()

    def append(self, item: T) -> None:
        super().append(item)
        self._grown.set()
        self._grown = anyio.Event()

    async def until(self, enough: Callable[[Self], object], *, within_s: float = BOUND_S) -> None:
        """Return once `enough` of this list is true. Raises TimeoutError where that does not come about in time."""
        with anyio.fail_after(within_s):
            while not enough(self):
                await self._grown.wait()
