"""A complete conversation over HTTP and the socket, with a real HTTP endpoint in the model's place."""

import base64
import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from anyio.from_thread import BlockingPortal
from psycopg import sql
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from server.adapters.postgres.embedded import EmbeddedPostgres
from tests.e2e.conftest import Scripted
from tests.e2e.running_server import RunningServer
from tests.openai_endpoint import Reply

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

ENDS = {"model_response_end", "turn_cancelled", "turn_failed", "protocol_error", "chat_error"}
RECEIVE_S = 60
PNG = b"\x89PNG\r\n\x1a\n"
LOOK = Reply(
    text="I look at the functions and at a picture.",
    calls=(("get_top_functions", '{"limit": 5}'), ("generate_flamegraph_screenshot", '{"mode": "left_heavy"}')),
)
MORE = Reply(text="One plateau; I look at its callers.", calls=(("find_frames", '{"pattern": "subsequenceScore"}'),))


class Conversation:
    """One session of one trace over one socket."""

    def __init__(self, session_id: str, socket: Connection) -> None:
        self.session_id = session_id
        self._socket = socket

    def ask(self, prompt: str) -> list[dict[str, Any]]:
        """The turn's events up to its end."""
        self.send({"type": "user_prompt", "sessionId": self.session_id, "prompt": prompt})
        messages = [self.receive()]
        while messages[-1]["type"] not in ENDS:
            messages.append(self.receive())
        return [message for message in messages if message["type"] != "waiting_for_model"]

    def send(self, message: dict[str, Any]) -> None:
        self._socket.send(json.dumps(message))

    def receive(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._socket.recv(timeout=RECEIVE_S))
        return message


@contextmanager
def conversation_about(trace: Path, server: RunningServer) -> Iterator[tuple[str, Conversation]]:
    """Upload a trace and open a session about it: the trace's id and the conversation."""
    trace_id = upload(server, trace)
    with connect(f"ws{server.address.removeprefix('http')}/api/v1/chat", open_timeout=60) as socket:
        conversation = Conversation(str(uuid.uuid4()), socket)
        conversation.send({"type": "start_analysis", "traceId": trace_id, "sessionId": conversation.session_id})
        assert conversation.receive()["type"] == "connection_ack"
        yield trace_id, conversation


def upload(server: RunningServer, trace: Path) -> str:
    answer = httpx.post(
        f"{server.address}/api/v1/traces", params={"name": trace.name}, content=trace.read_bytes(), timeout=60
    )
    assert answer.status_code == 201, answer.text
    trace_id: str = answer.json()["trace"]["traceId"]
    return trace_id


def text_of(events: list[dict[str, Any]]) -> dict[str, str]:
    """Each message's text, put together by offset as a client does it."""
    texts: dict[str, str] = {}
    for event in events:
        if event["type"] in {"model_chunk_start", "model_chunk_append"}:
            before = texts.get(event["messageId"], "")
            assert event["offset"] == len(before)
            texts[event["messageId"]] = before + event["chunk"]
    return texts


async def rows_of_every_table(data: Path) -> str:
    """Every row of the public tables of a running server's database, as text."""
    kept: list[str] = []
    async with (
        EmbeddedPostgres(data_dir=data / "postgres") as postgres,
        await psycopg.AsyncConnection.connect(postgres.owner_dsn) as connection,
    ):
        names = await connection.execute("select tablename from pg_tables where schemaname = 'public' order by 1")
        for (name,) in await names.fetchall():
            query = sql.SQL("select t::text from public.{} t").format(sql.Identifier(name))
            kept += [row[0] for row in await (await connection.execute(query)).fetchall()]
    return "\n".join(kept)


@pytest.mark.long
def test_a_picture_is_in_exactly_one_request_and_in_no_history(
    portal: BlockingPortal, model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    with conversation_about(board_trace, model_server) as (trace_id, conversation):
        table = httpx.get(
            f"{model_server.address}/api/v1/traces/{trace_id}/functions", params={"limit": 1}, timeout=60
        ).json()
        handle = table["rows"][0]["handle"]
        answer = f"It is [subsequenceScore]({handle}): the picture shows one wide plateau."
        with scripted(LOOK, MORE, Reply(text=answer), Reply(text="As I said, the scoring.")) as endpoint:
            first = conversation.ask("Why is this slow?")
            second = conversation.ask("Are you sure?")

    assert [len(endpoint.pictures(request)) for request in range(4)] == [0, 1, 0, 0]
    asked = endpoint.requests[1]["messages"]
    assert [message["role"] for message in asked[-4:]] == ["assistant", "tool", "tool", "user"]
    assert {call["id"] for call in asked[-4]["tool_calls"]} == {message["tool_call_id"] for message in asked[-3:-1]}
    picture = endpoint.pictures(1)[0]
    assert picture.startswith(PNG)

    assert [event["seq"] for event in first] == list(range(first[0]["seq"], first[0]["seq"] + len(first)))
    assert first[-1]["type"] == second[-1]["type"] == "model_response_end"
    assert list(text_of(first).values()) == [LOOK.text, MORE.text, answer]
    assert [citation["handle"] for citation in first[-1]["citations"]] == [handle]
    shown = next(event for event in first if event["type"] == "tool_result" and event["imageUrl"])
    assert httpx.get(f"{model_server.address}{shown['imageUrl']}", timeout=60).content == picture

    remembered = json.dumps(endpoint.requests[3]["messages"])
    assert answer in remembered
    assert "Why is this slow?" in remembered
    messages = httpx.get(f"{model_server.address}/api/v1/sessions/{conversation.session_id}/messages", timeout=60).text
    kept = portal.call(rows_of_every_table, model_server.data)
    assert "As I said, the scoring." in kept
    encoded = base64.b64encode(picture).decode()[:40]
    for where in (remembered, messages, kept):
        assert encoded not in where
        assert "data:image" not in where
        assert picture[:24].hex() not in where


@pytest.mark.long
def test_the_key_goes_to_the_model_and_nowhere_else(
    portal: BlockingPortal, model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    with (
        conversation_about(board_trace, model_server) as (_, conversation),
        scripted(Reply(text="It is the scoring.")) as endpoint,
    ):
        events = conversation.ask("Why?")
    assert endpoint.keys == ["a-key"]
    assert "a-key" not in json.dumps(events)
    assert "a-key" not in "".join(model_server.lines)
    assert "a-key" not in portal.call(rows_of_every_table, model_server.data)


@pytest.mark.long
def test_a_model_that_fails_ends_the_turn_with_a_reason_and_the_next_one_works(
    model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    quota = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    refusal = Reply(status=429, headers={"x-should-retry": "false"}, body=quota)
    with (
        conversation_about(board_trace, model_server) as (_, conversation),
        scripted(refusal, Reply(text="It is the scoring.")),
    ):
        failed = conversation.ask("Why?")[-1]
        answered = conversation.ask("Why?")[-1]
    assert failed["type"] == "turn_failed"
    assert len(failed["message"]) > 20
    assert answered["type"] == "model_response_end"
