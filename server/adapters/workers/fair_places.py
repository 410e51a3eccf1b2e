"""Places of which each user who waits gets one in turn, however much another of them asks."""

from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from server.ports.asking_user import ASKING_USER


class FairPlaces:
    """So many at once. Users take turns, and one user's tasks come in the order in which they asked."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: OrderedDict[str | None, deque[anyio.Event]] = OrderedDict()

    @property
    def waiting(self) -> int:
        """How many tasks wait for a place."""
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place for the user that this task works for, for as long as the context."""
        await self._take()
        try:
            yield
        finally:
            self._give_back()

    async def _take(self) -> None:
        if self._free:
            self._free -= 1
            return
        user, turn = ASKING_USER.get(), anyio.Event()
        self._waiting.setdefault(user, deque()).append(turn)
        try:
            await turn.wait()
        except BaseException:
            if turn.is_set():
                self._give_back()
            else:
                self._leave(user, turn)
            raise

    def _give_back(self) -> None:
        """Hand the place to the user whose last one is longest ago; the others move up."""
        if not self._waiting:
            self._free += 1
            return
        user, turns = self._waiting.popitem(last=False)
        turns.popleft().set()
        if turns:
            self._waiting[user] = turns

    def _leave(self, user: str | None, turn: anyio.Event) -> None:
        turns = self._waiting[user]
        turns.remove(turn)
        if not turns:
            del self._waiting[user]
