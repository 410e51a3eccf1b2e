"""Chunks of a chat/completions stream as the JSON they are."""

from collections.abc import AsyncIterator
from typing import Any

from openai import AsyncOpenAI, AsyncStream

FIRST_BYTES = 2_000
"""Of an answer, kept to name it by where it is no stream."""


class NotAStream(ValueError):
    """The endpoint answered 200 with something in which there is no event; its text is the first line of that."""


class _FirstKept:
    """A decoder of server-sent events that keeps the first bytes which it decoded."""

    def __init__(self, decoder: Any) -> None:
        self.first = b""
        self._decoder = decoder

    async def aiter_bytes(self, parts: AsyncIterator[bytes]) -> AsyncIterator[Any]:
        async for event in self._decoder.aiter_bytes(self._kept(parts)):
            yield event

    async def _kept(self, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for part in parts:
            if len(self.first) < FIRST_BYTES:
                self.first = (self.first + part)[:FIRST_BYTES]
            yield part


class EventStream(AsyncStream[object]):
    """Raises NotAStream at the end of an answer that held no event and is none: HTML of a sign-in page, or the JSON of
    a server that does not know `stream`."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self._decoder: Any = _FirstKept(self._decoder)

    async def __stream__(self) -> AsyncIterator[object]:
        came = False
        try:
            async for event in super().__stream__():
                came = True
                yield event
        except UnicodeDecodeError:
            if came:
                raise
        first = self._decoder.first.strip()
        is_event_stream = self.response.headers.get("content-type", "").startswith("text/event-stream")
        if not came and not (is_event_stream and (not first or first.startswith((b"data:", b"event:", b":")))):
            raise NotAStream(first.decode("utf-8", "replace").partition("\n")[0].strip())


class PlainCompletions:
    """In the place of `client.chat.completions`. The SDK builds a checked object of every chunk, of which LangChain
    makes a dict again: about half of what a token costs. What is not a stream goes the usual way."""

    def __init__(self, client: AsyncOpenAI) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client.chat.completions, name)

    async def create(self, **payload: Any) -> Any:
        """A stream of dicts; raises what the SDK raises."""
        if not payload.get("stream"):
            return await self._client.chat.completions.create(**payload)
        return await self._client.post(
            "/chat/completions", body=payload, cast_to=object, stream=True, stream_cls=EventStream
        )
