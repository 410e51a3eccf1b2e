"""How far a turn goes: its limit, its tool rounds, its time, what it may remember."""

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from server.agent.bounds import AgentBounds
from server.agent.graph.compiled_graph import build_graph
from server.agent.graph.state import TurnContext, TurnState
from server.agent.model_call.reply_stream import assembled
from server.errors import LimitExceeded, ModelFailed
from server.ports.traces import OpenTrace
from server.protocol.events import ToolError
from server.testing.scripted import Line, ScriptedChat, ScriptedModels
from tests.server.agent.turns import stage

LOOK = Line(calls=(("get_trace_summary", "{}"),), finish_reason="tool_calls")


async def test_a_session_over_its_limit_is_stopped_before_the_model_is_called() -> None:
    chat = ScriptedChat(lines=[Line(text="never said")])
    scene = stage(ScriptedModels(chat), messages_used=27, messages_limit=25, plan_name="free")
    with pytest.raises(LimitExceeded, match="25 messages that the free plan allows") as refused:
        await scene.agent.answer(scene.turn, scene.sink)

    assert chat.requests == []
    assert refused.value.decision.used == 27


async def test_the_prompt_at_the_limit_gets_its_answer() -> None:
    scene = stage(ScriptedModels(ScriptedChat(lines=[LOOK, Line(text="Done.")])), messages_used=25, messages_limit=25)
    assert (await scene.agent.answer(scene.turn, scene.sink)).text == "Done."


async def test_after_fifteen_tool_rounds_the_model_must_answer_without_tools() -> None:
    chat = ScriptedChat(lines=[LOOK] * 15 + [Line(text="With what is known: parse_json.")])
    scene = stage(ScriptedModels(chat))
    answer = await scene.agent.answer(scene.turn, scene.sink)

    assert answer.text == "With what is known: parse_json."
    assert len(scene.sink.of("tool_result")) == 15
    assert chat.requests[14].tools
    assert chat.requests[15].tools == []
    assert "Answer the question now" in chat.requests[15].messages[-1].text


async def test_a_model_that_calls_tools_even_then_fails_clearly() -> None:
    chat = ScriptedChat(lines=[LOOK] * 20)
    scene = stage(ScriptedModels(chat), bounds=AgentBounds(tool_rounds=3))
    with pytest.raises(ModelFailed, match="empty, twice"):
        await scene.agent.answer(scene.turn, scene.sink)
    assert len(scene.sink.of("tool_result")) == 3


async def test_a_turn_has_a_deadline() -> None:
    scene = stage(ScriptedModels(ScriptedChat(lines=[LOOK] * 16)), bounds=AgentBounds(turn_seconds=0))
    with pytest.raises(ModelFailed, match="No answer within 0 s") as failed:
        await scene.agent.answer(scene.turn, scene.sink)
    assert failed.value.code == "deadline"


async def test_the_model_learns_of_a_tool_that_takes_too_long_and_the_turn_goes_on() -> None:
    chat = ScriptedChat(lines=[LOOK, Line(text="Without the summary, then.")])
    scene = stage(ScriptedModels(chat), bounds=AgentBounds(tool_seconds=0))
    answer = await scene.agent.answer(scene.turn, scene.sink)

    failed = scene.sink.of("tool_error")[0]
    assert isinstance(failed, ToolError)
    assert failed.code == "timeout"
    assert "timeout error" in chat.requests[1].messages[-1].text
    assert answer.text == "Without the summary, then."


async def test_more_than_eight_calls_in_a_round_are_refused_one_by_one() -> None:
    many = Line(calls=tuple(("find_frames", f'{{"pattern": "p{n}"}}') for n in range(10)), finish_reason="tool_calls")
    chat = ScriptedChat(lines=[many, Line(text="Enough.")])
    scene = stage(ScriptedModels(chat))
    await scene.agent.answer(scene.turn, scene.sink)

    assert len(scene.sink.of("tool_result")) == 8
    assert len(scene.sink.of("tool_error")) == 2
    results = [message for message in chat.requests[1].messages if message.type == "tool"]
    assert len(results) == 10, "every call gets its answer, or the next request is refused"


async def test_what_a_turn_remembers_can_be_checkpointed_and_holds_no_picture() -> None:
    drawing = Line(calls=(("generate_flamegraph_screenshot", "{}"),), finish_reason="tool_calls")
    seen: list[dict[str, Any]] = []
    graph = build_graph()

    async def watching(first: TurnState, context: TurnContext) -> TurnState:
        last: Any = None
        async for last in graph.astream(first, context=context, stream_mode="values"):
            seen.append(dict(last))
        return cast("TurnState", last)

    scene = stage(ScriptedModels(ScriptedChat(lines=[drawing, Line(text="Seen.")])), run=watching)
    await scene.agent.answer(scene.turn, scene.sink)

    kept = [JsonPlusSerializer().dumps_typed(state)[1] for state in seen]
    assert len(kept) > 4
    png = next(iter(scene.pictures.saved.values()))
    assert all(png[:64] not in blob and b"data:image" not in blob for blob in kept)
    assert (
        JsonPlusSerializer().loads_typed(JsonPlusSerializer().dumps_typed(seen[-1]))["messages"] == seen[-1]["messages"]
    )


def test_tool_call_ids_are_unique_in_a_turn_and_safe_in_a_path() -> None:
    taken = {"call_0"}
    asked = [
        {"name": "a", "args": "{}", "id": identifier, "index": index, "type": "tool_call_chunk"}
        for index, identifier in enumerate(["call_0", "../../etc/passwd", None, "good-1", "good-1"])
    ]
    message = assembled("", asked, taken)  # type: ignore[arg-type]
    ids = [call["id"] or "" for call in message.tool_calls]
    assert len(set(ids)) == 5
    assert ids[3] == "good-1"
    assert all("/" not in identifier and identifier for identifier in ids)
    assert isinstance(message, AIMessage)


async def test_a_trace_that_is_gone_fails_the_tool_not_the_process() -> None:
    chat = ScriptedChat(lines=[LOOK, Line(text="It is gone.")])
    scene = stage(ScriptedModels(chat))
    workers = scene.agent._workers

    class Forgetful:
        asked = 0

        async def ask(self, trace: OpenTrace, question: Any, /, *args: Any, **kwargs: Any) -> Any:
            self.asked += 1
            gone = replace(trace, key="0" * 64) if self.asked == 2 else trace
            return await workers.ask(gone, question, *args, **kwargs)

    scene.agent._workers = Forgetful()  # type: ignore[assignment]
    answer = await scene.agent.answer(scene.turn, scene.sink)
    failed = scene.sink.of("tool_error")[0]
    assert isinstance(failed, ToolError)
    assert failed.code == "unavailable"
    assert answer.text == "It is gone."


async def test_a_cancel_passes_through() -> None:
    reached = asyncio.Event()

    class Never:
        async def ask(self, *_args: Any) -> Any:
            reached.set()
            await asyncio.Event().wait()

    scene = stage(ScriptedModels(ScriptedChat(lines=[LOOK])))
    scene.agent._workers = Never()  # type: ignore[assignment]
    running = asyncio.create_task(scene.agent.answer(scene.turn, scene.sink))
    async with asyncio.timeout(60):
        await reached.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
