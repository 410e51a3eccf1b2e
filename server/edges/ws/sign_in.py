"""How long a socket knows its user: while their token is valid, and a moment more in which they may send a new one."""

from datetime import UTC, datetime

import anyio

from server.ports.identity import Caller


class SignIn:
    """`renew` it with each token that was accepted; `ended` returns when the last one has been over for the grace."""

    def __init__(self, caller: Caller, *, grace_s: float) -> None:
        self._grace_s = grace_s
        self._known_until = caller.known_until
        self._renewed = anyio.Event()

    def renew(self, caller: Caller) -> None:
        self._known_until = caller.known_until
        renewed, self._renewed = self._renewed, anyio.Event()
        renewed.set()

    async def ended(self) -> None:
        """Never returns for a token without an end."""
        while True:
            renewed = self._renewed
            with anyio.move_on_after(self._left_s()) as waiting:
                await renewed.wait()
            if waiting.cancelled_caught and self._left_s() <= 0:
                return

    def _left_s(self) -> float:
        if self._known_until is None:
            return float("inf")
        return (self._known_until - datetime.now(UTC)).total_seconds() + self._grace_s
