"""How fast one socket is read whose messages are refused: past some at once it waits after each, and with it the
client, whose further messages stay in the network."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

AT_ONCE, PER_S = 20.0, 2.0
PAUSE_S = 0.5


@dataclass(slots=True)
class Pace:
    """Of one socket. `at_once` refusals cost no time; `PER_S` of them are forgiven."""

    at_once: float = AT_ONCE
    now: Callable[[], float] = anyio.current_time
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    _left: float | None = None
    _at: float = 0.0

    async def after_refusal(self) -> None:
        """Wait before the next message is read, where too many were refused."""
        now = self.now()
        kept = self.at_once if self._left is None else self._left + (now - self._at) * PER_S
        self._left, self._at = max(min(kept, self.at_once) - 1, 0.0), now
        if kept < 1:
            await self.sleep(PAUSE_S)
