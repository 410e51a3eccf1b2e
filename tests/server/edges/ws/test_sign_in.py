"""Who may open the socket, and what is answered to messages that cannot be accepted."""

import contextlib
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
import websockets

from server.cleaning import HALF_CHARACTER
from server.edges.ws.bounds import MAX_MESSAGE_BYTES
from server.errors import REMOVED
from tests.server.running_server import RunningServer, ScriptedAgent, Socket, running_server
from tests.server.talking import END, ask, new_id


async def first_message(server: RunningServer, **message: Any) -> Socket:
    async with server.socket() as socket:
        await socket.send(**message)
        return socket


@pytest.mark.parametrize("token", [None, "mallory"])
async def test_a_socket_without_a_good_identity_is_closed_4401(tmp_path: Path, token: str | None) -> None:
    async with running_server(tmp_path) as server, server.socket() as socket:
        trace_id = await server.trace_id()
        await socket.send(type="start_analysis", traceId=trace_id, sessionId=new_id(), accessToken=token)
        assert await socket.closed_with() == 4401


async def test_a_socket_may_bring_its_token_in_its_handshake(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.socket(Authorization="Bearer anna") as socket:
        await socket.send(type="start_analysis", traceId=await server.trace_id(), sessionId=new_id())
        assert (await socket.next())["type"] == "connection_ack"


async def test_anothers_trace_or_session_closes_4403(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as annas, server.socket() as socket:
            await socket.send(
                type="start_analysis", traceId=trace_id, sessionId=annas.ack["sessionId"], accessToken="ben"
            )
            assert await socket.closed_with() == 4403
        bens = (await server.upload(token="ben")).json()["trace"]["traceId"]
        async with server.session(trace_id) as annas, server.socket() as socket:
            await ask(annas)
            await annas.until(*END)
            await socket.send(type="start_analysis", traceId=bens, sessionId=annas.ack["sessionId"], accessToken="ben")
            assert await socket.closed_with() == 4403


async def test_silence_is_closed_4408(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.edges.ws.socket.FIRST_MESSAGE_S", 0.05)
    async with running_server(tmp_path) as server, server.socket() as socket:
        assert await socket.closed_with() == 4408


async def test_what_is_no_message_is_answered_and_keeps_the_socket_open_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        async with server.socket() as socket:
            await socket.connection.send("not json")
            assert (await socket.next())["code"] == "bad_json"
            await socket.send(type="start_analysis", traceId=trace_id, sessionId=new_id(), accessToken="anna")
            assert (await socket.next())["type"] == "connection_ack"
        monkeypatch.setattr("server.edges.ws.socket.FIRST_MESSAGE_S", 0.05)
        async with server.socket() as socket:
            with anyio.fail_after(60), contextlib.suppress(websockets.ConnectionClosed):
                while True:
                    await socket.connection.send("not json")
                    await socket.connection.recv()
            assert socket.connection.close_code == 4408


async def test_a_binary_frame_is_answered_and_the_socket_stays_open(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.socket() as socket:
        await socket.connection.send(b'{"type": "ping", "nonce": "x"}')
        answer = await socket.next()
        assert (answer["type"], answer["code"]) == ("protocol_error", "bad_json")
        assert "binary" in answer["message"]
        await socket.send(
            type="start_analysis", traceId=await server.trace_id(), sessionId=new_id(), accessToken="anna"
        )
        assert (await socket.next())["type"] == "connection_ack"


async def test_too_large_a_message_is_closed_1009(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.socket() as socket:
        await socket.connection.send("x" * (MAX_MESSAGE_BYTES + 1))
        assert await socket.closed_with() == 1009


@pytest.mark.parametrize(
    ("sent", "code", "field"),
    [
        ("{", "bad_json", None),
        ("[]", "bad_json", None),
        ('{"type": "teleport"}', "unknown_type", "type"),
        ('{"type": "ping"}', "bad_field", "nonce"),
        ('{"type": "ping", "nonce": "x", "more": 1}', "bad_field", "more"),
        ('{"type": "user_prompt", "sessionId": "s", "prompt": ""}', "bad_field", "prompt"),
        ('{"type": "user_prompt", "sessionId": "s", "prompt": " \\n\\t"}', "bad_field", "prompt"),
        ('{"type": "start_analysis", "traceId": "t", "sessionId": "s", "prompt": "  "}', "bad_field", "prompt"),
        ('{"type": "edit_prompt", "turnId": "t", "prompt": "  "}', "bad_field", "prompt"),
        ('{"type": "user_prompt", "sessionId": "another", "prompt": "x"}', "bad_field", "sessionId"),
        ('{"type": "cancel_turn", "turnId": "nothing"}', "not_found", None),
        ('{"type": "regenerate", "turnId": "t"}', "not_found", None),
        ('{"type": "edit_prompt", "turnId": "t", "prompt": "x"}', "not_found", None),
        ('{"type": "feedback", "messageId": "m", "score": 1}', "not_found", None),
    ],
)
async def test_a_message_that_cannot_be_accepted_is_answered_and_the_socket_stays_open(
    tmp_path: Path, sent: str, code: str, field: str | None
) -> None:
    async with running_server(tmp_path) as server, server.session(await server.trace_id()) as socket:
        await socket.connection.send(sent)
        error = await socket.next()
        assert (error["type"], error["code"], error["field"]) == ("protocol_error", code, field)
        await socket.send(type="ping", nonce="still here")
        assert (await socket.next())["type"] == "pong"


async def test_half_a_character_is_called_so_and_something_removed_elsewhere_comes_with_advice(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.session(await server.trace_id()) as socket:
        await socket.connection.send('{"type": "user_prompt", "sessionId": "s", "prompt": "why \\ud83d"}')
        error = await socket.next()
        assert (error["code"], error["message"]) == ("bad_json", HALF_CHARACTER)
        await socket.send(type="regenerate", turnId=new_id())
        error = await socket.next()
        assert (error["code"], error["message"]) == ("not_found", f"There is no such turn.{REMOVED}")


@pytest.mark.parametrize("field", ["userId", "traceId"])
async def test_a_user_or_trace_that_is_not_the_sessions_is_refused(tmp_path: Path, field: str) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        await ask(socket, **{field: new_id()})
        error = await socket.next()
        assert (error["code"], error["field"]) == ("bad_field", field)
        assert agent.asked == []


async def test_a_fresh_token_of_the_same_user_is_taken_and_anothers_closes(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.session(await server.trace_id()) as socket:
        await socket.send(type="authenticate", accessToken="anna")
        await socket.send(type="ping", nonce="x")
        assert (await socket.next())["type"] == "pong"
        await socket.send(type="authenticate", accessToken="ben")
        assert await socket.closed_with() == 4401


async def test_one_socket_may_move_to_another_session(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as socket:
            left = socket.ack["sessionId"]
            await socket.send(type="start_analysis", traceId=trace_id, sessionId=new_id())
            socket.ack = await socket.next()
            async with server.session(trace_id, session_id=left) as other:
                await ask(other)
                await other.until(*END)
            turn_id = await ask(socket)
            messages = await socket.until(*END)
            assert {message["turnId"] for message in messages} == {turn_id}


async def test_the_server_may_stop_while_sockets_are_open(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        url = server.address.replace("http", "ws") + "/api/v1/chat"
        connection = await websockets.connect(url, proxy=None)
    with anyio.fail_after(60):
        await connection.wait_closed()
    assert connection.close_code == 1012
    with pytest.raises(httpx.ConnectError):
        await httpx.AsyncClient(trust_env=False).get(server.address)
