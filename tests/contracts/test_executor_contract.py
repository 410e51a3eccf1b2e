"""What every executor of a turn's graph does: order, one end, cancel, usage, tools, the page."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from typing import Any

import anyio
import pytest

from server.agent.turn import PageAnswer
from server.ports.ai_events import (
    CANCELLED,
    AiEvent,
    AssistantFinal,
    Done,
    Failed,
    InterruptAsked,
    RunStarted,
    SessionTitled,
    TextDelta,
    TextStart,
    ToolCallFailed,
    ToolCallResult,
    ToolCallStart,
    UsageReport,
    ViewerDriven,
)
from server.ports.executor import run_id_of
from server.ports.invocations import Outcome
from server.protocol.mounted import NOBODY_THERE, MountedTool
from server.protocol.wire_values import ViewerState
from tests.contracts.executors import (
    BOUND_S,
    GRAPH_VERSION,
    TURN,
    ExecutorHouse,
    attempt_of,
    attempted,
    in_process,
    kinds_of,
    read,
    texts_of,
)
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint
from tests.server.agent.turns import HOSTILE, small_trace

LOOKING = Reply(text="Let me look.", calls=(("get_top_functions", "{}"),))
ANSWER = Reply(text="[`parse_json`](#f2) dominates with 60.0% (600 ms).")
ASKING = Reply(text="Look.", calls=(("ask_person", '{"question": "which?", "choices": ["a", "b"]}'),))
ANSWERING = ViewerState(mounted_tools=(MountedTool(name="ask_person", version=1),))

Opened = Callable[..., Any]


@pytest.fixture
def opening() -> Callable[[Endpoint], AbstractAsyncContextManager[ExecutorHouse]]:
    """In process; `test_executor_on_langgraph` has all of these tests over a real LangGraph server."""
    return in_process


@pytest.fixture
async def opened(opening: Callable[[Endpoint], AbstractAsyncContextManager[ExecutorHouse]]) -> AsyncIterator[Opened]:
    """An executor whose model gives these replies, and the endpoint that it asks."""
    async with AsyncExitStack() as stack:

        async def open_with(*replies: Reply) -> tuple[ExecutorHouse, Endpoint]:
            endpoint = await stack.enter_async_context(openai_endpoint(*replies))
            return await stack.enter_async_context(opening(endpoint)), endpoint

        yield open_with


async def test_an_answer_comes_in_its_order_and_ends_once(opened: Opened) -> None:
    house, _ = await opened(LOOKING, ANSWER)
    events, end = await attempted(house)
    assert kinds_of(events) == [
        "RunStarted",
        "TextStart",
        "ToolCallStart",
        "ToolCallResult",
        "TextStart",
        "SessionTitled",
        "UsageReport",
        "AssistantFinal",
        "Done",
    ]
    assert isinstance(end, Done)
    assert (end.asked, end.answer) == (None, events[-2])


async def test_what_was_streamed_is_what_was_answered(opened: Opened) -> None:
    gate = asyncio.Event()
    house, _ = await opened(replace(ANSWER, gate=gate))
    events: list[AiEvent] = []
    with anyio.fail_after(BOUND_S):
        async for event in attempt_of(house).events:
            events.append(event)
            if isinstance(event, TextStart):
                gate.set()
    end = events[-1]
    assert isinstance(end, Done)
    assert end.answer is not None
    assert texts_of(events) == {end.answer.message_id: end.answer.text} == {end.answer.message_id: ANSWER.text}
    assert any(isinstance(event, TextDelta) for event in events), "in pieces"


async def test_nothing_happens_before_the_events_are_read(opened: Opened) -> None:
    house, endpoint = await opened(ANSWER)
    run = attempt_of(house)
    await run.events.aclose()
    assert endpoint.requests == []
    assert house.rows.rows == {}


async def test_the_first_event_names_attempt_model_and_prompt(opened: Opened) -> None:
    house, _ = await opened(ANSWER)
    events, end = await attempted(house, attempt=3)
    first = events[0]
    assert isinstance(first, RunStarted)
    assert (first.attempt, first.model) == (3, "fake")
    assert isinstance(end, Done)
    assert end.answer is not None
    assert first.prompt_version == end.answer.prompt_version


async def test_usage_is_the_sum_of_what_the_provider_reported(opened: Opened) -> None:
    house, _ = await opened(LOOKING, ANSWER)
    events, end = await attempted(house)
    (usage,) = [event for event in events if isinstance(event, UsageReport)]
    assert isinstance(end, Done)
    assert end.usage == usage
    counted = (usage.input_tokens, usage.output_tokens, usage.model_calls, usage.tool_calls)
    assert counted == (200, 40, 2, 1)


async def test_usage_that_nobody_reports_is_unknown(opened: Opened) -> None:
    house, _ = await opened(Reply(text="It is slow.", usage=None))
    _, end = await attempted(house)
    assert isinstance(end, Done)
    assert (end.usage.input_tokens, end.usage.output_tokens, end.usage.cost) == (None, None, None)


@pytest.mark.parametrize("usage", [(-5, 20), (100, -1)])
async def test_negative_usage_is_unknown_in_the_row(opened: Opened, usage: tuple[int, int]) -> None:
    house, _ = await opened(Reply(text="It is slow.", usage=usage))
    await attempted(house)
    (row,) = house.rows.rows.values()
    assert (row.input_tokens, row.output_tokens, row.cost_usd, row.error_code) == (None, None, None, "usage_unclear")


async def test_a_tool_s_result_follows_its_start_and_is_what_the_model_reads(opened: Opened) -> None:
    house, endpoint = await opened(LOOKING, ANSWER)
    events, _ = await attempted(house)
    (start,) = [event for event in events if isinstance(event, ToolCallStart)]
    (result,) = [event for event in events if isinstance(event, ToolCallResult)]
    assert (start.tool_call_id, start.tool_name) == (result.tool_call_id, "get_top_functions")
    (shown,) = [one["content"] for one in endpoint.requests[1]["messages"] if one["role"] == "tool"]
    assert result.text == shown
    assert result.number == 1
    assert "parse_json" in shown


async def test_what_a_trace_names_is_quoted_in_results(opened: Opened) -> None:
    house, endpoint = await opened(LOOKING, ANSWER)
    events, _ = await attempted(house, hostile=small_trace(hostile=True))
    (result,) = [event for event in events if isinstance(event, ToolCallResult)]
    for text in (result.text, str(endpoint.requests[1]["messages"])):
        assert HOSTILE not in text
        assert "\u202e" not in text
        assert "abcdef" not in text, "a secret of an address"


async def test_a_call_that_cannot_be_made_fails_and_the_run_goes_on(opened: Opened) -> None:
    house, _ = await opened(Reply(calls=(("get_top_functions", '{"limit": "many"}'), ("no_tool", "{}"))), ANSWER)
    events, end = await attempted(house)
    failed = [event for event in events if isinstance(event, ToolCallFailed)]
    assert [(one.tool_name, one.code) for one in failed] == [
        ("get_top_functions", "validation"),
        ("no_tool", "validation"),
    ]
    assert isinstance(end, Done)


async def test_a_picture_is_shown_to_the_model_once(opened: Opened) -> None:
    house, endpoint = await opened(Reply(calls=(("generate_flamegraph_screenshot", "{}"),)), LOOKING, ANSWER)
    events, _ = await attempted(house)
    results = [event for event in events if isinstance(event, ToolCallResult)]
    assert [one.result_type for one in results] == ["image", "table"]
    assert results[0].image_url is not None
    assert [len(endpoint.pictures(number)) for number in range(3)] == [0, 1, 0]


async def test_the_viewer_is_driven_where_it_is_there(opened: Opened) -> None:
    house, _ = await opened(Reply(calls=(("show_in_viewer", '{"handle": "f2"}'),)), ANSWER)
    viewer = ViewerState(mounted_tools=(MountedTool(name="show_in_viewer", version=1),))
    events, _ = await attempted(house, viewer=viewer)
    (driven,) = [event for event in events if isinstance(event, ViewerDriven)]
    assert driven.handle == "f2"


async def test_a_first_answer_names_the_conversation(opened: Opened) -> None:
    house, _ = await opened(ANSWER, ANSWER)
    events, end = await attempted(house)
    (titled,) = [event for event in events if isinstance(event, SessionTitled)]
    assert isinstance(end, Done)
    assert end.answer is not None
    assert titled.title == end.answer.title
    events, _ = await attempted(house, is_first_answer=False, turn_id=TURN.replace("1", "2"))
    assert "SessionTitled" not in kinds_of(events)


async def test_checks_and_citations_come_with_the_answer(opened: Opened) -> None:
    house, _ = await opened(LOOKING, ANSWER)
    _, end = await attempted(house)
    assert isinstance(end, Done)
    assert isinstance(end.answer, AssistantFinal)
    assert {one["status"] for one in end.answer.checks} == {"verified"}
    assert [one["handle"] for one in end.answer.citations] == ["f2"]


async def test_every_request_has_a_row_of_its_run(opened: Opened) -> None:
    house, endpoint = await opened(LOOKING, ANSWER)
    await attempted(house, request_id="r1", request_trace_id="0" * 31 + "1")
    rows = sorted(house.rows.rows.values(), key=lambda row: row.call_number)
    assert len(rows) == len(endpoint.requests) == 2
    for row in rows:
        assert (row.executor, row.outcome, row.turn_id) == (house.name, Outcome.OK, TURN)
        assert (row.graph_run_id, row.graph_version) == (run_id_of(TURN, 1), GRAPH_VERSION)
        assert (row.request_id, row.request_trace_id) == ("r1", "0" * 31 + "1")
        assert row.prompt_hash
        assert (row.input_tokens, row.output_tokens) == (100, 20)
    assert rows[0].prompt_hash != rows[1].prompt_hash


async def test_the_page_is_asked_and_the_run_ends_there(opened: Opened) -> None:
    house, endpoint = await opened(ASKING, ANSWER)
    events, end = await attempted(house, viewer=ANSWERING)
    assert kinds_of(events) == ["RunStarted", "TextStart", "ToolCallStart", "InterruptAsked", "Done"]
    assert isinstance(end, Done)
    assert end.asked == events[-2]
    assert end.answer is None
    assert len(endpoint.requests) == 1


async def test_the_page_s_answer_goes_on_in_another_attempt(opened: Opened) -> None:
    house, endpoint = await opened(ASKING, ANSWER)
    _, end = await attempted(house, viewer=ANSWERING)
    assert isinstance(end, Done)
    assert isinstance(end.asked, InterruptAsked)
    given = PageAnswer(end.asked.interrupt_id, {"status": "answered", "answer": "b"})
    events, end = await attempted(house, viewer=ANSWERING, attempt=2, page_answer=given)
    assert kinds_of(events)[:4] == ["Restored", "RunStarted", "ToolCallResult", "TextStart"]
    assert isinstance(end, Done)
    assert end.answer is not None
    assert len(endpoint.requests) == 2
    (shown,) = [one["content"] for one in endpoint.requests[1]["messages"] if one["role"] == "tool"]
    assert '"b"' in shown


async def test_a_page_that_does_not_answer_in_time_does_not_stop_the_run(opened: Opened) -> None:
    house, endpoint = await opened(ASKING, ANSWER)
    _, end = await attempted(house, viewer=ANSWERING)
    assert isinstance(end, Done)
    assert end.asked is not None
    given = PageAnswer(end.asked.interrupt_id, dict(NOBODY_THERE))
    events, end = await attempted(house, viewer=ANSWERING, attempt=2, page_answer=given)
    assert isinstance(end, Done)
    assert end.answer is not None
    assert any(isinstance(one, ToolCallResult) for one in events)
    (shown,) = [one["content"] for one in endpoint.requests[1]["messages"] if one["role"] == "tool"]
    assert "nobody" in shown.lower()


async def test_a_run_that_is_closed_stops_and_hangs_up(opened: Opened) -> None:
    house, endpoint = await opened(Reply(text="half an answer that nobody", fault="hang"))
    run = attempt_of(house)
    await read(run, until=lambda event: isinstance(event, TextStart))
    end = await run.final()
    assert isinstance(end, Failed)
    assert end.code == CANCELLED
    await endpoint.left.wait()
    (row,) = house.rows.rows.values()
    assert row.outcome is Outcome.CANCELLED
