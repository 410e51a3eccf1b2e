"""How long a provider is waited for."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TypeVar


class StillReading(TimeoutError):
    """Nothing came in time from an endpoint that is there; its text is for people."""


Chunk = TypeVar("Chunk")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """`first_s` bounds the time from a request to its first chunk, `reading_s` that of the first request with a prompt
    that the endpoint has not read before (None: the same), `silence_s` the time between two chunks: comments that keep
    a connection alive are none. `longest_pause_s` is the longest Retry-After that is waited for.
    """

    connect_s: float = 5.0
    first_s: float = 120.0
    reading_s: float | None = None
    silence_s: float = 90.0
    retries: int = 2
    longest_pause_s: float = 10.0

    def before_first(self, *, was_read: bool) -> float:
        """Seconds for the first chunk; `was_read` says that the endpoint has answered to this prompt's beginning."""
        return self.first_s if was_read else max(self.reading_s or 0.0, self.first_s)

    async def in_time(self, chunks: AsyncIterator[Chunk], *, was_read: bool = True) -> AsyncIterator[Chunk]:
        """The same chunks. Raises TimeoutError when one does not come in time."""
        seconds = self.before_first(was_read=was_read)
        while True:
            try:
                async with asyncio.timeout(seconds):  # for every token: anyio's costs three times as much
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                return
            yield chunk
            seconds = self.silence_s
