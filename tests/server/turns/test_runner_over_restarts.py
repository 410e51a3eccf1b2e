"""Turns whose servers stop, die, or find them out of order."""

import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest

from server.adapters.postgres.conversations import PostgresConversations
from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statements
from server.adapters.postgres.turn_queue import PostgresTurnQueue
from server.errors import DatabaseUnavailable
from server.ports.conversations import TurnRequest, TurnRow
from server.ports.identity import LOCAL_USER_ID, Caller
from server.turns.view_of_turn import SEQS_PER_ATTEMPT
from tests.plugins.postgres import FreshDatabase
from tests.server.running_server import RunningServer, ScriptedAgent, saying
from tests.server.talking import END
from tests.server.turns.test_conversation_on_postgres import local_server, seen


async def changed(database: FreshDatabase, statement: str) -> None:
    async with await psycopg.AsyncConnection.connect(database.owner, autocommit=True) as owner:
        await owner.execute(statement)


async def texts(server: RunningServer, session_id: str, *, at_least: int) -> list[str]:
    """The session's messages, once there are so many."""
    with anyio.fail_after(60):
        while True:
            answer = await server.http.get(f"/api/v1/sessions/{session_id}/messages")
            if len(found := answer.json()["messages"]) >= at_least:
                return [row["contentText"] for row in found]


async def asked_and_left(database: FreshDatabase, folder: Path, session_id: str, agent: ScriptedAgent) -> str:
    """A server stops while it answers; returns the trace."""
    async with local_server(database, folder, agent) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id, session_id=session_id) as socket:
            await socket.send(type="user_prompt", sessionId=session_id, prompt="why?")
            await socket.until("model_chunk_start")
            await seen(database, "select seq from flamechat_private.turn_events where seq = 2")
    return trace_id


async def taken_up_and_left(database: FreshDatabase, folder: Path, agent: ScriptedAgent) -> None:
    """A server takes the turn up and stops again."""
    before = len(agent.asked)
    async with local_server(database, folder, agent):
        with anyio.fail_after(60):
            while len(agent.asked) == before:
                await anyio.lowlevel.checkpoint()


def killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on a server stops as if it were killed: it notes nothing of the turns it leaves."""

    async def nothing(*_: object, **__: object) -> None:
        return

    monkeypatch.setattr(PostgresConversations, "hand_over_turn", nothing)


@pytest.mark.long
async def test_a_turn_that_killed_three_servers_is_closed_by_the_fourth(
    database: FreshDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id, stuck = str(uuid.uuid4()), ScriptedAgent([*saying("It "), anyio.Event()])
    killed(monkeypatch)
    await asked_and_left(database, tmp_path, session_id, stuck)
    for _ in range(2):
        await taken_up_and_left(database, tmp_path, stuck)
    idle = ScriptedAgent()
    async with local_server(database, tmp_path, idle) as server:
        assert await texts(server, session_id, at_least=2) == [
            "why?",
            "The server stopped 3 times during this answer. Ask again.",
        ]
    assert idle.asked == []


@pytest.mark.long
async def test_servers_that_are_asked_to_stop_do_not_use_up_a_turns_attempts(
    database: FreshDatabase, tmp_path: Path
) -> None:
    session_id, stuck = str(uuid.uuid4()), ScriptedAgent([*saying("It "), anyio.Event()])
    await asked_and_left(database, tmp_path, session_id, stuck)
    for _ in range(4):
        await taken_up_and_left(database, tmp_path, stuck)
    willing = ScriptedAgent()
    async with local_server(database, tmp_path, willing) as server:
        assert await texts(server, session_id, at_least=2) == ["why?", "It is read."]
    assert [turn.attempt for turn in willing.asked] == [6]


@pytest.mark.long
async def test_a_cancelled_turn_whose_server_died_keeps_what_it_had_said_and_ends_for_those_who_listen(
    database: FreshDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id, stuck = str(uuid.uuid4()), ScriptedAgent([*saying("It "), anyio.Event()])
    killed(monkeypatch)
    trace_id = await asked_and_left(database, tmp_path, session_id, stuck)
    await changed(database, "update chat_turns set cancel_requested = true")
    monkeypatch.setitem(statements(), "turns_without_job", "select null, null where false")
    idle = ScriptedAgent()
    async with local_server(database, tmp_path, idle) as there:
        async with there.session(trace_id, session_id=session_id) as listening:
            received = await listening.until("turn_snapshot")
            assert received[-1]["messages"][0]["text"] == "It "
            monkeypatch.undo()
            async with local_server(database, tmp_path, idle):
                received = await listening.until(*END)
        assert await texts(there, session_id, at_least=3) == ["why?", "It ", "Stopped."]
        rows = (await there.http.get(f"/api/v1/sessions/{session_id}/messages")).json()["messages"]
    assert received[-1]["type"] == "turn_cancelled"
    assert received[-1]["seq"] == SEQS_PER_ATTEMPT + 1
    assert received[-1]["messageId"] == rows[1]["messageId"]
    assert rows[1]["metadata"]["partial"]
    assert idle.asked == []


@pytest.mark.long
async def test_prompts_of_a_session_are_answered_in_their_order_when_the_first_ones_job_was_lost(
    database: FreshDatabase, tmp_path: Path
) -> None:
    session_id, agent = str(uuid.uuid4()), ScriptedAgent(saying())
    async with local_server(database, tmp_path, agent) as server:
        trace_id = await server.trace_id()
    caller = Caller(
        user_id=LOCAL_USER_ID, account_id=str((await seen(database, "select account_id from account_members"))[0])
    )
    async with Database(database.server) as pool, PostgresTurnQueue(database.server, at_once=1) as queue:
        accepting = PostgresConversations(pool, queue)
        for prompt in ("first?", "second?"):
            request = TurnRequest(
                caller=caller, trace_id=trace_id, session_id=session_id, turn_id=str(uuid.uuid4()), prompt=prompt
            )
            assert (await accepting.reserve_turn(request, queue_behind=True)).allowed
    first = "select min(id) from flamechat_private.procrastinate_jobs"
    await changed(database, f"delete from flamechat_private.procrastinate_jobs where id = ({first})")
    async with local_server(database, tmp_path, agent):
        await seen(database, "select 1 from chat_turns where ended_at is not null having count(*) = 2")
    assert [turn.prompt for turn in agent.asked] == ["first?", "second?"]


@pytest.mark.long
async def test_a_turn_that_could_not_be_started_is_started_later_and_the_server_lives(
    database: FreshDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start: Callable[..., Awaitable[TurnRow | None]] = PostgresConversations.start_turn
    refused: list[str] = []

    async def once_refused(self: PostgresConversations, turn_id: str, **facts: Any) -> TurnRow | None:
        if not refused:
            refused.append(turn_id)
            raise DatabaseUnavailable("The database cannot be reached.")
        return await start(self, turn_id, **facts)

    monkeypatch.setattr(PostgresConversations, "start_turn", once_refused)
    session_id = str(uuid.uuid4())
    async with local_server(database, tmp_path, ScriptedAgent()) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id, session_id=session_id) as socket:
            await socket.send(type="user_prompt", sessionId=session_id, prompt="why?")
            assert (await socket.until(*END))[-1]["type"] == "model_response_end"
    assert refused


async def test_a_hand_over_and_a_taking_up_are_counted_by_the_process_that_does_them(
    database: FreshDatabase, tmp_path: Path
) -> None:
    session_id, stuck = str(uuid.uuid4()), ScriptedAgent([*saying("It "), anyio.Event()])
    async with local_server(database, tmp_path, stuck) as leaving:
        trace_id = await leaving.trace_id()
        async with leaving.session(trace_id, session_id=session_id) as socket:
            await socket.send(type="user_prompt", sessionId=session_id, prompt="why?")
            await socket.until("model_chunk_start")
    async with local_server(database, tmp_path, ScriptedAgent()) as heir:
        await texts(heir, session_id, at_least=2)
    assert "\nflamechat_turns_handed_over_total 1.0\n" in leaving.parts.measures.exposition()
    taken_up = heir.parts.measures.exposition()
    assert "\nflamechat_turns_resumed_total 1.0\n" in taken_up
    assert "\nflamechat_turn_wait_seconds_count 0.0\n" in taken_up
