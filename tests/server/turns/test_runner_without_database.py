"""What a turn and a socket do while the database is away."""

import uuid
from pathlib import Path
from typing import Any

import anyio
import pytest
from psycopg_pool import AsyncConnectionPool

from server.adapters.postgres.checkpoints import PostgresCheckpoints
from server.adapters.postgres.conversations import PostgresConversations
from server.agent.turn import TurnAnswer, TurnInput, TurnSink
from server.errors import DatabaseUnavailable
from server.testing.conversations import MemoryConversations
from tests.plugins.postgres import FreshDatabase
from tests.server.running_server import ScriptedAgent, running_server, saying
from tests.server.talking import END
from tests.server.turns.test_conversation_on_postgres import local_server


class LosesTheDatabaseOnce(ScriptedAgent):
    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        lost = DatabaseUnavailable("The database cannot be reached.")
        self.script = [*saying("It ", "was"), lost] if turn.attempt == 1 else saying("It ", "is")
        return await super().answer(turn, sink)


async def test_a_turn_that_loses_the_database_is_answered_by_its_next_attempt(
    database: FreshDatabase, tmp_path: Path
) -> None:
    session_id, agent = str(uuid.uuid4()), LosesTheDatabaseOnce()
    async with local_server(database, tmp_path, agent) as server:
        async with server.session(await server.trace_id(), session_id=session_id) as socket:
            await socket.send(type="user_prompt", sessionId=session_id, prompt="why?")
            messages = await socket.until(*END)
        stored = (await server.http.get(f"/api/v1/sessions/{session_id}/messages")).json()["messages"]
    assert messages[-1]["type"] == "model_response_end"
    assert [turn.attempt for turn in agent.asked] == [1, 2]
    assert [row["contentText"] for row in stored] == ["why?", "It is"]


class LosesTheDatabase(ScriptedAgent):
    """In as many attempts as it has."""

    times: int = 4

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        lost = DatabaseUnavailable("The database cannot be reached.")
        self.script = [*saying("It "), lost] if turn.attempt <= self.times else saying("It ", "is")
        return await super().answer(turn, sink)


@pytest.mark.long
async def test_losing_the_database_uses_up_no_attempt_of_a_turn(
    database: FreshDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note, refused = PostgresConversations.hand_over_turn, list[int]()

    async def away_at_first(self: PostgresConversations, turn_id: str, *, attempt: int) -> None:
        if len(refused) < 2:
            refused.append(attempt)
            raise DatabaseUnavailable("The database cannot be reached.")
        await note(self, turn_id, attempt=attempt)

    monkeypatch.setattr("server.turns.runner.NOTE_AGAIN_S", 0.01)
    monkeypatch.setattr(PostgresConversations, "hand_over_turn", away_at_first)
    session_id, agent = str(uuid.uuid4()), LosesTheDatabase()
    async with (
        local_server(database, tmp_path, agent) as server,
        server.session(await server.trace_id(), session_id=session_id) as socket,
    ):
        await socket.send(type="user_prompt", sessionId=session_id, prompt="why?")
        with anyio.fail_after(60):
            assert (await socket.until(*END))[-1]["type"] == "model_response_end"
    assert [turn.attempt for turn in agent.asked] == [1, 2, 3, 4, 5]
    assert refused == [1, 1]


async def test_checkpoints_that_cannot_be_reached_are_the_database_s_fault() -> None:
    nowhere = "postgresql://nobody@127.0.0.1:1/none"
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(nowhere, min_size=0, max_size=1, timeout=0.2, open=False)
    async with pool:
        with pytest.raises(DatabaseUnavailable):
            await PostgresCheckpoints(pool)().aget_tuple({"configurable": {"thread_id": "a", "checkpoint_ns": ""}})


async def test_who_joins_meanwhile_is_asked_to_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object, **__: object) -> None:
        raise DatabaseUnavailable("The database cannot be reached.")

    async with running_server(tmp_path) as server, server.socket() as socket:
        trace_id = await server.trace_id()
        monkeypatch.setattr(MemoryConversations, "open_session", away)
        await socket.send(type="start_analysis", traceId=trace_id, sessionId=str(uuid.uuid4()), accessToken="anna")
        assert await socket.closed_with() == 1013
