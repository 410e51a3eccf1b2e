"""What a client receives when the server cannot say how its turn ended."""

from pathlib import Path

from server.adapters.in_process.relay import MemoryRelay
from tests.server.running_server import running_server


async def test_whoever_is_hung_up_on_is_asked_to_come_back(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, server.session(await server.trace_id()) as socket:
        relay = server.parts.services.chat.conversation._relay
        assert isinstance(relay, MemoryRelay)
        await relay.hang_up("6b1f8b52-3c39-4b4a-9d6b-0d3f4a1c2e01", socket.ack["sessionId"])
        assert await socket.closed_with() == 1012


async def test_a_socket_that_joins_another_session_is_not_hung_up_on(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as socket:
            for session_id in ("6b1f8b52-3c39-4b4a-9d6b-0d3f4a1c2e01", socket.ack["sessionId"]):
                await socket.send(type="start_analysis", traceId=trace_id, sessionId=session_id, accessToken="anna")
                assert (await socket.next())["sessionId"] == session_id
            await socket.send(type="ping", nonce="still here")
            assert (await socket.next())["type"] == "pong"
