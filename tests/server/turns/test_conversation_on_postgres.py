"""The same conversation with every real part that one machine has: PostgreSQL, worker processes, the folder, the
built-in analyst.
"""

import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest

from server.adapters.folder.objects import FolderObjects
from server.adapters.in_process.identity import LocalIdentity
from server.adapters.postgres.conversations import PostgresConversations
from server.adapters.postgres.evaluations import PostgresEvaluations
from server.adapters.postgres.invocations import PostgresInvocations
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.plans import PostgresPlans
from server.adapters.postgres.pool import Database
from server.adapters.postgres.relay import PostgresRelay
from server.adapters.postgres.trace_records import PostgresTraceRecords
from server.adapters.postgres.turn_queue import PostgresTurnQueue
from server.adapters.postgres.turn_sweep import TurnSweep
from server.agent.turn import Agent, TurnAnswer, TurnInput, TurnSink
from server.composing.agent import build_agent
from server.composing.use_cases import Adapters, Backing, Rows, compose
from server.errors import DatabaseUnavailable
from server.ports.conversations import MessageRow, TurnEnding
from server.ports.identity import LOCAL_USER_ID, Caller
from server.ports.traces import TraceWorkers
from server.settings import load_settings
from server.turns.turn_pictures import StoredPictures
from tests.plugins.postgres import FreshDatabase
from tests.process_workers import process_workers
from tests.server.running_server import RunningServer, ScriptedAgent, saying, serving

END = ("model_response_end", "turn_cancelled", "turn_failed")


@asynccontextmanager
async def local_server(
    database: FreshDatabase,
    folder: Path,
    agent: Agent | None = None,
    *,
    agent_of: Callable[[PostgresTurnQueue, TraceWorkers], Agent] | None = None,
) -> AsyncIterator[RunningServer]:
    """A server of one machine; without an agent it has the built-in analyst, `agent_of` makes one over its parts."""
    settings = load_settings(data=folder)
    account_id = await ensure_local_user(database.owner, LOCAL_USER_ID)
    user = Caller(user_id=LOCAL_USER_ID, account_id=account_id, is_administrator=True)
    objects, workers = FolderObjects(folder / "objects"), process_workers(folder / "cache")
    async with (
        Database(database.server) as pool,
        PostgresTurnQueue(database.server, at_once=4) as queue,
        TurnSweep(queue, every_s=0.1),
        PostgresRelay(pool, database.server) as relay,
    ):
        agent = agent_of(queue, workers) if agent_of is not None else agent
        parts = compose(
            settings,
            Adapters(
                rows=Rows(
                    conversations=PostgresConversations(pool, queue),
                    records=PostgresTraceRecords(pool),
                    plans=PostgresPlans(pool),
                    invocations=PostgresInvocations(pool),
                    evaluations=PostgresEvaluations(pool),
                ),
                backing=Backing(objects=objects, identity=LocalIdentity(user), relay=relay, user=user),
                workers=workers,
                agent=agent or build_agent(settings, workers=workers, pictures=StoredPictures(objects)),
                scratch=folder,
                queue=queue,
            ),
        )
        async with serving(parts) as server:
            yield server


async def seen(database: FreshDatabase, query: str) -> list[Any]:
    """The first column, once there is anything."""
    async with await psycopg.AsyncConnection.connect(database.owner, autocommit=True) as owner:
        with anyio.fail_after(60):
            while not (rows := await (await owner.execute(query)).fetchall()):
                await anyio.lowlevel.checkpoint()
    return [row[0] for row in rows]


async def test_a_trace_is_dropped_asked_about_and_found_again(database: FreshDatabase, tmp_path: Path) -> None:
    session_id = str(uuid.uuid4())
    async with local_server(database, tmp_path) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id, session_id=session_id) as socket:
            await socket.send(type="user_prompt", sessionId=session_id, prompt="why is this slow?")
            with anyio.fail_after(60):
                messages = await socket.until(*END)
        assert messages[-1]["type"] == "model_response_end", messages[-1]
        assert all(check["status"] != "not_found" for check in messages[-1]["checks"])
        address = next(message["imageUrl"] for message in messages if message.get("imageUrl"))
        assert (await server.http.get(address)).content[:4] == b"\x89PNG"
        stored: list[dict[str, Any]] = (await server.http.get(f"/api/v1/sessions/{session_id}/messages")).json()[
            "messages"
        ]
        assert "read" in stored[-1]["contentText"]
        assert stored[-1]["metadata"]["citations"] == messages[-1]["citations"]
    for columns in (tmp_path / "cache").rglob("*.columns"):
        columns.unlink()
    async with local_server(database, tmp_path) as server, server.session(trace_id, session_id=session_id) as again:
        assert again.ack["history"] == stored
        assert (await server.http.delete(f"/api/v1/traces/{trace_id}")).status_code == 204
        assert (await server.http.get(address)).status_code == 404
    assert not [path for path in (tmp_path / "objects").rglob("*") if path.is_file()]


@pytest.mark.long
async def test_a_turn_that_a_stopped_server_left_is_answered_by_the_next(
    database: FreshDatabase, tmp_path: Path
) -> None:
    session_id, turn_id = str(uuid.uuid4()), str(uuid.uuid4())
    stuck = ScriptedAgent([*saying("It "), anyio.Event()])
    async with local_server(database, tmp_path, stuck) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id, session_id=session_id) as socket:
            await socket.send(type="user_prompt", sessionId=session_id, prompt="why?", turnId=turn_id)
            await socket.until("model_chunk_start")
    go_on = anyio.Event()
    willing = ScriptedAgent([*saying("It is "), go_on])
    async with local_server(database, tmp_path, willing) as server:
        async with server.session(trace_id, session_id=session_id) as socket:
            go_on.set()
            end = (await socket.until(*END))[-1]
        assert (end["type"], end["turnId"]) == ("model_response_end", turn_id)
        assert [turn.attempt for turn in willing.asked] == [2]
        stored = (await server.http.get(f"/api/v1/sessions/{session_id}/messages")).json()["messages"]
        assert [row["contentText"] for row in stored] == ["why?", "It is "]


