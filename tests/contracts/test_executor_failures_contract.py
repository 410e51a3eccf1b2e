"""How every executor of a turn's graph fails, and goes on after a failure."""

import asyncio

import pytest

from server.agent.bounds import AgentBounds
from server.ports.ai_events import AiEvent, Done, Failed, Restored, RunStarted, TextReset, TextStart, ToolCallResult
from server.ports.invocations import Outcome
from tests.contracts.executors import attempt_of, attempted, kinds_of, read, texts_of
from tests.contracts.test_executor_contract import ANSWER, LOOKING, Opened, opened, opening
from tests.openai_endpoint import Reply

__all__ = ["opened", "opening"]

CUT_OFF = Reply(text="half an answer that nobody", fault="hang")


def begins_cut_off(event: AiEvent) -> bool:
    """However much of it comes at once."""
    return isinstance(event, TextStart) and event.text.startswith("half")


async def test_a_stream_that_breaks_is_asked_for_again_and_its_text_replaced(opened: Opened) -> None:
    house, _ = await opened(Reply(text="half an answer", fault="drop"), ANSWER)
    events, end = await attempted(house)
    assert any(isinstance(event, TextReset) for event in events)
    assert list(texts_of(events).values()) == [ANSWER.text]
    assert isinstance(end, Done)
    assert sorted(row.outcome for row in house.rows.rows.values()) == [Outcome.OK, Outcome.RETRY]


@pytest.mark.parametrize(
    ("replies", "code", "retryable"),
    [
        ((Reply(text="half", fault="drop"), Reply(text="half", fault="drop")), "model_stream_broken", True),
        ((Reply(status=401),), "model_key_refused", False),
        ((Reply(refusal="No."),), "model_refused", False),
    ],
)
async def test_a_failure_ends_the_run_once_and_says_what_it_was(
    opened: Opened, replies: tuple[Reply, ...], code: str, retryable: bool
) -> None:
    house, _ = await opened(*replies)
    events, end = await attempted(house)
    assert isinstance(end, Failed)
    assert (end.code, end.retryable) == (code, retryable)
    assert end.message
    assert "UsageReport" not in kinds_of(events)


async def test_a_session_over_its_limit_asks_no_model(opened: Opened) -> None:
    house, endpoint = await opened(ANSWER)
    _, end = await attempted(house, messages_used=5, messages_limit=4)
    assert isinstance(end, Failed)
    assert end.code == "limit_exceeded"
    assert endpoint.requests == []


async def test_a_deadline_ends_the_run(opened: Opened) -> None:
    house, _ = await opened(CUT_OFF)
    _, end = await attempted(house, bounds=AgentBounds(turn_seconds=1.0))
    assert isinstance(end, Failed)
    assert end.code == "deadline"


async def test_a_later_attempt_goes_on_after_the_last_complete_step(opened: Opened) -> None:
    house, endpoint = await opened(LOOKING, CUT_OFF, ANSWER)
    await read(attempt_of(house), until=begins_cut_off)
    events, end = await attempted(house, attempt=2)
    assert kinds_of(events)[:2] == ["Restored", "RunStarted"]
    kept, started = events[:2]
    assert isinstance(kept, Restored)
    assert [type(one).__name__ for one in kept.events] == ["TextStart", "ToolCallStart", "ToolCallResult"]
    assert isinstance(started, RunStarted)
    assert started.attempt == 2
    assert len(endpoint.requests) == 3, "the first call is not made again"
    assert isinstance(end, Done)
    assert (end.usage.model_calls, end.usage.tool_calls) == (2, 1)
    assert not any(isinstance(event, ToolCallResult) for event in events)


async def test_an_answer_that_was_complete_is_not_asked_for_again(opened: Opened) -> None:
    house, endpoint = await opened(LOOKING, ANSWER)
    _, first = await attempted(house)
    _, second = await attempted(house, attempt=2)
    assert isinstance(first, Done)
    assert isinstance(second, Done)
    assert first.answer == second.answer
    assert len(endpoint.requests) == 2


async def test_attempts_that_died_leave_their_rows_and_none_is_double(opened: Opened) -> None:
    house, endpoint = await opened(LOOKING, CUT_OFF, ANSWER)
    await read(attempt_of(house), until=begins_cut_off)
    await attempted(house, attempt=2)
    rows = sorted((row.attempt, row.call_number, row.outcome.value) for row in house.rows.rows.values())
    assert rows == [(1, 1, "ok"), (1, 2, "cancelled"), (2, 2, "ok")]
    assert len(rows) == len(endpoint.requests)


async def test_runs_at_once_do_not_mix(opened: Opened) -> None:
    house, _ = await opened(*[Reply(text=f"It is slow.{'!' * number}") for number in range(4)])
    turns = [{"turn_id": f"{number}" * 8 + "-1111-1111-1111-111111111111"} for number in range(4)]
    emitted = await asyncio.gather(*(attempted(house, **turn) for turn in turns))
    for events, end in emitted:
        assert isinstance(end, Done)
        assert end.answer is not None
        assert texts_of(events) == {end.answer.message_id: end.answer.text}
    assert len({row.graph_run_id for row in house.rows.rows.values()}) == 4
