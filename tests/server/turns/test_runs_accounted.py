"""A turn over a real endpoint and a real database: its row and the rows of its model calls name each other."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from server.adapters.postgres.invocations import PostgresInvocations
from server.adapters.postgres.pool import Database
from server.composing.agent import build_agent
from server.composing.build import graph_version
from server.settings import load_settings
from server.testing.objects import MemoryObjects
from server.turns.turn_pictures import StoredPictures
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint
from tests.plugins.postgres import FreshDatabase
from tests.process_workers import process_workers
from tests.server.running_server import STACKS, RunningServer
from tests.server.turns.test_conversation_on_postgres import local_server

REPLIES = (
    Reply(text="Let me look.", calls=(("get_top_functions", "{}"),)),
    Reply(text="half an ans", fault="drop"),
    Reply(status=503, headers={"retry-after": "0"}),
    Reply(text="The function `read` is what takes the time."),
)
TRACE = "0af7651916cd43dd8448eb211c80319c"


@asynccontextmanager
async def accounted(
    database: FreshDatabase, folder: Path, *replies: Reply
) -> AsyncIterator[tuple[RunningServer, Endpoint]]:
    async with openai_endpoint(*replies) as endpoint, Database(database.server) as pool:
        settings = load_settings(data=folder, model_base_url=endpoint.base_url, model="fake")
        workers = process_workers(folder / "asked")
        agent = build_agent(
            settings, workers=workers, pictures=StoredPictures(MemoryObjects()), invocations=PostgresInvocations(pool)
        )
        async with local_server(database, folder, agent) as server:
            yield server, endpoint


def rows(database: FreshDatabase, query: str) -> list[dict[str, Any]]:
    with psycopg.connect(database.owner, row_factory=dict_row) as owner:
        return owner.execute(query.encode()).fetchall()


@pytest.mark.timeout(300)
async def test_a_turn_and_each_request_of_it_name_request_trace_run_and_prompt(
    database: FreshDatabase, tmp_path: Path
) -> None:
    request_id, session_id, turn_id = (str(uuid.uuid4()) for _ in range(3))
    ids = {"X-Request-Id": request_id, "traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    async with accounted(database, tmp_path, *REPLIES) as (server, endpoint):
        uploaded = await server.http.post("/api/v1/traces", params={"name": "stacks.txt"}, content=STACKS)
        asked = {"message": "Why is this slow?", "session_id": session_id}
        asked["flamechat_trace_id"] = uploaded.json()["trace"]["traceId"]
        answer = await server.http.post("/api/chat", json=asked, headers=ids)
        assert (answer.status_code, answer.headers["x-request-id"]) == (200, request_id), answer.text
        (turn,) = rows(database, "select * from chat_turns")
        turn_id = str(turn["id"])
        mine = (await server.http.get("/api/v1/me/invocations", params={"turn": turn_id})).json()["invocations"]
        spent = (await server.http.get("/api/v1/admin/spend?by=model")).json()["spend"]
    calls = rows(database, "select * from ai_invocation_summaries order by attempt, call_number, try_number")
    assert [(row["call_number"], row["try_number"], row["outcome"]) for row in calls] == [
        (1, 1, "ok"),
        (2, 1, "retry"),
        (2, 2, "retry"),
        (2, 3, "ok"),
    ]
    assert len(endpoint.requests) == len(calls) == len(mine)
    for row in calls:
        assert (row["request_id"], row["request_trace_id"]) == (request_id, TRACE)
        assert (str(row["turn_id"]), str(row["session_id"])) == (turn_id, session_id)
        assert (row["graph_name"], row["graph_version"]) == ("flamechat", graph_version())
        assert row["prompt_hash_version"] == "v1"
        assert row["graph_run_id"] is not None
    hashes = [row["prompt_hash"] for row in calls]
    assert hashes[1] == hashes[2] == hashes[3] != hashes[0], "what is asked again is the same prompt"
    assert (turn["request_id"], turn["request_trace_id"]) == (request_id, TRACE)
    assert (turn["graph_name"], turn["graph_version"]) == ("flamechat", graph_version())
    assert (turn["prompt_hash"], turn["observation_trace_id"]) == (hashes[0], None), "nobody watches"
    assert turn["input_tokens"] == sum(row["input_tokens"] or 0 for row in calls) == 200
    assert [(one["key"], one["calls"], one["failedCalls"], one["costUsd"]) for one in spent] == [("fake", 4, 2, None)]
