"""What every Relay gives a listener that has a part of a turn already."""

import pytest

from server.ports.relay import Relay, Seen
from server.protocol.events import (
    TurnCancelled,
)
from server.protocol.server import TurnSnapshot
from tests.plugins.relays import BOUND, S1, T1, T2, AcrossProcesses, an_answer, received, stamped, text_of


async def test_a_listener_goes_on_after_what_it_has_seen_of_the_turn(relay: Relay) -> None:
    events = an_answer(6)
    for event in events[:5]:
        await relay.publish(event)
    listening = relay.listen(S1, seen=Seen(T1, 2))
    assert await relay.snapshot(S1) is not None
    for event in events[5:]:
        await relay.publish(event)
    assert await received(listening) == events[2:]


@pytest.mark.parametrize("seen", [Seen(T1, 0), Seen(T1, 99), Seen(T2, 3)], ids=["too old", "to come", "another turn"])
async def test_a_listener_whose_place_is_not_kept_gets_a_snapshot(relay: Relay, seen: Seen) -> None:
    events = an_answer(BOUND + 6)
    for event in events[: BOUND + 4]:
        await relay.publish(event)
    if seen.seq == 0 and isinstance(relay, AcrossProcesses):
        return  # the table keeps all of a running turn; a listener's queue does not
    listening = relay.listen(S1, seen=seen)
    assert await relay.snapshot(S1) is not None
    for event in events[BOUND + 4 :]:
        await relay.publish(event)
    messages = await received(listening)
    assert isinstance(messages[0], TurnSnapshot)
    assert (text_of(messages), messages[-1]) == (text_of([*events]), events[-1])


async def test_a_later_attempt_begins_with_its_snapshot_for_whoever_has_seen_the_earlier_one(relay: Relay) -> None:
    for event in an_answer(3)[:3]:
        await relay.publish(event)
    started_again = TurnSnapshot(turn_id=T1, session_id=S1, attempt=2, seq=1_000_000, messages=[], tools=[])
    await relay.publish(started_again)
    listening = relay.listen(S1, seen=Seen(T1, 3))
    assert await relay.snapshot(S1) is not None
    for event in stamped([TurnCancelled()], first=1_000_001):
        await relay.publish(event)
    assert [type(message) for message in await received(listening)] == [TurnSnapshot, TurnCancelled]
