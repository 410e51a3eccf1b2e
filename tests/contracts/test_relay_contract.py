"""Every Relay."""

import anyio
import pytest

from server.adapters.memory.relay import MemoryRelay
from server.ports.relay import Listening, Relay
from server.protocol.events import (
    ModelChunkAppend,
    ModelChunkStart,
    ModelResponseEnd,
    ModelTextReset,
    TurnCancelled,
    TurnEnd,
    TurnEvent,
    TurnStarted,
)
from server.protocol.server import TurnSnapshot
from server.protocol.values import Usage

BOUND = 8


@pytest.fixture
def relay() -> Relay:
    return MemoryRelay(events_per_listener=BOUND)


def stamped(events: list[TurnEvent], *, turn_id: str = "t1", first: int = 1) -> list[TurnEvent]:
    return [
        event.model_copy(update={"turn_id": turn_id, "session_id": "s1", "seq": first + number})
        for number, event in enumerate(events)
    ]


def an_answer(words: int) -> list[TurnEvent]:
    events: list[TurnEvent] = [
        TurnStarted(attempt=1, model="m", prompt_version="v"),
        ModelChunkStart(message_id="m1", offset=0, chunk="0 "),
    ]
    events += [ModelChunkAppend(message_id="m1", offset=2 * n, chunk=f"{n % 10} ") for n in range(1, words)]
    events.append(ModelResponseEnd(message_id="m1", usage=Usage(), citations=[], checks=[], suggestions=[]))
    return stamped(events)


async def heard(listening: Listening) -> list[TurnEvent | TurnSnapshot]:
    """What one listener hears up to the end of the turn."""
    messages: list[TurnEvent | TurnSnapshot] = []
    with anyio.fail_after(5):
        async for message in listening:
            messages.append(message)
            if isinstance(message, TurnEnd):
                await listening.aclose()
    return messages


def text_of(messages: list[TurnEvent | TurnSnapshot]) -> str:
    """The answer as a client would show it."""
    text = ""
    for message in messages:
        if isinstance(message, TurnSnapshot):
            text = "".join(part.text for part in message.messages)
        elif isinstance(message, ModelChunkStart | ModelChunkAppend):
            text = text[: message.offset] + message.chunk
    return text


async def test_a_listener_hears_every_event_in_order(relay: Relay) -> None:
    events = an_answer(4)
    listening = relay.listen("s1")
    for event in events:
        await relay.publish(event)
    assert await heard(listening) == events


async def test_two_listeners_hear_the_same_and_another_session_nothing(relay: Relay) -> None:
    events = an_answer(3)
    first, second, stranger = relay.listen("s1"), relay.listen("s1"), relay.listen("s2")
    for event in events:
        await relay.publish(event)
    assert await heard(first) == await heard(second) == events
    await stranger.aclose()
    assert [message async for message in stranger] == []


async def test_a_late_listener_gets_a_snapshot_and_then_live_events(relay: Relay) -> None:
    events = an_answer(6)
    for event in events[:4]:
        await relay.publish(event)
    listening = relay.listen("s1")
    for event in events[4:]:
        await relay.publish(event)
    messages = await heard(listening)
    assert isinstance(messages[0], TurnSnapshot)
    assert [message.seq for message in messages[1:]] == list(range(messages[0].seq + 1, len(events) + 1))
    assert text_of(messages) == "0 1 2 3 4 5 "


async def test_a_slow_listener_is_moved_to_a_snapshot_and_misses_nothing(relay: Relay) -> None:
    events = an_answer(BOUND * 5)
    slow = relay.listen("s1")
    for event in events[: BOUND * 3]:
        await relay.publish(event)
    with anyio.fail_after(5):
        first = await anext(slow)
    assert isinstance(first, TurnSnapshot)
    assert first.seq == BOUND * 3
    for event in events[BOUND * 3 :]:
        await relay.publish(event)
    messages = [first, *await heard(slow)]
    assert isinstance(messages[-1], ModelResponseEnd)
    assert text_of(messages) == "".join(f"{n % 10} " for n in range(BOUND * 5))
    assert len(messages) <= BOUND + 3


async def test_a_listener_who_slept_through_a_whole_turn_still_learns_its_end(relay: Relay) -> None:
    events = an_answer(BOUND * 2)
    slow = relay.listen("s1")
    for event in events:
        await relay.publish(event)
    snapshot, end = await heard(slow)
    assert isinstance(snapshot, TurnSnapshot)
    assert (snapshot.seq, end.seq) == (len(events) - 1, len(events))


async def test_a_turn_is_forgotten_after_its_end(relay: Relay) -> None:
    events = an_answer(3)
    await relay.publish(events[0])
    assert await relay.snapshot("s1") is not None
    for event in events[1:]:
        await relay.publish(event)
    assert await relay.snapshot("s1") is None
    listening = relay.listen("s1")
    following = stamped([TurnStarted(attempt=1, model="m", prompt_version="v"), TurnCancelled()], turn_id="t2")
    for event in following:
        await relay.publish(event)
    assert await heard(listening) == following


async def test_text_that_was_taken_back_is_not_in_the_snapshot(relay: Relay) -> None:
    for event in stamped(
        [
            TurnStarted(attempt=1, model="m", prompt_version="v"),
            ModelChunkStart(message_id="m1", offset=0, chunk="kept lost"),
            ModelTextReset(message_id="m1", offset=5),
            ModelChunkAppend(message_id="m1", offset=5, chunk="told"),
        ]
    ):
        await relay.publish(event)
    snapshot = await relay.snapshot("s1")
    assert snapshot is not None
    assert snapshot.messages[0].text == "kept told"


async def test_closing_wakes_one_who_waits(relay: Relay) -> None:
    listening = relay.listen("s1")

    async def close() -> None:
        await listening.aclose()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(close)
            assert [message async for message in listening] == []
