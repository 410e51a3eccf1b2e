"""How long a provider is waited for."""

import asyncio
from collections.abc import AsyncIterator, Callable
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

    async def in_time(
        self,
        chunks: AsyncIterator[Chunk],
        *,
        was_read: bool = True,
        tokens_read: Callable[[Chunk], int | None] = lambda _: None,
    ) -> AsyncIterator[Chunk]:
        """The same chunks. Raises TimeoutError when one does not come in time. `tokens_read` says of a chunk how much
        of the prompt was read, None of one that is part of a reply: who reads on is waited for anew, who does not is
        not.
        """
        seconds, most_read, is_reading = self.before_first(was_read=was_read), -1, True
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while True:
            try:
                async with asyncio.timeout_at(until):  # for every token: anyio's costs three times as much
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                return
            yield chunk
            read = tokens_read(chunk) if is_reading else None
            is_reading = read is not None
            if read is None:
                until = loop.time() + self.silence_s
            elif read > most_read:
                most_read, until = read, loop.time() + seconds
