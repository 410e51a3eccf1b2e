"""How often one user may ask, decided in memory before anything is asked of the database: a bucket of tokens for
each user, which fills steadily and has room for a third of a minute's worth. What passes the database counts exactly.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from server.errors import TooManyAtOnce

MOST_USERS = 10_000
"""Whose buckets are kept: a full one says nothing, so the oldest may go."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Admission:
    """`per_minute` None lets everything through. `monotonic` is the clock's."""

    def __init__(self, *, per_minute: int | None, what: str, monotonic: Callable[[], float]) -> None:
        self._rate = None if per_minute is None else per_minute / 60
        self._size = max((per_minute or 0) / 3, 1.0)
        self._what = what
        self._monotonic = monotonic
        self._buckets: dict[str, _Bucket] = {}

    def admit(self, user_id: str) -> None:
        """Take a token of the user's. Raises TooManyAtOnce, which says when there is one again."""
        if self._rate is None:
            return
        now = self._monotonic()
        bucket = self._buckets.pop(user_id, None) or _Bucket(self._size, now)
        bucket.tokens = min(self._size, bucket.tokens + (now - bucket.at) * self._rate)
        bucket.at = now
        self._buckets[user_id] = bucket  # the newest last
        if len(self._buckets) > MOST_USERS:
            del self._buckets[next(iter(self._buckets))]
        if bucket.tokens < 1:
            wait = max(math.ceil((1 - bucket.tokens) / self._rate), 1)
            raise TooManyAtOnce(f"You send {self._what} faster than this server takes them.", retry_after_s=wait)
        bucket.tokens -= 1
