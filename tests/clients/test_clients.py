"""The real clients in Node, 50 turns each: what they show is what is stored, and nothing runs twice or is stopped."""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from server.agent.turn import PageQuestion, TurnAnswer, TurnInput, TurnSink, WaitsForPage
from server.errors import ModelFailed
from server.protocol.events import ModelTextReset, ToolError, ToolResult, ToolStart, TurnEvent, TurnStarted
from server.protocol.wire_values import Check, Citation, OutsideSource, Table, Usage
from tests.clients.installed import NODE, clients_folder
from tests.server.edges.streams.asking import text_of
from tests.server.running_server import ScriptedAgent, running_server
from tests.server.talking import AS_ANNA

pytestmark = [pytest.mark.long, pytest.mark.timeout(600), pytest.mark.xdist_group("clients")]

CLIENTS = ("ai-5", "ai-6", "ai-7", "assistant-ui", "assistant-ui-of-ai-sdk", "ag-ui")
KINDS = ("answer", "ask", "fail", "stop", "reload", "again")
CLIENT_S = 120
"""For a client's 50 turns: only a bound."""

PROMPTS = [f"{KINDS[number % len(KINDS)]} {number}" for number in range(50)]

FIRST, SECOND = "Let me “look”.\n\n", "| a | b |\n|---|---|\n| 70 % | `read` |\n\n…and so – 🔥 e\u0301 \u2028 done.  "
TABLE = Table(columns=["name", "ms"], rows=[["read", 700], ["parse", 900.5], ["paint", None]])
PAGE = "https://docs.example/7"
CITED = Citation(handle="f3", label="read", name="read", file="io.py", line=7, engine_version="1")
CHECK = Check(claim="70 %", kind="percentage", status="verified", start=0, end=4)


TOOLS_OF = {"stop": [], "ask": ["list", "draw", "query", "ask_person"]}


