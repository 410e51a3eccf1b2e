"""Chunks of a chat/completions stream as the JSON they are, the text of those that came together in one."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

from openai import AsyncOpenAI, AsyncStream
from pydantic_core import from_json

from server.adapters.model.joined_chunks import JoiningStream
from server.adapters.model.stream_pace import StreamPace

FIRST_BYTES = 2_000
"""Of an answer, kept to name it by where it is no stream."""


class NotAStream(ValueError):
    """The endpoint answered 200 with something in which there is no event; its text is the first line of that."""


class _Read:
    """A server-sent event whose data has been read already, as the SDK asks for it."""

    __slots__ = ("_value",)
    data, event = "", None

    def __init__(self, value: Any) -> None:
        self._value = value

    def json(self) -> Any:
        return self._value


def _read(event: Any) -> Any:
    """The event with its data read, where the SDK would do nothing else with it."""
    if event.data.startswith("{") and not (event.event or "").startswith("thread."):
        with contextlib.suppress(ValueError):
            return _Read(from_json(event.data))
    return event


class EventDecoder:
    """Server-sent events of the bytes of an answer, in place of the SDK's decoder, which it asks for every event that
    is more than one line of JSON. Text of events that came in the same bytes is in one event. `first` are the first
    bytes."""

    def __init__(self, decoder: Any) -> None:
        self.first = b""
        self._decoder = decoder
        self._waiting = b""
        self._after_return = False

    def decode(self, part: bytes) -> Iterator[Any]:
        """The events that are complete with this part."""
        if len(self.first) < FIRST_BYTES:
            self.first = (self.first + part)[:FIRST_BYTES]
        *complete, self._waiting = (self._waiting + self._with_newlines(part)).split(b"\n\n")
        text = _JoinedText()
        for event in complete:
            for one in self._events(event):
                if isinstance(one, _Read) and is_text(one.json()):
                    text.add(one.json())
                    continue
                yield from text.taken()
                yield one
        yield from text.taken()

    def _with_newlines(self, part: bytes) -> bytes:
        """With line feeds for all ends of lines: CR, LF or both."""
        if self._after_return and part.startswith(b"\n"):
            part = part[1:]
        self._after_return = part.endswith(b"\r")
        return part.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in part else part

    def _events(self, lines: bytes) -> Iterator[Any]:
        if lines.startswith(b"data: {") and b"\n" not in lines:
            try:
                value = from_json(lines[6:])
            except ValueError:
                pass  # half a character, which the SDK's parser takes, or no JSON, of which it says so
            else:
                yield _Read(value)
                return
        for line in (*lines.split(b"\n"), b""):
            if (event := self._decoder.decode(line.decode("utf-8"))) is not None:
                yield _read(event)


class _PacedDecoder(EventDecoder):
    """Reads no more often than the pace allows: what comes meanwhile is read at once."""

    def __init__(self, decoder: Any, network: Any) -> None:
        super().__init__(decoder)
        self.pace = StreamPace()
        self._network = network if isinstance(network, JoiningStream) else None

    async def aiter_bytes(self, parts: AsyncIterator[bytes]) -> AsyncIterator[Any]:
        """See `SSEDecoder.aiter_bytes`."""
        reads = -1
        async for part in parts:
            for event in self.decode(part):
                yield event
            if self._network is not None and self._network.reads != reads:
                reads = self._network.reads
                await self.pace.pause()


class _JoinedText:
    """Chunks of text that follow each other."""

    def __init__(self) -> None:
        self._first: Any = None
        self._pieces: list[str] = []

    def add(self, chunk: Any) -> None:
        self._first = self._first or chunk
        self._pieces.append(_delta(chunk)["content"])

    def taken(self) -> Iterator[_Read]:
        """All of them as one, if there is any."""
        if self._pieces:
            _delta(self._first)["content"] = "".join(self._pieces)
            yield _Read(self._first)
        self._first, self._pieces = None, []


class EventStream(AsyncStream[object]):
    """Raises NotAStream at the end of an answer that held no event and is none: HTML of a sign-in page, or the JSON of
    a server that does not know `stream`. Set `pace` before it is read.
    """

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self.pace = StreamPace()
        self._decoder: Any = _PacedDecoder(self._decoder, self.response.extensions.get("network_stream"))

    async def __stream__(self) -> AsyncIterator[object]:
        came, self._decoder.pace = False, self.pace
        with self.pace.one_more():
            try:
                async for chunk in super().__stream__():
                    came = True
                    yield chunk
            except UnicodeDecodeError:
                if came:
                    raise
        first = self._decoder.first.strip()
        is_event_stream = self.response.headers.get("content-type", "").startswith("text/event-stream")
        if not came and not (is_event_stream and (not first or first.startswith((b"data:", b"event:", b":")))):
            raise NotAStream(first.decode("utf-8", "replace").partition("\n")[0].strip())


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
    return isinstance(delta.get("content"), str) and all(
        name == "content" or not value or (name == "role" and value == "assistant") for name, value in delta.items()
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
