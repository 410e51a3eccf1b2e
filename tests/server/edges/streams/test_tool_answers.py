"""A turn that waits for a client: the question in the client's own way, and the answer by which the turn goes on."""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.agent.turn import PageQuestion, TurnAnswer, TurnInput, TurnSink, WaitsForPage
from server.protocol.events import ToolResult, ToolStart, TurnEvent, TurnStarted
from tests.server.edges.streams.asking import (
    AG_UI,
    AI_SDK,
    ALL,
    DATA_STREAM,
    answer,
    body,
    error_code,
    frames,
    text_of,
    texts,
)
from tests.server.running_server import ScriptedAgent, running_server

CALL = "call_0"
QUESTION: dict[str, Any] = {"question": "Which one?", "choices": ["a", "b"]}
ANSWER = {"status": "answered", "answer": "b"}
NAMED = {"tool_call_id": CALL, "tool_name": "ask_person"}


class AskingAgent(ScriptedAgent):
    """Says something, asks the person, and goes on with the answer in another attempt."""

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        before: list[TurnEvent] = [
            TurnStarted(attempt=1, model="script", prompt_version="test"),
            *text_of(str(uuid.uuid5(uuid.UUID(turn.turn_id), "before")), "First."),
            ToolStart(**NAMED, args=QUESTION, message="asks"),
        ]
        self.asked.append(turn)
        if turn.page_answer is None:
            for event in before:
                await sink.emit(event)
            raise WaitsForPage(
                PageQuestion(
                    interrupt_id=str(uuid.uuid5(uuid.UUID(turn.turn_id), CALL)), args=QUESTION, seconds=300, **NAMED
                )
            )
        sink.restore(before)
        shown = str(turn.page_answer.result)
        await sink.emit(ToolResult(**NAMED, status="success", result_type="text", text_content=shown))
        self.script = text_of(
            str(uuid.uuid5(uuid.UUID(turn.turn_id), "after")), f"You chose {turn.page_answer.result['answer']}."
        )
        done = await super().answer(turn, sink)
        self.asked.pop()
        return done


MOUNTED: dict[str, Any] = {"mountedTools": [{"name": "ask_person", "version": 1}]}


def _call_ids(path: str, got: list[Any]) -> Iterator[str]:
    for one in got:
        if path == DATA_STREAM and one[0] == "b":
            yield one[1]["toolCallId"]
        elif path != DATA_STREAM and one["type"] in ("TOOL_CALL_START", "tool-input-start"):
            yield one["toolCallId"]


def asked_again(path: str, first: list[Any], result: Any) -> dict[str, Any]:
    """What the client sends when it has the person's answer."""
    sent = body(path, **MOUNTED)
    call = next(_call_ids(path, first))
    if path == AI_SDK:
        part = {"type": "dynamic-tool", "toolCallId": call, "state": "output-available", "output": result}
        sent["messages"].append({"id": first[0]["messageId"], "role": "assistant", "parts": [part]})
        sent["messageId"] = first[0]["messageId"]
    elif path == DATA_STREAM:
        output = {"type": "tool-result", "toolCallId": call, "output": {"type": "json", "value": result}}
        sent["messages"].append({"role": "tool", "content": [output]})
    else:
        sent["messages"].append({"id": "t", "role": "tool", "toolCallId": call, "content": json.dumps(result)})
    return sent


def waits(path: str, got: list[Any]) -> Any:
    """Whether the answer ends with a call that the client is to answer."""
    if path == DATA_STREAM:
        return got[-1][1]["finishReason"] == "tool-calls"
    if path == AG_UI:
        return [one.partition("/")[2] for one in got[-1]["outcome"]["pendingToolCallIds"]] == [CALL]
    calls = [one for one in got if isinstance(one, dict) and one["type"] == "tool-input-available"]
    return calls[-1]["providerExecuted"] is False and calls[-1]["input"] == QUESTION


@pytest.mark.parametrize("path", ALL)
async def test_a_question_is_answered_by_the_client_and_the_turn_goes_on(tmp_path: Path, path: str) -> None:
    agent = AskingAgent()
    async with running_server(tmp_path, agent) as server:
        await server.trace_id()
        first = frames(await answer(server, path, body(path, **MOUNTED)))
        assert texts(path, first) == "First."
        assert waits(path, first)
        again = frames(await answer(server, path, body(path, **MOUNTED)))
        assert waits(path, again), "who asks again meanwhile is asked again"
        wrong = await answer(server, path, asked_again(path, first, {"status": "perhaps"}))
        assert error_code(path, frames(wrong)) == "bad_field"
        sent = asked_again(path, first, ANSWER)
        then = frames(await answer(server, path, sent))
        assert texts(path, then) == "You chose b.", "only what the client does not have"
        assert "ask_person" not in json.dumps(then)
        assert error_code(path, then) is None
        late = frames(await answer(server, path, sent))
        assert texts(path, late) == "You chose b.", "the same answer again follows the turn that goes on by it"
        other = await answer(server, path, asked_again(path, first, {"status": "declined"}))
        assert error_code(path, frames(other)) in ("bad_field", None)
        assert [turn.page_answer is None for turn in agent.asked] == [True, False]
        assert agent.asked[0].turn_id == agent.asked[1].turn_id
        assert [one.name for one in agent.asked[0].viewer.mounted_tools if not isinstance(one, str)] == ["ask_person"]


