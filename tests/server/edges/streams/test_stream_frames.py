"""The frames of one turn in each protocol, letter by letter; tests/clients has them read by the clients themselves."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.adapters.in_process.clock import SystemClock
from server.edges.streams.ag_ui import AgUiFrames
from server.edges.streams.ai_sdk import AiSdkFrames
from server.edges.streams.appended_parts import TurnParts
from server.edges.streams.data_stream import DataStreamFrames
from server.edges.streams.frames import Addresses, Frames
from server.ports.conversations import TurnKind, TurnRow, TurnStatus
from server.protocol.events import ModelResponseEnd, ModelTextReset, ViewerAction
from server.protocol.wire_values import Check, Citation, OutsideSource, Usage
from tests.server.edges.streams.asking import (
    AG_UI,
    AI_SDK,
    ALL,
    DATA_STREAM,
    FIRST_ID,
    PICTURE,
    TABLE,
    TEXTS,
    answer,
    body,
    frames,
    text_of,
    texts,
    with_tools,
)
from tests.server.running_server import MESSAGE_ID, ScriptedAgent, running_server

ORIGIN = "https://flamechat.example.com"
TURN = TurnRow(
    turn_id="turn",
    session_id="session",
    trace_id="trace",
    account_id="account",
    user_id="user",
    kind=TurnKind.PROMPT,
    status=TurnStatus.RUNNING,
    prompt="why?",
    model=None,
    context={},
    attempt=1,
    handed_over=0,
    cancel_requested=False,
    plan_name="local",
    messages_used=1,
    messages_limit=None,
    created_at=SystemClock().now(),
)
PAGE = "https://docs.example/7"
CITED = Citation(handle="f3", label="read", name="read", file="io.py", line=7, engine_version="1")
CHECK = Check(claim="70 %", kind="percentage", status="verified", start=14, end=18)
END = ModelResponseEnd(
    message_id=MESSAGE_ID,
    usage=Usage(input_tokens=5, output_tokens=2),
    citations=[CITED],
    checks=[CHECK],
    suggestions=[],
    sources=[OutsideSource(name="docs.example", url=PAGE), OutsideSource(name="tracker")],
)
PAGE_SOURCE = {"url": PAGE, "title": "docs.example"}
SOURCE = {"url": f"{ORIGIN}/t/trace/session#f3", "title": "read (io.py:7)"}


class Got:
    """As httpx's answer, for `frames`."""

    def __init__(self, of: Frames) -> None:
        parts = TurnParts()
        script = [*with_tools(), ViewerAction(action="show", handle="f3"), END]
        sent = [of.start(TURN), *(of.part(part) for event in script for part in parts.take(event))]
        self.text = b"".join(sent).decode()
        self.headers = {"content-type": of.headers["Content-Type"]}


def got(of: Frames) -> list[Any]:
    return frames(Got(of))  # type: ignore[arg-type]


def test_of_ai_sdk() -> None:
    sent = got(AiSdkFrames(Addresses(ORIGIN)))
    deltas = [one for one in sent if isinstance(one, dict) and one["type"] == "text-delta"]
    rest = [one for one in sent if one not in deltas]
    assert [one["type"] if isinstance(one, dict) else one for one in rest] == [
        *("start", "start-step", "text-start", "text-end"),
        *("tool-input-start", "tool-input-available") * 3,
        *("tool-output-available", "data-table", "tool-output-available", "file", "tool-output-error"),
        *("finish-step", "start-step", "text-start", "data-viewer", "text-end"),
        *("source-url", "source-url", "source-document", "data-checks", "finish-step", "finish", "[DONE]"),
    ]
    by_type = {one["type"]: one for one in rest if isinstance(one, dict)}
    assert by_type["start"]["messageId"] == "turn"
    assert by_type["tool-output-error"]["errorText"] == "too slow"
    assert by_type["tool-output-available"] == {
        "type": "tool-output-available",
        "toolCallId": "turn/c2",
        "providerExecuted": True,
        "dynamic": True,
        "output": {"status": "success_with_warning", "text": "a picture", "truncated": True},
    }
    assert by_type["data-table"]["data"] == {"toolCallId": "turn/c1", "columns": TABLE.columns, "rows": TABLE.rows}
    assert by_type["file"] == {"type": "file", "url": ORIGIN + PICTURE, "mediaType": "image/png"}
    assert [one for one in rest if isinstance(one, dict) and one["type"].startswith("source-")] == [
        {"type": "source-url", "sourceId": "f3"} | SOURCE,
        {"type": "source-url", "sourceId": "outside-1"} | PAGE_SOURCE,
        {"type": "source-document", "sourceId": "outside-2", "mediaType": "text/plain", "title": "tracker"},
    ]
    assert by_type["data-checks"]["data"][0]["claim"] == "70 %"
    assert by_type["data-viewer"]["data"]["handle"] == "f3"
    assert by_type["finish"]["messageMetadata"]["usage"]["outputTokens"] == 2
    assert {one["id"] for one in deltas} == {FIRST_ID, MESSAGE_ID}


