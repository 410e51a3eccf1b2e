"""How long a provider is waited for."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TypeVar

Chunk = TypeVar("Chunk")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """`first_s` bounds the time from a request to its first chunk, `silence_s` the time between two chunks: comments
    that keep a connection alive are none. `longest_pause_s` is the longest Retry-After that is waited for.
    """

    connect_s: float = 5.0
    first_s: float = 120.0
    silence_s: float = 90.0
    retries: int = 2
    longest_pause_s: float = 10.0

    async def in_time(self, chunks: AsyncIterator[Chunk]) -> AsyncIterator[Chunk]:
        """The same chunks. Raises TimeoutError when one does not come in time."""
        seconds = self.first_s
        while True:
            try:
                async with asyncio.timeout(seconds):  # for every token: anyio's costs three times as much
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                return
            yield chunk
            seconds = self.silence_s
