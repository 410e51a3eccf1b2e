"""An executor over a server for graphs that is gone, hangs, lies, floods, or ends in the middle: exactly one end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest

from server.adapters.executors import graph_server_client as bounds_of_client
from server.adapters.executors.fallback_agent import FallbackAgent
from server.adapters.executors.graph_server_client import graph_server_client
from server.adapters.executors.in_process_executor import InProcess
from server.adapters.executors.langgraph_server import LangGraphAgent, thread_of
from server.agent.turn import Agent, TurnInput
from server.errors import ConfigError
from server.ports.ai_events import AiEvent, Done, Failed, Restored, RunEnd, RunStarted, TextStart
from server.ports.executor import GraphExecutor, RunRequest
from server.testing.run_tokens import MemoryRunTokens
from tests.contracts.executors import TURN, caller_of, read
from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.adapters.executors.lying_server import (
    RUN,
    STARTED,
    LyingServer,
    Stream,
    lying_server,
    said,
    sse,
    stream_of,
)
from tests.server.agent.turns import endpoint_models, stage

TEXT = said(type="model_chunk_start", message_id="m1", offset=0, chunk="half an answer")
ANSWERED = {
    "values": {
        "messages": [{"type": "ai", "content": "It is parse.", "id": "m1"}],
        "answer_id": "m1",
        "answered_as": "fake",
        "prompt_version": "p@1",
        "input_tokens": 3,
        "output_tokens": 2,
        "model_calls": 1,
        "tool_calls": 0,
        "costs": [None],
        "notes": {},
        "references": [],
        "checks": [],
        "suggestions": [],
        "title": None,
        "session_message_limit_hit_in_graph": False,
    }
}


def a_turn(**turn: Any) -> TurnInput:
    return stage(endpoint_models("http://127.0.0.1:1/v1"), **{"turn_id": TURN, **turn}).turn


@asynccontextmanager
async def agent_at(url: str, *, turn_seconds: float = 20) -> AsyncIterator[LangGraphAgent]:
    client = graph_server_client(url, "lsv2_secret", silence_s=0.4)
    try:
        yield LangGraphAgent(
            client=client,
            assistant_id="flamechat",
            tokens=MemoryRunTokens(),
            callback_url="http://127.0.0.1:1",
            turn_seconds=turn_seconds,
            pause_s=0.01,
        )
    finally:
        await client.aclose()


async def ended(executor: GraphExecutor[TurnInput], **turn: Any) -> tuple[list[AiEvent], RunEnd]:
    given = a_turn(**turn)
    run = executor.run(RunRequest(caller=caller_of(given), attempt=given.attempt, setup=given))
    events = await read(run)
    ends = [one for one in events if isinstance(one, Done | Failed)]
    assert ends == events[-1:], "exactly one end, and nothing after it"
    assert await run.final() is events[-1]
    return events, ends[0]


async def over(*streams: Stream, turn_seconds: float = 20, **given: Any) -> tuple[RunEnd, LyingServer, list[AiEvent]]:
    async with lying_server(*streams, **given) as lying, agent_at(lying.url, turn_seconds=turn_seconds) as agent:
        events, end = await ended(InProcess(agent))
        return end, lying, events


async def test_what_an_honest_one_says_is_the_answer() -> None:
    honest = stream_of(sse("metadata", {"run_id": RUN}), sse("custom", STARTED, "1"), sse("custom", TEXT, "2"))
    end, lying, events = await over(honest, state=ANSWERED)
    assert isinstance(end, Done)
    assert end.answer is not None
    assert (end.answer.text, end.answer.model, end.usage.input_tokens) == ("It is parse.", "fake", 3)
    assert [type(one) for one in events[:2]] == [RunStarted, TextStart]
    (created,) = [body for body in lying.bodies if body and "assistant_id" in body]
    assert created["multitask_strategy"] == "reject"
    assert created["metadata"]["session"] == "a1:session-1"
    assert lying.requests("POST", "/runs/stream") == [f"POST /threads/{thread_of(a_turn())}/runs/stream"]


async def test_one_that_is_gone_is_unreachable() -> None:
    async with agent_at("http://127.0.0.1:1") as agent:
        _, end = await ended(InProcess(agent))
    assert isinstance(end, Failed)
    assert (end.code, end.retryable) == ("executor_unreachable", True)


@pytest.mark.parametrize("code", [404, 409, 500])
@pytest.mark.parametrize(
    "where", ["POST /threads", "/runs/stream", "/state", f"GET /threads/{thread_of(a_turn())}/runs/"]
)
async def test_one_that_refuses_is_unreachable(where: str, code: int) -> None:
    end, *_ = await over(stream_of(sse("custom", STARTED)), codes={where: code}, state=ANSWERED)
    assert isinstance(end, Failed)
    assert (end.code, end.retryable) == ("executor_unreachable", True)
    assert "no" not in end.message.split()


@pytest.mark.parametrize(
    "frames",
    [
        [sse("custom", "no json")],
        [sse("custom", {"event": {"type": "no_such_event"}})],
        [sse("custom", {"event": "text"})],
        [sse("custom", {"failed": {"code": 5}})],
        [sse("custom", {"event": {"type": "model_chunk_start", "message_id": "m", "offset": -1, "chunk": "x" * 9}})],
        [
            sse(
                "custom",
                said(type="turn_failed", code="x", message="The answer failed.", retryable=False),
            )
        ],
        [sse("custom", said(type="turn_cancelled"))],
        ["event: custom\n\n\x00\xff"],
    ],
    ids=["no json", "no event", "a text", "no failure", "no offset", "an end", "a cancel", "junk"],
)
async def test_one_that_lies_ends_the_run_once(frames: list[str]) -> None:
    end, lying, _ = await over(stream_of(sse("custom", STARTED, "1"), *frames))
    assert isinstance(end, Failed)
    assert end.code == "executor_unreachable"
    assert len(lying.requests("POST", "/cancel")) <= 1


@pytest.mark.parametrize(
    "state",
    [
        {},
        [],
        {"values": None},
        {"values": {"messages": "no"}},
        {"values": {"title": None}},
        {"values": ANSWERED["values"] | {"costs": "much"}},
        {"values": ANSWERED["values"] | {"messages": []}},
        {"values": ANSWERED["values"] | {"messages": [{"type": "human", "content": "x"}]}},
        {"values": {}, "tasks": [{"interrupts": [{"id": "1", "value": {"rm": 1}}]}]},
        {"values": {}, "tasks": "no"},
    ],
)
async def test_a_state_that_is_none_is_no_answer(state: Any) -> None:
    end, *_ = await over(stream_of(sse("custom", STARTED)), state=state)
    assert isinstance(end, Failed)
    assert end.code == "executor_unreachable"


async def test_what_comes_after_the_end_is_not_read() -> None:
    twice = stream_of(sse("custom", STARTED), sse("end", {}), sse("custom", TEXT), sse("end", {}), then="beat")
    end, _, events = await over(twice, state=ANSWERED)
    assert isinstance(end, Done)
    assert not any(isinstance(one, TextStart) for one in events)


async def test_a_failure_of_the_graph_is_the_turn_s_and_comes_once() -> None:
    failed = {"failed": {"code": "model_key_refused", "message": "The key was refused.", "retryable": False}}
    end, *_ = await over(stream_of(sse("custom", failed), sse("custom", failed), sse("error", {"error": "x"})))
    assert isinstance(end, Failed)
    assert (end.code, end.message, end.retryable) == ("model_key_refused", "The key was refused.", False)


async def test_one_that_hangs_is_asked_again_and_then_given_up() -> None:
    end, lying, _ = await over(stream_of(sse("custom", STARTED, "7"), then="hang"), statuses=["running"])
    assert isinstance(end, Failed)
    assert end.code == "executor_unreachable"
    assert set(lying.last_ids[1:]) == {"7"}, "taken up after what was seen"
    assert len(lying.requests("POST", "/cancel")) == 1


async def test_one_that_beats_for_ever_meets_the_deadline() -> None:
    end, lying, _ = await over(stream_of(sse("custom", STARTED), then="beat"), turn_seconds=0.6)
    assert isinstance(end, Failed)
    assert end.code == "deadline"
    assert len(lying.requests("POST", "/cancel")) == 1


async def test_one_that_closes_in_the_middle_is_joined_after_what_was_seen() -> None:
    first = stream_of(sse("custom", STARTED, "1"), then="drop")
    second = stream_of(sse("custom", TEXT, "2"))
    end, lying, events = await over(first, second, statuses=["running", "success"], state=ANSWERED)
    assert isinstance(end, Done)
    assert [type(one) for one in events[:2]] == [RunStarted, TextStart]
    assert lying.last_ids == [None, "1"]
    assert len(lying.requests("GET", f"/runs/{RUN}/stream")) == 1, "of that run, and of no other"
    assert lying.requests("POST", "/cancel") == []


async def test_one_that_floods_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds_of_client, "LONGEST_LINE", 200_000)
    transport = bounds_of_client.BoundedTransport(httpx.AsyncHTTPTransport(), longest_line=200_000)
    flood = stream_of(sse("custom", STARTED, "1"), *["x" * 65_536] * 40)
    async with lying_server(flood) as lying, httpx.AsyncClient(transport=transport) as client:
        with pytest.raises(httpx.ReadError):
            await client.get(f"{lying.url}/a/stream")
    narrow = bounds_of_client.BoundedTransport(httpx.AsyncHTTPTransport(), most_bytes=100_000)
    async with lying_server(stream_of(*["x\n" * 30_000] * 4)) as lying, httpx.AsyncClient(transport=narrow) as client:
        with pytest.raises(httpx.ReadError):
            await client.get(f"{lying.url}/a/stream")


@pytest.mark.parametrize("url", ["", "127.0.0.1:2024", "ftp://x", "http://", "http://[::1"])
def test_an_address_that_is_none_is_said_at_the_start(url: str) -> None:
    with pytest.raises(ConfigError, match="LANGGRAPH_URL"):
        graph_server_client(url, None)


async def fallen_back(first: Agent, reply: str) -> tuple[list[AiEvent], RunEnd]:
    async with openai_endpoint(Reply(text=reply)) as endpoint:
        here = stage(endpoint_models(endpoint.base_url)).agent
        return await ended(InProcess(FallbackAgent(first, here)))


async def test_a_turn_goes_on_here_where_the_server_is_gone() -> None:
    async with agent_at("http://127.0.0.1:1") as agent:
        events, end = await fallen_back(agent, "It is slow.")
    assert isinstance(end, Done)
    assert end.answer is not None
    assert end.answer.text == "It is slow."
    assert not any(isinstance(one, Restored) for one in events)


async def test_what_was_shown_is_taken_back_where_the_server_goes_in_the_middle() -> None:
    dropped = stream_of(sse("custom", STARTED, "1"), sse("custom", TEXT, "2"), then="drop")
    async with lying_server(dropped, codes={"GET": 500}) as lying, agent_at(lying.url) as agent:
        events, end = await fallen_back(agent, "It is slow.")
    assert isinstance(end, Done)
    kinds = [type(one).__name__ for one in events]
    assert kinds[:4] == ["RunStarted", "TextStart", "Restored", "RunStarted"]
    taken_back = next(one for one in events if isinstance(one, Restored))
    assert taken_back.events == ()


async def test_a_failure_of_the_graph_does_not_fall_back() -> None:
    failed = {"failed": {"code": "model_refused", "message": "No.", "retryable": False}}
    async with lying_server(stream_of(sse("custom", failed))) as lying, agent_at(lying.url) as agent:
        _, end = await fallen_back(agent, "It is slow.")
    assert isinstance(end, Failed)
    assert end.code == "model_refused"


async def test_a_later_attempt_stops_what_an_earlier_one_left() -> None:
    async with lying_server(stream_of(sse("custom", STARTED)), state=ANSWERED) as lying, agent_at(lying.url) as agent:
        events, end = await ended(InProcess(agent), attempt=2)
    assert isinstance(end, Done)
    assert lying.requests("GET", "/runs") != []
    assert lying.requests("POST", "/runs/stream") == [], "an answer that is complete is not asked for again"
    assert isinstance(events[0], Restored)


def test_a_turn_s_thread_is_its_own() -> None:
    turn = a_turn()
    others = [replace(turn, session_id="s2"), replace(turn, turn_id="t2")]
    assert len({thread_of(turn), *map(thread_of, others)}) == 3
    assert thread_of(turn) == thread_of(replace(turn, attempt=2))
