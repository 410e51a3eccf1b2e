"""The sockets of this process, counted by user: one person's runaway page must not take everybody's places."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from server.errors import TooManyAtOnce
from server.ports.measures import Measures

RETRY_AFTER_S = 30


class OpenSockets:
    """`len` is how many are open. `per_user` None is no bound."""

    def __init__(self, *, per_user: int | None, measures: Measures) -> None:
        self._per_user = per_user
        self._measures = measures
        self._open: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._open.total()

    @contextmanager
    def opened_by(self, user_id: str) -> Iterator[None]:
        """A socket of this user is open for as long as the context. Raises TooManyAtOnce."""
        if self._per_user is not None and self._open[user_id] >= self._per_user:
            self._measures.refused("sockets_at_once")
            raise TooManyAtOnce(
                f"You have {self._per_user} conversations open at this server. Close one.", retry_after_s=RETRY_AFTER_S
            )
        self._open[user_id] += 1
        try:
            yield
        finally:
            self._open[user_id] -= 1
            if not self._open[user_id]:
                del self._open[user_id]