class PromptedAgent(ScriptedAgent):
    """Does what the prompt says; what was dropped goes on when the client says that it has dropped it."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[dict[str, Any]] = []
        self.dropped = {prompt: anyio.Event() for prompt in PROMPTS}

    async def _ask(self, turn: TurnInput, sink: TurnSink) -> None:
        call = {"tool_call_id": "asks", "tool_name": "ask_person"}
        await sink.emit(ToolStart(**call, args={"question": "Which?", "choices": ["a", "b"]}, message="asks"))
        if turn.page_answer is None:
            interrupt_id = str(uuid.uuid5(uuid.UUID(turn.turn_id), "asks"))
            question = {"question": "Which?", "choices": ["a", "b"]}
            raise WaitsForPage(PageQuestion(interrupt_id=interrupt_id, args=question, seconds=300, **call))
        self.answers.append(turn.page_answer.result)
        await sink.emit(ToolResult(**call, status="success", result_type="text", text_content="b"))

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        if turn.page_answer is None:
            self.asked.append(turn)
        kind, second_id = turn.prompt.split()[0], str(uuid.uuid4())
        await sink.emit(TurnStarted(attempt=1, model="script", prompt_version="test"))
        for event in text_of(str(uuid.uuid5(uuid.UUID(turn.turn_id), "first")), FIRST):
            await sink.emit(event)
        if kind == "stop":
            await anyio.Event().wait()
        if kind == "reload":
            await self.dropped[turn.prompt].wait()
        for event in _tools(turn.turn_id):
            await sink.emit(event)
        if kind == "ask":
            await self._ask(turn, sink)
        if kind == "fail":
            raise ModelFailed("The provider is away.", code="model_failed")
        for event in _second(second_id, is_taken_back=kind == "again"):
            await sink.emit(event)
        return TurnAnswer(
            message_id=second_id,
            text=SECOND,
            usage=Usage(model_calls=1, input_tokens=10, output_tokens=5),
            citations=(CITED,),
            checks=(CHECK,),
            sources=(OutsideSource(name="docs.example", url=PAGE), OutsideSource(name="tracker")),
            suggestions=(),
            title="Clients",
            model="script",
            prompt_version="test",
        )


def _second(message_id: str, *, is_taken_back: bool) -> Iterator[TurnEvent]:
    if is_taken_back:
        yield from text_of(message_id, "Other words.")
        yield ModelTextReset(message_id=message_id, offset=0)
    yield from text_of(message_id, SECOND)


def _tools(turn_id: str) -> Iterator[TurnEvent]:
    """A table, a picture and a failure, side by side, called as in every other turn."""
    calls = {name: f"call_{number}" for number, name in enumerate(("list", "draw", "query"))}
    for name, call in calls.items():
        yield ToolStart(tool_call_id=call, tool_name=name, args={"why": "“so”"}, message=f"{name} runs")
    table = {"result_type": "table", "table": TABLE, "text_content": "q1: read 700"}
    picture = {
        "result_type": "image",
        "image_url": f"/api/v1/pictures/{turn_id}/{calls['draw']}.png",
        "text_content": "a picture",
    }
    yield ToolResult(tool_call_id=calls["list"], tool_name="list", status="success", **table)
    yield ToolResult(tool_call_id=calls["draw"], tool_name="draw", status="success", **picture)
    yield ToolError(tool_call_id=calls["query"], tool_name="query", code="timeout", message="too slow")


@pytest.fixture(scope="module")
def folder() -> Path:
    return clients_folder()


@pytest.mark.parametrize("client", CLIENTS)
async def test_fifty_turns_are_shown_as_they_are_stored(tmp_path: Path, folder: Path, client: str) -> None:
    agent = PromptedAgent()
    async with running_server(tmp_path, agent) as server:
        trace_id = await server.trace_id()
        command = [NODE, "turns.mjs", client, server.address, "anna", trace_id, json.dumps(PROMPTS)]
        shown = await _run(command, folder, agent)
        assert [one["prompt"] for one in shown] == PROMPTS
        assert [turn.prompt for turn in agent.asked] == PROMPTS, "a turn a prompt, in one order"
        assert len({turn.session_id for turn in agent.asked}) == 1
        assert agent.answers == [{"status": "answered", "answer": "b"}] * sum(one.startswith("ask") for one in PROMPTS)
        for one, turn in zip(shown, agent.asked, strict=True):
            path = f"/api/v1/sessions/{turn.session_id}/turns/{turn.turn_id}/messages"
            stored = (await server.http.get(path, headers=AS_ANNA)).json()["messages"]
            _same(one, stored, f"{server.address}/t/{trace_id}/{turn.session_id}#f3", server.address)


async def _run(command: list[str], folder: Path, agent: PromptedAgent) -> list[dict[str, Any]]:
    shown = []
    with anyio.fail_after(CLIENT_S):
        async with await anyio.open_process(command, cwd=folder, stderr=None) as process:
            assert process.stdout is not None
            rest = b""
            async for data in process.stdout:
                *lines, rest = (rest + data).split(b"\n")
                for line in map(json.loads, lines):
                    if "dropped" in line:
                        agent.dropped[line["dropped"]].set()
                    else:
                        shown.append(line)
    assert process.returncode == 0
    return shown


def _same(one: dict[str, Any], stored: list[dict[str, Any]], source: str, address: str) -> None:
    kind = one["prompt"].split()[0]
    texts = [row["contentText"] for row in stored if row["sender"] == "model"]
    assert "".join(one["texts"]).encode() == "".join(texts).encode(), one["prompt"]
    tools = [row["toolName"] for row in stored if row["sender"] == "tool_request"]
    assert [name for name, _ in one["tools"]] == tools == TOOLS_OF.get(kind, ["list", "draw", "query"])
    pictures = [f"{address}{row['contentImageUrl']}" for row in stored if row["contentImageUrl"]]
    assert one["files"] == pictures
    if kind in ("answer", "reload", "ask", "again"):
        assert (one["sources"], one["error"]) == ([source, PAGE], None)
        assert {"table", "checks"} <= set(one["data"])
    elif kind == "fail":
        assert "model_failed: The provider is away." in one["error"]
    ended = [row["metadata"].get("event") for row in stored if row["sender"] == "system_event"]
    assert ended == {"fail": ["turn_failed"], "stop": ["turn_cancelled"]}.get(kind, [])
