"""Chunks of an answer that arrived together are one; what an HTTP client reads of it is the same."""

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.adapters.model.joined_chunks import LONGEST_HEAD, ChunkJoiner, JoiningStream
from server.adapters.model.openai import openai_chat
from server.adapters.model.plain_stream import EventDecoder
from server.adapters.model.stream_pace import StreamPace
from tests.soak.speaking import Script, speaking_endpoint

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
HEADS = [
    CHUNKED,
    b"HTTP/1.1 200 OK\r\ntransfer-encoding:chunked\r\nx: y\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n" + CHUNKED,
    b"HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKED,
    b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nx: transfer-encoding: chunked\r\n\r\n",
    b"HTTP/1.1 204 No Content\r\n\r\n",
    b"no HTTP\r\n\r\n",
]


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


PARTS = st.one_of(
    st.binary(min_size=1, max_size=40).map(chunk),
    st.sampled_from(
        [b"0\r\n\r\n", b"0\r\nx: y\r\n\r\n", b"3;a=b\r\nabc\r\n", b"003\r\nabc\r\n", b"3\r\nabcd\r\n", b"G\r\n"]
    ),
    st.sampled_from([b"\r\n", b"1" * 30, b"ffffffffff\r\nabc", b"-3\r\nabc\r\n", b"", b" 3\r\nabc\r\n"]),
)
BODIES = st.one_of(
    st.lists(st.binary(min_size=1, max_size=40).map(chunk), max_size=8).map(lambda one: b"".join(one) + b"0\r\n\r\n"),
    st.lists(PARTS, max_size=8).map(b"".join),
)


def read(received: list[bytes]) -> list[Any]:
    """What an HTTP client makes of it: its bytes, and how it went on."""
    client, said, body = h11.Connection(h11.CLIENT), [], b""
    client.send(h11.Request(method="GET", target="/", headers=[("host", "x")]))
    client.send(h11.EndOfMessage())
    with contextlib.suppress(h11.RemoteProtocolError):
        for data in received:
            client.receive_data(data)
            while (event := client.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                if isinstance(event, h11.Data):
                    body += event.data
                else:
                    said.append(type(event).__name__)
                if isinstance(event, h11.ConnectionClosed):
                    break
    return [body, said, client.their_state, client.trailing_data[0] if client.their_state is h11.DONE else b""]


@given(st.sampled_from(HEADS), BODIES, st.lists(st.integers(0, 400), max_size=8), st.booleans())
def test_a_client_reads_the_same(head: bytes, body: bytes, cuts: list[int], ends: bool) -> None:
    answer = head + body
    places = sorted({0, len(answer), *(min(cut, len(answer)) for cut in cuts)})
    received = [answer[a:b] for a, b in itertools.pairwise(places)]
    joiner = ChunkJoiner()
    joiner.begin()
    passed_on = [out for data in received if (out := joiner.feed(data))]
    rest = joiner.end()
    end = [b""] if ends else []
    assert read([*passed_on, *([rest] if rest else []), *end]) == read([*received, *end])


def test_chunks_that_came_together_are_one() -> None:
    joiner = ChunkJoiner()
    assert joiner.feed(CHUNKED + chunk(b"one ")) == CHUNKED + chunk(b"one ")
    assert joiner.feed(chunk(b"two ") + chunk(b"three ") + b"5\r\nfo") == chunk(b"two three ") + b"5\r\nfo"
    assert joiner.feed(b"ur \r") == b"ur \r"
    assert joiner.feed(b"\n" + chunk(b"a") + chunk(b"b") + b"1") == b"\n" + chunk(b"ab")
    assert joiner.feed(b"\r\nc\r\n0\r\n\r\n") == chunk(b"c") + b"0\r\n\r\n"


def test_the_next_answer_of_a_connection_is_looked_at_anew() -> None:
    joiner = ChunkJoiner()
    joiner.feed(CHUNKED + b"0\r\n\r\n")
    joiner.begin()
    assert joiner.feed(CHUNKED + chunk(b"a") + chunk(b"b")) == CHUNKED + chunk(b"ab")


def test_a_head_without_an_end_is_not_kept() -> None:
    joiner = ChunkJoiner()
    joiner.feed(b"x" * LONGEST_HEAD)
    assert joiner._kept == b""


class _Network:
    """A connection that receives these."""

    def __init__(self, *received: bytes) -> None:
        self._received = list(received)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._received.pop(0)


async def test_half_a_size_is_no_end_of_the_connection() -> None:
    stream = JoiningStream(_Network(CHUNKED, b"3", b"\r\nabc\r\n", b""))
    assert [await stream.read(9) for _ in range(3)] == [CHUNKED, chunk(b"abc"), b""]


async def test_what_waited_is_passed_on_at_the_end_of_the_connection() -> None:
    stream = JoiningStream(_Network(CHUNKED, b"3", b"", b""))
    assert [await stream.read(9) for _ in range(3)] == [CHUNKED, b"3", b""]


async def test_words_that_came_during_a_pause_are_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an answer of 200 words, each a chunk of HTTP: the parts that are decoded are fewer, and so are the pieces."""
    parts = 0
    decode = EventDecoder.decode

    def counted(decoder: EventDecoder, part: bytes) -> Iterator[Any]:
        nonlocal parts
        parts += 1
        return decode(decoder, part)

    monkeypatch.setattr(EventDecoder, "decode", counted)
    script = Script("anna", words=200, every_ms=0, looks=0)
    async with speaking_endpoint() as endpoint:
        pace = StreamPace(answers=1_000_000)
        chat = openai_chat(model="fake", base_url=endpoint.base_url, api_key="none", pace=pace)
        pieces = [chunk.text async for chunk in chat.astream(script.prompt) if chunk.text]
    assert "".join(pieces) == script.texts[0]
    assert len(pieces) < 100
    assert parts < 100