async def test_tools_of_the_client_that_the_server_knows_are_mounted(tmp_path: Path) -> None:
    agent = ScriptedAgent()
    async with running_server(tmp_path, agent) as server:
        await server.trace_id()
        sent = body(AG_UI) | {"tools": [{"name": "pick_trace", "parameters": {}}, {"name": "send_mail"}]}
        await answer(server, AG_UI, sent)
        named = body(DATA_STREAM, message_id="m2") | {"tools": {"navigate": {}, "send_mail": {}}}
        await answer(server, DATA_STREAM, named)
        mounted = [
            [one if isinstance(one, str) else one.name for one in turn.viewer.mounted_tools] for turn in agent.asked
        ]
        assert mounted == [["pick_trace"], ["navigate"]]
        bad = body(AI_SDK, message_id="m3", mountedTools=[{"name": 1}])
        assert error_code(AI_SDK, frames(await answer(server, AI_SDK, bad))) == "bad_field"


ARGS: dict[str, Any] = {"server": "tracker", "tool": "close", "arguments": {"issue": "PERF-7"}, "attempt": 1}
CLOSING = {"tool_call_id": CALL, "tool_name": "tracker_close"}


class ClosingAgent(ScriptedAgent):
    """Wants to call a tool that a person has to allow."""

    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        opening: list[TurnEvent] = [
            TurnStarted(attempt=1, model="script", prompt_version="test"),
            ToolStart(**CLOSING, args={"issue": "PERF-7 of main"}, message="asks"),
        ]
        if turn.page_answer is None:
            for event in opening:
                await sink.emit(event)
            question: dict[str, Any] = {
                "tool_call_id": CALL,
                "tool_name": "approve_call",
                "args": ARGS,
                "seconds": 300.0,
            }
            raise WaitsForPage(PageQuestion(interrupt_id=str(uuid.uuid5(uuid.UUID(turn.turn_id), CALL)), **question))
        sink.restore(opening)
        shown = str(turn.page_answer.result)
        await sink.emit(ToolResult(**CLOSING, status="success", result_type="text", text_content=shown))
        self.script = text_of(str(uuid.uuid5(uuid.UUID(turn.turn_id), "after")), "Done.")
        return await super().answer(turn, sink)


@pytest.mark.parametrize(("approved", "status"), [(True, "allowed"), (False, "declined"), ("yes", "declined")])
async def test_ai_sdk_is_asked_for_approval_in_its_own_way(tmp_path: Path, approved: Any, status: str) -> None:
    async with running_server(tmp_path, ClosingAgent()) as server:
        mounted = {"mountedTools": [{"name": "approve_call", "version": 1, "context": {"form": "approval"}}]}
        await server.trace_id()
        asked = body(AI_SDK) | mounted
        first = frames(await answer(server, AI_SDK, asked))[:-1]
        assert [one["type"] for one in first][-4:] == [
            "tool-input-available",
            "tool-approval-request",
            "finish-step",
            "finish",
        ]
        call, request = first[-4:-2]
        assert call["input"] == ARGS["arguments"], "what would leave is in sight"
        assert call["toolName"] == "tracker_close"
        responded = {"type": "dynamic-tool", "toolCallId": call["toolCallId"], "state": "approval-responded"}
        part = responded | {"approval": {"id": request["approvalId"], "approved": approved}}
        later = asked | {"messages": [*asked["messages"], {"role": "assistant", "id": "a", "parts": [part]}]}
        then = frames(await answer(server, AI_SDK, later))[:-1]
        (outcome,) = [one for one in then if one["type"] == "tool-output-available"]
        assert outcome["toolCallId"] == call["toolCallId"]
        assert status in outcome["output"]["text"]
        assert not [one for one in then if one["type"] == "tool-input-start"]


async def test_a_client_that_does_not_say_so_answers_by_an_output(tmp_path: Path) -> None:
    async with running_server(tmp_path, ClosingAgent()) as server:
        await server.trace_id()
        asked = body(AI_SDK, mountedTools=[{"name": "approve_call", "version": 1}])
        first = frames(await answer(server, AI_SDK, asked))[:-1]
        assert "tool-approval-request" not in [one["type"] for one in first]
        (call,) = [one for one in first if one.get("toolName") == "approve_call"]
        assert call["input"] == ARGS
