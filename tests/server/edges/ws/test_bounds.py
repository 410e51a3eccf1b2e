"""Sockets that nobody uses or reads any more, and how many one user may have."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
import websockets
from anyio.abc import ByteStream

from server.edges.http.serving import HttpServer
from server.edges.ws.bounds import PING_EVERY_S, PONG_WITHIN_S
from server.ports.identity import Caller
from server.turns.conversation import Conversation
from tests.server.running_server import RunningServer, ScriptedAgent, Socket, running_server, saying
from tests.server.talking import END, ask, new_id
from traces.garbage_collection import SERVING_THRESHOLDS

GONE = b"\x88\x18\x03\xf3keepalive ping timeout"
"""A close frame (RFC 6455, 5.5.1): 24 bytes, code 1011 and words."""

PING = b"\x89\x04"
"""Head of a ping with four bytes of payload."""


async def deaf_client(server: RunningServer) -> ByteStream:
    """A WebSocket whose other end answers nothing, heartbeats neither: as if its machine were gone."""
    host, port = server.address.removeprefix("http://").split(":")
    stream = await anyio.connect_tcp(host, int(port))
    await stream.send(
        f"GET /api/v1/chat HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    return stream


async def everything_from(stream: ByteStream) -> bytes:
    received = b""
    with anyio.fail_after(60):
        try:
            while True:
                received += await stream.receive()
        except anyio.EndOfStream:
            return received


async def test_a_peer_that_answers_no_heartbeat_is_closed(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path, ping_every_s=0.05, pong_within_s=0.05) as server,
        await deaf_client(server) as stream,
    ):
        received = await everything_from(stream)
    assert received.startswith(b"HTTP/1.1 101")
    assert GONE in received


async def test_a_peer_that_answers_heartbeats_stays_until_it_answers_no_more(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path, ping_every_s=0.05, pong_within_s=3) as server,
        await deaf_client(server) as stream,
    ):
        received, answered = b"", 0
        with anyio.fail_after(60):
            while answered < 2:
                received += await stream.receive()
                while PING in received:
                    _, received = received.split(PING, 1)
                    await stream.send(
                        b"\x8a\x84\0\0\0\0" + received[:4]
                    )  # a pong with the same payload, masked by zeros
                    received, answered = received[4:], answered + 1
        assert GONE in await everything_from(stream)


def test_a_server_lets_a_dead_peer_go_within_a_minute() -> None:
    async def app(*_: Any) -> None: ...

    config = HttpServer(app).config
    assert (config.ws_ping_interval, config.ws_ping_timeout) == (PING_EVERY_S, PONG_WITHIN_S)
    assert PING_EVERY_S + PONG_WITHIN_S <= 60


async def test_a_client_that_offers_compression_gets_none(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        url = server.address.replace("http", "ws") + "/api/v1/chat"
        async with websockets.connect(url, proxy=None, compression="deflate") as socket:
            assert socket.protocol.extensions == []


def test_what_a_server_began_with_is_no_garbage() -> None:
    tried = (
        "import gc, server.edges.http.serving; from traces.garbage_collection import collect_seldom as settle; settle()"
    )
    said = subprocess.run(
        [sys.executable, "-c", f"{tried}; print(gc.get_freeze_count(), gc.get_threshold()[0])"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    frozen, threshold = map(int, said.stdout.split())
    assert frozen > 10_000
    assert threshold == SERVING_THRESHOLDS[0]


async def pinging(socket: Socket) -> None:
    """What a page does by itself while nobody is there, until the server hangs up."""
    with suppress(websockets.ConnectionClosed):
        while True:
            await socket.send(type="ping", nonce="n")
            assert (await socket.next())["type"] == "pong"


def in_a_moment(server: RunningServer) -> None:
    """Sockets of this server are idle after a tenth of a second."""
    object.__setattr__(server.parts.services.socket, "socket_idle_s", 0.1)


async def test_a_socket_that_only_pings_is_closed_with_the_reason(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        in_a_moment(server)
        async with server.session(await server.trace_id()) as socket:
            with anyio.fail_after(60):
                await pinging(socket)
            assert await socket.closed_with() == 4410
            assert "Join again" in (socket.reason or "")


async def test_a_socket_is_not_idle_while_its_session_answers_and_is_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on, looked_twice = anyio.Event(), anyio.Event(), anyio.Event()
    agent, answers = ScriptedAgent([*saying("It is "), go_on]), list[bool]()
    is_answering = Conversation.is_answering

    async def watched(self: Conversation, caller: Caller, session_id: str) -> bool:
        await began.wait()  # a busy machine may look before the question is there
        answers.append(await is_answering(self, caller, session_id))
        if answers == [True, True]:
            looked_twice.set()
        return answers[-1]

    monkeypatch.setattr(Conversation, "is_answering", watched)
    async with running_server(tmp_path, agent) as server:
        in_a_moment(server)
        async with server.session(await server.trace_id()) as socket:
            await ask(socket)
            await socket.until("model_chunk_start")
            began.set()
            with anyio.fail_after(60):
                await looked_twice.wait()
            go_on.set()
            assert (await socket.until(*END))[-1]["type"] == "model_response_end"
            assert await socket.closed_with() == 4410
    assert answers[-1] is False


async def refused(server: RunningServer, trace_id: str, token: str) -> Socket:
    async with server.socket() as socket:
        await socket.send(type="start_analysis", traceId=trace_id, sessionId=new_id(), accessToken=token)
        assert await socket.closed_with() == 4429
        return socket


async def test_one_more_socket_than_a_user_may_have_is_closed_and_others_have_their_own(tmp_path: Path) -> None:
    async with running_server(tmp_path, sockets_per_user=2) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as first:
            async with server.session(trace_id):
                socket = await refused(server, trace_id, "anna")
                assert "2 conversations open" in (socket.reason or "")
                bens = (await server.upload(token="ben")).json()["trace"]["traceId"]
                async with server.session(bens, token="ben"):
                    assert len(server.parts.services.socket.sockets) == 3
            await first.send(type="ping", nonce="n")
            assert (await first.next())["type"] == "pong"
            with anyio.fail_after(60):
                while len(server.parts.services.socket.sockets) > 1:
                    await anyio.lowlevel.checkpoint()
            async with server.session(trace_id):
                pass


@pytest.mark.parametrize("mode", ["reject", "queue"])
async def test_a_prompt_during_as_many_answers_as_one_may_have_is_refused_as_busy(tmp_path: Path, mode: str) -> None:
    go_on = anyio.Event()
    agent = ScriptedAgent([*saying("It is "), go_on])
    async with running_server(tmp_path, agent, turns_per_user=1) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as answering, server.session(trace_id) as other:
            await ask(answering)
            await answering.until("model_chunk_start")
            turn_id = await ask(other, mode=mode)
            refusal = await other.next()
            assert (refusal["type"], refusal["code"]) == ("protocol_error", "busy")
            assert "stop it" in refusal["message"]
            await ask(answering, "and then?", mode="queue")  # the same conversation still answers one at a time
            assert (await answering.until("waiting_for_model"))[-1]["position"] == 1
            go_on.set()
            for _ in range(2):
                await answering.until(*END)
            await ask(other, turnId=turn_id)
            assert (await other.until(*END))[-1]["turnId"] == turn_id


async def test_a_prompt_without_a_socket_during_too_many_answers_learns_when_to_try_again(
    tmp_path: Path,
) -> None:
    agent = ScriptedAgent([*saying("It is "), anyio.Event()])
    async with (
        running_server(tmp_path, agent, turns_per_user=1) as server,
        server.session(await server.trace_id()) as answering,
    ):
        await ask(answering)
        await answering.until("model_chunk_start")
        refused = await server.http.post(
            f"/api/v1/sessions/{new_id()}/prompts",
            json={"traceId": await server.trace_id(), "prompt": "and this?"},
            headers={"Authorization": "Bearer anna"},
        )
    assert (refused.status_code, refused.json()["title"]) == (429, "Too many at once")
    assert int(refused.headers["retry-after"]) > 0
