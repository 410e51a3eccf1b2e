"""What the tests of other clients' streams send, and how they read what comes."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from server.protocol.events import (
    ModelChunkAppend,
    ModelChunkStart,
    ToolError,
    ToolResult,
    ToolStart,
    TurnEvent,
    TurnStarted,
)
from server.protocol.wire_values import Table
from tests.server.running_server import MESSAGE_ID, RunningServer
from tests.server.talking import AS_ANNA, new_id

AI_SDK, DATA_STREAM, AG_UI = (f"/api/v1/streams/{name}" for name in ("ai-sdk", "data-stream", "ag-ui"))
ALL = (AI_SDK, DATA_STREAM, AG_UI)
CHAT = "sixteenletters16"
FIRST_ID = new_id()
TEXTS = ("I look “first”.\n", "It is `read` – 70 % 🔥\u2028.")

PICTURE = "/api/v1/pictures/turn/c2.png"
TABLE = Table(columns=["name", "ms"], rows=[["read", 700], ["parse", 900.5]])


def with_tools() -> list[TurnEvent]:
    """A turn with text, a table, a picture, a tool that fails, and text."""
    called = [
        ToolStart(tool_call_id=f"c{number}", tool_name=name, args={"top": number}, message=f"{name} runs")
        for number, name in ((1, "top_functions"), (2, "draw"), (3, "query_trace"))
    ]
    return [
        TurnStarted(attempt=1, model="script", prompt_version="test"),
        *text_of(FIRST_ID, TEXTS[0]),
        *called,
        ToolResult(
            tool_call_id="c1",
            tool_name="top_functions",
            status="success",
            result_type="table",
            text_content="q1: read 700",
            table=TABLE,
        ),
        ToolResult(
            tool_call_id="c2",
            tool_name="draw",
            status="success_with_warning",
            result_type="image",
            text_content="a picture",
            image_url=PICTURE,
            truncated=True,
        ),
        ToolError(tool_call_id="c3", tool_name="query_trace", code="timeout", message="too slow"),
        *text_of(MESSAGE_ID, TEXTS[1]),
    ]


def text_of(message_id: str, text: str) -> list[TurnEvent]:
    """A letter an event."""
    return [
        (ModelChunkAppend if offset else ModelChunkStart)(message_id=message_id, offset=offset, chunk=letter)
        for offset, letter in enumerate(text)
    ]


def body(path: str, text: str = "why?", *, message_id: str = "m1", chat: str = CHAT, **more: Any) -> dict[str, Any]:
    """A request as the protocol's client makes it, with a history that is not ours."""
    history: list[dict[str, Any]] = [
        {"id": "m0", "role": "user", "content": "Older."},
        {"id": "a0", "role": "assistant", "content": "Lies."},
    ]
    if path == AG_UI:
        newest = {"id": message_id, "role": "user", "content": text}
        return {"threadId": chat, "runId": "r1", "messages": [*history, newest], "forwardedProps": more}
    message: dict[str, Any] = {"id": message_id, "role": "user", "parts": [{"type": "text", "text": text}]}
    return {"id": chat, "trigger": "submit-message", "messages": [*history, message]} | more


async def answer(server: RunningServer, path: str, sent: dict[str, Any], token: str = "anna") -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"}
    got = await server.http.post(path, json=sent, headers=headers)
    assert got.status_code == 200, got.text
    return got


@asynccontextmanager
async def streaming(server: RunningServer, path: str, sent: dict[str, Any]) -> AsyncIterator[AsyncIterator[str]]:
    """The lines of an answer as they come."""
    async with server.http.stream("POST", path, json=sent, headers=AS_ANNA) as got:
        yield got.aiter_lines()


async def until(lines: AsyncIterator[str], piece: str) -> None:
    """Read up to the first line that has it."""
    async for line in lines:
        if piece in line:
            return
    raise AssertionError(f"no line has {piece}")


def frames(got: httpx.Response) -> list[Any]:
    """Of `text/event-stream`; lines of the data stream as pairs of code and value."""
    if got.headers["content-type"].startswith("text/plain"):
        return [
            (code, json.loads(value)) for code, _, value in (one.partition(":") for one in got.text.split("\n") if one)
        ]
    found = []
    for event in got.text.split("\n\n"):
        if event.startswith("data: "):
            data = event.removeprefix("data: ")
            found.append(data if data == "[DONE]" else json.loads(data))
    return found


def texts(path: str, got: list[Any]) -> str:
    """The text of the answer."""
    if path == DATA_STREAM:
        return "".join(value for code, value in got if code == "0")
    kind = "TEXT_MESSAGE_CONTENT" if path == AG_UI else "text-delta"
    return "".join(one["delta"] for one in got if isinstance(one, dict) and one["type"] == kind)


def error_code(path: str, got: list[Any]) -> str | None:
    """Of an answer that is a refusal."""
    if path == DATA_STREAM:
        return next((value.partition(":")[0] for code, value in got if code == "3"), None)
    if path == AG_UI:
        return next((one["code"] for one in got if one["type"] == "RUN_ERROR"), None)
    errors = [one for one in got if isinstance(one, dict) and one["type"] == "error"]
    return errors[0]["errorText"].partition(":")[0] if errors else None


async def prompts(server: RunningServer) -> list[str]:
    """Of the newest conversation, those that stand."""
    sessions = (await server.http.get("/api/v1/sessions", headers=AS_ANNA)).json()["sessions"]
    if not sessions:
        return []
    rows = await server.http.get(f"/api/v1/sessions/{sessions[0]['sessionId']}/messages", headers=AS_ANNA)
    return [row["contentText"] for row in rows.json()["messages"] if row["sender"] == "user"]
