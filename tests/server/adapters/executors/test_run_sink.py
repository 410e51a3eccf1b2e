"""How the events of an agent become those of a run: text that follows is joined, nothing changes its order."""

import asyncio
from collections.abc import Sequence

import pytest

from server.adapters.executors.in_process_executor import RunSink
from server.adapters.executors.run_events import MOST_WAITING, TaskRun
from server.adapters.executors.run_events import Emit as EmitEvent
from server.ports.ai_events import CANCELLED, AiEvent, Done, Failed, Restored, RunEnd, SessionTitled, TextDelta
from server.protocol.events import ModelChunkAppend, ModelTextReset, SessionTitle, TurnEvent


def text(offset: int, chunk: str, message_id: str = "m") -> ModelChunkAppend:
    return ModelChunkAppend(message_id=message_id, offset=offset, chunk=chunk)


async def emitted(events: Sequence[TurnEvent], *, close: bool = True) -> list[AiEvent]:
    seen: list[AiEvent] = []

    async def emit(event: AiEvent) -> None:
        seen.append(event)

    sink = RunSink(emit, join_s=3600.0)
    for event in events:
        await sink.emit(event)
    if close:
        await sink.close()
    return seen


async def test_text_that_follows_is_joined_and_comes_before_what_comes_after_it() -> None:
    seen = await emitted([text(0, "a"), text(1, "b"), text(2, "c"), SessionTitle(title="t"), text(3, "d")])
    assert seen == [
        TextDelta(message_id="m", offset=0, text="a"),
        TextDelta(message_id="m", offset=1, text="bc"),
        SessionTitled(title="t"),
        TextDelta(message_id="m", offset=3, text="d"),
    ]


@pytest.mark.parametrize("other", [text(9, "z"), text(1, "z", "n"), text(1, "z" * 16_000)])
async def test_text_of_elsewhere_is_not_joined(other: ModelChunkAppend) -> None:
    seen = await emitted([text(0, "a"), other])
    assert [one.text for one in seen if isinstance(one, TextDelta)] == ["a", other.chunk]


async def test_a_reset_comes_after_the_text_that_it_takes_back() -> None:
    seen = await emitted([text(0, "abc"), ModelTextReset(message_id="m", offset=1), text(1, "x")])
    assert [type(one).__name__ for one in seen] == ["TextDelta", "TextReset", "TextDelta"]


async def test_text_goes_out_though_nothing_follows_it() -> None:
    seen: list[AiEvent] = []
    came = asyncio.Event()

    async def emit(event: AiEvent) -> None:
        seen.append(event)
        came.set()

    sink = RunSink(emit)
    await sink.emit(text(0, "a"))
    assert seen == [TextDelta(message_id="m", offset=0, text="a")]
    came.clear()
    await sink.emit(text(1, "b"))
    async with asyncio.timeout(30):
        await came.wait()
    assert seen[1:] == [TextDelta(message_id="m", offset=1, text="b")]


async def test_what_is_restored_comes_first() -> None:
    seen: list[AiEvent] = []

    async def emit(event: AiEvent) -> None:
        seen.append(event)

    sink = RunSink(emit)
    sink.restore([SessionTitle(title="before")])
    await sink.emit(text(0, "a"))
    await sink.close()
    assert seen[0] == Restored(events=(SessionTitled(title="before"),))


async def test_a_run_whose_reader_left_a_full_queue_ends() -> None:
    async def work(emit: EmitEvent) -> RunEnd:
        for _ in range(MOST_WAITING * 2):
            await emit(SessionTitled(title="t"))
        return Done()

    run = TaskRun(work, lambda error: Failed(code="x", message=str(error), retryable=False))
    await anext(run.events)
    async with asyncio.timeout(30):
        await run.events.aclose()
        end = await run.final()
    assert isinstance(end, Failed)
    assert end.code == CANCELLED


async def test_what_a_run_raises_is_its_one_end() -> None:
    async def work(emit: EmitEvent) -> RunEnd:
        await emit(SessionTitled(title="t"))
        raise ValueError("no")

    run = TaskRun(work, lambda error: Failed(code="x", message=str(error), retryable=False))
    events = [event async for event in run.events]
    assert events == [SessionTitled(title="t"), Failed(code="x", message="no", retryable=False)]
    assert await run.final() == events[-1]