def test_of_the_data_stream() -> None:
    sent = got(DataStreamFrames(Addresses(ORIGIN)))
    rest = [one for one in sent if one[0] != "0"]
    assert [code for code, _ in rest] == [
        *("f", "b", "c", "b", "c", "b", "c", "a", "aui-data", "a", "k", "a", "aui-data"),
        *("h", "h", "aui-data", "aui-data", "e", "d"),
    ]
    assert ("c", {"toolCallId": "turn/c1", "argsTextDelta": '{"top":1}', "isFinal": True}) in rest
    assert ("k", {"data": ORIGIN + PICTURE, "mimeType": "image/png"}) in rest
    assert ("a", {"toolCallId": "turn/c3", "result": "too slow", "isError": True}) in rest
    assert ("h", {"sourceType": "url", "id": "f3"} | SOURCE) in rest
    assert ("h", {"sourceType": "url", "id": "outside-1"} | PAGE_SOURCE) in rest
    assert ("aui-data", {"name": "source", "data": {"id": "outside-2", "title": "tracker"}}) in rest
    assert [value["name"] for code, value in rest if code == "aui-data"] == ["table", "viewer", "source", "checks"]


def test_of_ag_ui() -> None:
    of = AgUiFrames(Addresses(ORIGIN))
    of.run_as("thread", "run")
    sent = got(of)
    rest = [one for one in sent if one["type"] != "TEXT_MESSAGE_CONTENT"]
    assert [one.get("name", one["type"]) for one in rest] == [
        *("RUN_STARTED", "turn", "TEXT_MESSAGE_START", "TEXT_MESSAGE_END"),
        *("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END") * 3,
        *("TOOL_CALL_RESULT", "table", "TOOL_CALL_RESULT", "file", "tool-status", "TOOL_CALL_RESULT", "tool-status"),
        *("TEXT_MESSAGE_START", "viewer", "TEXT_MESSAGE_END", "sources", "checks", "RUN_FINISHED"),
    ]
    assert {one["runId"] for one in (rest[0], rest[-1])} == {"run"}
    assert [one["content"] for one in rest if one["type"] == "TOOL_CALL_RESULT"] == [
        "q1: read 700",
        "a picture",
        "too slow",
    ]
    assert rest[-1]["result"]["answerId"] == MESSAGE_ID
    (sources,) = [one["value"] for one in rest if one.get("name") == "sources"]
    assert sources == [
        {"id": "f3"} | SOURCE,
        {"id": "outside-1"} | PAGE_SOURCE,
        {"id": "outside-2", "url": None, "title": "tracker"},
    ]


@pytest.mark.parametrize("path", ALL)
async def test_what_is_stored_is_shown_as_it_was_live(tmp_path: Path, path: str) -> None:
    """Who comes after the end gets the same frames, but for the deltas, which are one."""
    async with running_server(tmp_path, ScriptedAgent(with_tools(), sources=tuple(END.sources))) as server:
        await server.trace_id()
        live = frames(await answer(server, path, body(path)))
        late = frames(await answer(server, path, body(path)))
    assert texts(path, live) == texts(path, late) == "".join(TEXTS)
    both = (live, late)
    of_tools = {
        AI_SDK: ("tool-", "file", "data-", "source-"),
        DATA_STREAM: ("a", "b", "c", "k", "h"),
        AG_UI: ("TOOL_", "CUSTOM"),
    }
    kinds = [[one[0] if path == DATA_STREAM else one.get("type", "") for one in got if one != "[DONE]"] for got in both]
    of_live, of_late = (sorted(kind for kind in one if kind.startswith(of_tools[path])) for one in kinds)
    assert of_live == of_late != []


def test_a_text_that_replaces_another_is_marked_in_each_protocol() -> None:
    def sent(of: Frames) -> str:
        events = [*text_of("m", "It was"), ModelTextReset(message_id="m", offset=0), *text_of("m", "He is")]
        parts = TurnParts()
        return b"".join([of.start(TURN), *(of.part(part) for event in events for part in parts.take(event))]).decode()

    replaced = {"aui-data:": {"name": "replaced", "data": {"messageId": "m"}}, "0:": "H"}
    lines = [f"{code}{json.dumps(value, separators=(',', ':'))}" for code, value in replaced.items()]
    assert "\n".join(lines) in sent(DataStreamFrames(Addresses(ORIGIN)))
    versioned = '"providerMetadata":{"flamechat":{"messageId":"m","version":1}}'
    assert versioned in sent(AiSdkFrames(Addresses(ORIGIN)))
    assert '"name":"replaced","value":{"messageId":"m","by":"m.1"}' in sent(AgUiFrames(Addresses(ORIGIN)))
