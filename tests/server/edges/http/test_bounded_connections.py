"""Slow, silent, huge and many connections: each meets a bound, and others are served meanwhile."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import pytest
from anyio.abc import ByteStream
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from server.edges.http.bounded_connections import MAX_HEADER_BYTES, Connections
from server.edges.http.serving import HttpServer, bound_socket

SOON_S = 0.15
LONG_S = 60.0
GET_ONCE = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the length of the body; a socket is accepted and kept until its client leaves."""
    if scope["type"] == "http":
        body = await Request(scope, receive).body()
        await PlainTextResponse(f"{len(body)} bytes")(scope, receive, send)
    elif scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass
    else:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})


@dataclass
class Server:
    port: int
    connections: Connections

    async def connect(self) -> ByteStream:
        return await anyio.connect_tcp("127.0.0.1", self.port)

    async def answer(self, *parts: bytes) -> bytes:
        """What comes until the server closes."""
        async with await self.connect() as stream:
            for part in parts:
                await stream.send(part)
            return await rest(stream)


async def rest(stream: ByteStream) -> bytes:
    received = b""
    with anyio.fail_after(20):
        try:
            while True:
                received += await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return received


@asynccontextmanager
async def serving(connections: Connections) -> AsyncIterator[Server]:
    with bound_socket("127.0.0.1", 0) as listening:
        server = HttpServer(app, connections=connections)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            try:
                yield Server(listening.getsockname()[1], connections)
            finally:
                server.should_exit = True


async def test_half_a_header_has_its_time() -> None:
    async with serving(Connections(header_s=SOON_S, body_s=LONG_S)) as server:
        assert (await server.answer(b"GET / HTTP/1.1\r\nHost: a\r\n")).startswith(b"HTTP/1.1 408 ")


async def test_a_silent_connection_is_closed_without_a_word() -> None:
    async with serving(Connections(header_s=SOON_S, body_s=LONG_S)) as server:
        assert await server.answer() == b""


async def test_half_a_body_has_its_time_from_its_last_piece() -> None:
    async with serving(Connections(header_s=LONG_S, body_s=SOON_S)) as server:
        answer = await server.answer(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n", b"12345")
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert len(server.connections) == 0


async def test_the_second_request_of_a_connection_has_the_same_bounds() -> None:
    async with serving(Connections(header_s=SOON_S, body_s=SOON_S)) as server:
        answer = await server.answer(GET + b"GET / HTTP/1.1\r\n")
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert b"HTTP/1.1 408 " in answer


@pytest.mark.parametrize("bytes_", [MAX_HEADER_BYTES, 1 << 20])
async def test_a_header_that_is_too_long_is_refused(bytes_: int) -> None:
    async with serving(Connections()) as server:
        answer = await server.answer(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * bytes_ + b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 431 ") or answer == b""  # a reset may overtake it while we still send
        assert (await server.answer(GET_ONCE)).startswith(b"HTTP/1.1 200")


async def test_one_connection_too_many_is_answered_and_closed_and_its_place_comes_back() -> None:
    async with serving(Connections(most=2)) as server:
        async with await server.connect() as first, await server.connect():
            await first.send(GET)
            assert (await first.receive()).startswith(b"HTTP/1.1 200 ")
            refused = await server.answer(GET)
            assert refused.startswith(b"HTTP/1.1 503 ")
            assert b"retry-after: " in refused
            await first.send(GET)
            assert (await first.receive()).startswith(b"HTTP/1.1 200 ")
        with anyio.fail_after(20):
            while len(server.connections):
                await anyio.sleep(0)
        assert (await server.answer(GET_ONCE)).startswith(b"HTTP/1.1 200")
        assert server.connections.refused == 1


async def test_a_socket_stays_counted_until_it_closes() -> None:
    upgrade = (
        b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    async with serving(Connections(most=1, header_s=SOON_S, body_s=SOON_S)) as server:
        async with await server.connect() as socket:
            await socket.send(upgrade)
            assert (await socket.receive()).startswith(b"HTTP/1.1 101 ")
            assert len(server.connections) == 1
            assert (await server.answer(GET)).startswith(b"HTTP/1.1 503 ")
        with anyio.fail_after(20):
            while len(server.connections):
                await anyio.sleep(0)


def test_an_address_has_its_own_bound_unless_it_is_this_machine() -> None:
    connections = Connections(most=4, most_per_address=2)
    assert [connections.take("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert [connections.take("127.0.0.1") for _ in range(3)] == [True, True, False]
    connections.give_back("192.0.2.1")
    assert connections.take("192.0.2.1")
    assert connections.refused == 2


async def test_a_socket_is_not_closed_for_want_of_a_body() -> None:
    upgrade = (
        b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    ping = bytes([0x89, 0x80, 0, 0, 0, 0])
    async with serving(Connections(header_s=SOON_S, body_s=SOON_S)) as server, await server.connect() as socket:
        await socket.send(upgrade)
        assert (await socket.receive()).startswith(b"HTTP/1.1 101 ")
        for _ in range(2):  # each waits as long as the socket would have had
            half = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"
            assert (await server.answer(half, b"12345")).startswith(b"HTTP/1.1 408 ")
        await socket.send(ping)
        with anyio.fail_after(20):
            assert (await socket.receive())[:1] == b"\x8a", "it answers a ping, and nothing came before"