async def test_a_prompt_to_one_process_is_followed_and_cancelled_at_another(
    database: FreshDatabase, tmp_path: Path
) -> None:
    session_id, turn_id = str(uuid.uuid4()), str(uuid.uuid4())
    stuck = ScriptedAgent([*saying("It ", "is "), anyio.Event()])
    async with local_server(database, tmp_path, stuck) as here, local_server(database, tmp_path, stuck) as there:
        trace_id = await here.trace_id()
        async with here.session(trace_id, session_id=session_id) as asking:
            await asking.send(type="user_prompt", sessionId=session_id, prompt="why?", turnId=turn_id)
            await asking.until("model_chunk_append")
            await seen(database, "select seq from flamechat_private.turn_events where seq = 3")  # sent here at once
            async with there.session(trace_id, session_id=session_id) as late:
                assert late.ack["running"]["turnId"] == turn_id
                snapshot = (await late.until("turn_snapshot"))[-1]
                assert [message["text"] for message in snapshot["messages"]] == ["It is "]
                await late.send(type="cancel_turn", turnId=turn_id)
                for socket in (late, asking):
                    assert (await socket.until(*END))[-1]["type"] == "turn_cancelled"
    assert len(stuck.asked) == 1


@pytest.mark.long
async def test_the_same_turn_asked_of_two_processes_at_once_runs_once(database: FreshDatabase, tmp_path: Path) -> None:
    session_id, turn_id = str(uuid.uuid4()), str(uuid.uuid4())
    agent = ScriptedAgent(saying("It ", "is "))
    async with local_server(database, tmp_path, agent) as here, local_server(database, tmp_path, agent) as there:
        trace_id = await here.trace_id()
        async with (
            here.session(trace_id, session_id=session_id) as one,
            there.session(trace_id, session_id=session_id) as other,
        ):
            async with anyio.create_task_group() as tasks:
                for socket in (one, other):
                    ask = {"type": "user_prompt", "sessionId": session_id, "prompt": "why?", "turnId": turn_id}
                    tasks.start_soon(partial(socket.send, **ask))
            assert (await one.until(*END))[-1] == (await other.until(*END))[-1]
        stored = (await here.http.get(f"/api/v1/sessions/{session_id}/messages")).json()["messages"]
    assert [row["contentText"] for row in stored] == ["why?", "It is "]
    assert len(agent.asked) == 1


class StuckAtFirst(ScriptedAgent):
    """The first attempt never ends; the next one says something else."""

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        self.script = [*saying("It ", "was"), anyio.Event()] if turn.attempt == 1 else saying("It ", "is")
        return await super().answer(turn, sink)


@pytest.mark.long
async def test_a_listener_sees_a_turn_begin_again_elsewhere_and_nothing_twice(
    database: FreshDatabase, tmp_path: Path
) -> None:
    session_id, agent = str(uuid.uuid4()), StuckAtFirst()
    async with local_server(database, tmp_path, agent) as one, local_server(database, tmp_path, agent) as other:
        trace_id = await one.trace_id()
        async with (
            one.session(trace_id, session_id=session_id) as asking,
            other.session(trace_id, session_id=session_id) as listening,
        ):
            await asking.send(type="user_prompt", sessionId=session_id, prompt="why?")
            for socket in (asking, listening):
                await socket.until("model_chunk_append")
            running = one if one.parts.runner._running else other
            await running.parts.runner.drain(0)
            for socket in (asking, listening):
                messages = await socket.until(*END)
                assert messages[0]["type"] == "turn_snapshot"
                kept = "".join(message["text"] for message in messages[0]["messages"])
                assert kept + "".join(message.get("chunk", "") for message in messages) == "It is"
                numbers = [message["seq"] for message in messages]
                assert numbers == list(range(numbers[0], numbers[-1] + 1))


@pytest.mark.long
async def test_an_answer_that_could_not_be_stored_is_sent_by_the_next_attempt_and_once(
    database: FreshDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PostgresConversations.end_turn
    refused: list[int | None] = []

    async def once_refused(
        self: PostgresConversations, turn_id: str, ending: TurnEnding, *, attempt: int | None = None
    ) -> list[MessageRow] | None:
        if not refused:
            refused.append(attempt)
            raise DatabaseUnavailable("The database cannot be reached.")
        return await store(self, turn_id, ending, attempt=attempt)

    monkeypatch.setattr(PostgresConversations, "end_turn", once_refused)
    session_id, agent = str(uuid.uuid4()), ScriptedAgent()
    async with local_server(database, tmp_path, agent) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id, session_id=session_id) as socket:
            await socket.send(type="user_prompt", sessionId=session_id, prompt="why?")
            messages = await socket.until(*END)
        stored = (await server.http.get(f"/api/v1/sessions/{session_id}/messages")).json()["messages"]
    assert messages[-1]["type"] == "model_response_end"
    assert [turn.attempt for turn in agent.asked] == [1, 2]
    assert [row["contentText"] for row in stored] == ["why?", "It is read."]
