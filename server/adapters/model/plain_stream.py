"""Chunks of a chat/completions stream as the JSON they are, the text of those that came together in one."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from openai import AsyncOpenAI, AsyncStream

from server.adapters.model.stream_pace import StreamPace

FIRST_BYTES = 2_000
"""Of an answer, kept to name it by where it is no stream."""

CAME_AT_ONCE_S = 0.001
"""What takes longer to come was not there yet, and nothing has come after it."""

MOST_WAITING = 1_000
"""Chunks that wait for whoever reads the stream, the text of which is one; then nothing more is received."""

CANCEL_AGAIN_S = 0.5


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


class _Arrived:
    """Chunks that have come and wait for their reader, pieces of text that follow each other in one."""

    def __init__(self) -> None:
        self.is_over = False
        self._chunks: list[Any] = []
        self._pieces: list[str] = []
        self._size = 0
        self._something = asyncio.Event()
        self._room = asyncio.Event()

    async def add(self, chunk: Any) -> None:
        """Waits where too much waits already."""
        if not is_text(chunk):
            self._join()
            self._chunks.append(chunk)
        elif self._pieces:
            self._pieces.append(_delta(chunk)["content"])
        else:
            self._chunks.append(chunk)
            self._pieces = [_delta(chunk)["content"]]
        self._size += 1
        self._something.set()
        while self._size >= MOST_WAITING:
            self._room.clear()
            await self._room.wait()

    def end(self) -> None:
        """Nothing follows."""
        self.is_over = True
        self._something.set()

    async def taken(self) -> list[Any]:
        """What waits, once there is something; nothing once all is taken and nothing follows."""
        while not self._chunks and not self.is_over:
            self._something.clear()
            await self._something.wait()
        self._join()
        chunks, self._chunks, self._size = self._chunks, [], 0
        self._room.set()
        return chunks

    def _join(self) -> None:
        if len(self._pieces) > 1:
            _delta(self._chunks[-1])["content"] = "".join(self._pieces)
        self._pieces = []


class EventStream(AsyncStream[object]):
    """Raises NotAStream at the end of an answer that held no event and is none: HTML of a sign-in page, or the JSON of
    a server that does not know `stream`. Set `pace` before it is read.
    """

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self.pace = StreamPace()
        self._decoder: Any = _FirstKept(self._decoder)
        self._receiving: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """See `AsyncStream.close`."""
        await self._stop_receiving()
        await super().close()

    async def __stream__(self) -> AsyncIterator[object]:
        """Received by a task of its own, so that what has come meanwhile is read together."""
        arrived, came = _Arrived(), False
        receiving = self._receiving = asyncio.create_task(self._receive(super().__stream__(), arrived))
        with self.pace.one_more():
            try:
                while chunks := await arrived.taken():
                    came = True
                    for chunk in chunks:
                        yield chunk
                    if not arrived.is_over:
                        await asyncio.sleep(self.pace.pause_s)
                await receiving
            except UnicodeDecodeError:
                if came:
                    raise
            finally:
                await self._stop_receiving()
        first = self._decoder.first.strip()
        is_event_stream = self.response.headers.get("content-type", "").startswith("text/event-stream")
        if not came and not (is_event_stream and (not first or first.startswith((b"data:", b"event:", b":")))):
            raise NotAStream(first.decode("utf-8", "replace").partition("\n")[0].strip())

    async def _receive(self, events: AsyncIterator[object], arrived: _Arrived) -> None:
        """After something that had to be waited for, nothing is received for a pause: what comes meanwhile is received
        at once. Not twice in a row: some of what came together may wait behind the first."""
        paused, asked_at = False, time.monotonic()
        try:
            async for chunk in events:
                waited = time.monotonic() - asked_at
                await arrived.add(chunk)
                is_late, paused = waited > CAME_AT_ONCE_S and not paused, False
                if is_late:
                    await asyncio.sleep(self.pace.pause_s)
                    paused = True
                asked_at = time.monotonic()
        finally:
            arrived.end()

    async def _stop_receiving(self) -> None:
        task = self._receiving
        while task is not None and not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=CANCEL_AGAIN_S)


def is_text(chunk: Any) -> bool:
    """Whether a chunk is a piece of the answer's text and nothing else."""
    if not isinstance(chunk, dict) or any(chunk.get(name) for name in ("usage", "error", "prompt_progress")):
        return False
    choices = chunk.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        return False
    delta = choices[0].get("delta")
    if not isinstance(delta, dict) or any(choices[0].get(name) for name in ("finish_reason", "logprobs", "index")):
        return False
    others = {name for name, value in delta.items() if value} - {"content"}
    return isinstance(delta.get("content"), str) and (
        not others or (others == {"role"} and delta["role"] == "assistant")
    )


def _delta(text: Any) -> dict[str, Any]:
    delta: dict[str, Any] = text["choices"][0]["delta"]
    return delta


class PlainCompletions:
    """In the place of `client.chat.completions`. The SDK builds a checked object of every chunk, of which LangChain
    makes a dict again: about half of what a token costs. What is not a stream goes the usual way."""

    def __init__(self, client: AsyncOpenAI, pace: StreamPace) -> None:
        self._client = client
        self._pace = pace

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client.chat.completions, name)

    async def create(self, **payload: Any) -> Any:
        """A stream of dicts; raises what the SDK raises."""
        if not payload.get("stream"):
            return await self._client.chat.completions.create(**payload)
        stream = await self._client.post(
            "/chat/completions", body=payload, cast_to=object, stream=True, stream_cls=EventStream
        )
        stream.pace = self._pace
        return stream
