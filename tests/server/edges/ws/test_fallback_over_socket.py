"""What people see where the server for graphs goes in the middle of an answer, and the turn goes on here."""

from pathlib import Path

from server.adapters.executors.fallback_agent import FallbackAgent
from server.errors import ExecutorUnreachable
from server.protocol.events import ModelChunkStart, ToolStart, TurnStarted
from tests.server.running_server import ScriptedAgent, running_server
from tests.server.talking import END, answer_text, ask, history, sequence

STARTED = TurnStarted(attempt=1, model="there", prompt_version="p@1")
CALLED = ToolStart(tool_call_id="c1", tool_name="get_insights", args={}, message="Looking")
HALF = ModelChunkStart(message_id="11111111-1111-4111-8111-111111111111", offset=0, chunk="half an answer")
GONE = ExecutorUnreachable("gone")


async def test_what_was_shown_is_replaced_and_never_stored(tmp_path: Path) -> None:
    agent = FallbackAgent(ScriptedAgent([STARTED, HALF, CALLED, GONE]), ScriptedAgent())
    async with running_server(tmp_path, agent) as server:  # type: ignore[arg-type]
        async with server.session(await server.trace_id()) as socket:
            await ask(socket)
            messages = await socket.until(*END)
            session_id = socket.ack["sessionId"]
        assert messages[-1]["type"] == "model_response_end"
        assert answer_text(messages) == "It is read."
        numbers = sequence(messages)
        assert numbers == sorted(set(numbers)), "each number once, and in order"
        (snapshot,) = [one for one in messages if one["type"] == "turn_snapshot"]
        assert snapshot["tools"] == []
        assert "half" not in str(snapshot["messages"])
        stored = await history(server, session_id)
        assert len(stored) == 2
        assert "It is read." in str(stored[1])
        assert "half" not in str(stored)


async def test_where_nothing_was_shown_nothing_is_replaced(tmp_path: Path) -> None:
    agent = FallbackAgent(ScriptedAgent([GONE]), ScriptedAgent())
    async with running_server(tmp_path, agent) as server:  # type: ignore[arg-type]
        async with server.session(await server.trace_id()) as socket:
            await ask(socket)
            messages = await socket.until(*END)
        assert answer_text(messages) == "It is read."
        assert "turn_snapshot" not in {one["type"] for one in messages}
