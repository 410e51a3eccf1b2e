"""Cancelling a turn ends its model call, wherever the turn runs, and keeps what was said."""

import uuid
from pathlib import Path

import anyio
import pytest

from server.composing.agent import build_agent
from server.settings import load_settings
from server.testing.objects import MemoryObjects
from server.turns.turn_pictures import StoredPictures
from tests.openai_endpoint import Reply, openai_endpoint
from tests.plugins.postgres import FreshDatabase
from tests.process_workers import process_workers
from tests.server.running_server import ScriptedAgent, running_server, saying
from tests.server.talking import END, ask, history, new_id
from tests.server.turns.test_conversation_on_postgres import local_server

ENDLESS = Reply(text="It is the parser that", fault="hang")


@pytest.mark.parametrize("from_elsewhere", [False, True], ids=["its own process", "another process"])
@pytest.mark.long
async def test_a_cancel_hangs_up_on_the_model_and_keeps_what_it_said_marked_as_partial(
    database: FreshDatabase, tmp_path: Path, *, from_elsewhere: bool
) -> None:
    session_id, turn_id = str(uuid.uuid4()), new_id()
    async with openai_endpoint(ENDLESS) as endpoint:
        settings = load_settings(data=tmp_path, model_base_url=endpoint.base_url, model="fake")
        workers, pictures = process_workers(tmp_path / "cache"), StoredPictures(MemoryObjects())
        agent = build_agent(settings, workers=workers, pictures=pictures)
        async with local_server(database, tmp_path, agent) as one, local_server(database, tmp_path, agent) as other:
            trace_id = await one.trace_id()
            async with (
                one.session(trace_id, session_id=session_id) as at_one,
                other.session(trace_id, session_id=session_id) as at_other,
            ):
                await ask(at_one, turnId=turn_id)
                await at_one.until("model_chunk_start")
                runs_at_one = bool(one.parts.runner.running_turns)
                asked = at_other if runs_at_one is from_elsewhere else at_one
                await asked.send(type="cancel_turn", turnId=turn_id)
                ends = [(await socket.until(*END))[-1] for socket in (at_one, at_other)]
                with anyio.fail_after(60):
                    await endpoint.left.wait()
            stored = (await one.http.get(f"/api/v1/sessions/{session_id}/messages")).json()["messages"]
    assert [end["type"] for end in ends] == ["turn_cancelled"] * 2
    assert ends[0] == ends[1]
    answer = stored[1]
    assert ENDLESS.text.startswith(answer["contentText"])
    assert (answer["metadata"]["partial"], answer["messageId"]) == (True, ends[0]["messageId"])
    assert [row["sender"] for row in stored] == ["user", "model", "system_event"]
    assert len(endpoint.requests) == 1


async def test_cancelling_twice_or_after_the_end_changes_nothing(tmp_path: Path) -> None:
    agent = ScriptedAgent([*saying("It is "), anyio.Event()])
    async with running_server(tmp_path, agent) as server, server.session(await server.trace_id()) as socket:
        turn_id = await ask(socket)
        await socket.until("model_chunk_start")
        for _ in range(3):
            await socket.send(type="cancel_turn", turnId=turn_id)
        assert (await socket.until(*END))[-1]["type"] == "turn_cancelled"
        stored = await history(server, socket.ack["sessionId"])
        await socket.send(type="cancel_turn", turnId=turn_id)
        await socket.send(type="ping", nonce="after")
        assert (await socket.next())["type"] == "pong"
        assert await history(server, socket.ack["sessionId"]) == stored
