"""What waits to be sent of one session: merged, in order, within its bounds."""

import pytest

from server.adapters.supabase.realtime_messages import (
    EVERY_S,
    MAX_PAYLOAD_CHARACTERS,
    MAX_WAITING_CHARACTERS,
    SLOWER_AFTER,
    SLOWEST_S,
    Backlog,
)
from server.protocol.events import ModelChunkAppend, ToolResult, ToolStart, TurnFailed
from server.protocol.server import TurnSnapshot
from tests.cloud.published_turns import ENDED, S1, STARTED, T1, T2, stamped, text_of, words


def test_neighbouring_pieces_of_text_are_merged_and_everything_else_keeps_its_place() -> None:
    backlog = Backlog(S1)
    tool = {"tool_call_id": "c", "tool_name": "get_trace_summary"}
    for event in stamped(
        STARTED,
        *words(5),
        ToolStart(**tool, args={}, message="Looking"),
        ModelChunkAppend(message_id="m1", offset=10, chunk="5 "),
        ModelChunkAppend(message_id="m1", offset=12, chunk="6 "),
    ):
        backlog.add(event)
    message = backlog.message(0.0)
    assert message is not None
    assert (message["topic"], message["event"], message["private"]) == (f"chat:{S1}", "ai_response", True)
    assert message["payload"]["after"] == 0
    assert [(event["type"], event["seq"]) for event in message["payload"]["events"]] == [
        ("turn_started", 1),
        ("model_chunk_start", 6),
        ("tool_start", 7),
        ("model_chunk_append", 9),
    ]
    assert text_of(message["payload"]["events"]) == "0 1 2 3 4 5 6 "
    assert backlog.is_empty


def test_text_that_does_not_follow_is_not_merged() -> None:
    backlog = Backlog(S1)
    for event in stamped(
        STARTED,
        *words(2),
        ModelChunkAppend(message_id="m1", offset=2, chunk="again "),
        ModelChunkAppend(message_id="m2", offset=8, chunk="another"),
    ):
        backlog.add(event)
    message = backlog.message(0.0)
    assert message is not None
    assert [event.get("offset") for event in message["payload"]["events"]] == [None, 0, 2, 8]


def test_every_broadcast_says_which_event_it_follows() -> None:
    backlog = Backlog(S1)
    afters = []
    for event in stamped(STARTED, *words(3), ENDED):
        backlog.add(event)
        message = backlog.message(0.0)
        assert message is not None
        afters.append(message["payload"]["after"])
    assert afters == [0, 1, 2, 3, 4]
    assert backlog.is_done


def test_what_was_left_out_shows_in_the_next_broadcast() -> None:
    backlog = Backlog(S1)
    events = stamped(STARTED, *words(4), ENDED)
    backlog.add(events[0])
    assert backlog.message(0.0) is not None
    for event in events[1:4]:
        backlog.add(event)
    backlog.clear()
    backlog.add(events[4])
    message = backlog.message(0.0)
    assert message is not None
    assert message["payload"]["after"] == 4, "a listener holds 1, and sees the gap"


def test_a_session_holds_no_more_than_its_bound() -> None:
    backlog = Backlog(S1)
    backlog.add(stamped(STARTED)[0])
    chunk = "x" * 10_000
    for number in range(100):
        append = ModelChunkAppend(message_id="m1", offset=number * len(chunk), chunk=chunk)
        backlog.add(stamped(append, first=2 + number)[0])
        assert backlog._characters <= MAX_WAITING_CHARACTERS
    messages = []
    while (message := backlog.message(0.0)) is not None:
        messages.append(message)
    assert messages
    assert sum(len(text_of(message["payload"]["events"])) for message in messages) <= MAX_WAITING_CHARACTERS


def test_a_broadcast_stays_below_what_realtime_takes_and_an_event_too_large_is_left_out() -> None:
    backlog = Backlog(S1)
    tool = {"tool_call_id": "c", "tool_name": "query"}
    huge = ToolResult(**tool, status="success", result_type="text", text_content="x" * (MAX_PAYLOAD_CHARACTERS + 1))
    large = [
        ToolResult(**tool, status="success", result_type="text", text_content="y" * (MAX_PAYLOAD_CHARACTERS // 3))
        for _ in range(4)
    ]
    for event in stamped(STARTED, *large):
        backlog.add(event)
    sizes, afters = [], []
    while (message := backlog.message(0.0)) is not None:
        sizes.append(sum(len(event.get("textContent") or "") for event in message["payload"]["events"]))
        afters.append(message["payload"]["after"])
    assert max(sizes) <= MAX_PAYLOAD_CHARACTERS
    assert afters == [0, 3]
    for event in stamped(huge, ENDED, first=6):
        backlog.add(event)
    message = backlog.message(0.0)
    assert message is not None
    assert [event["type"] for event in message["payload"]["events"]] == ["model_response_end"]
    assert message["payload"]["after"] == 6
    assert backlog.is_done


def test_a_broadcast_is_of_one_turn() -> None:
    backlog = Backlog(S1)
    for event in [*stamped(STARTED, ENDED), *stamped(STARTED, turn_id=T2)]:
        backlog.add(event)
    messages = [backlog.message(0.0), backlog.message(0.0), backlog.message(0.0)]
    assert [one and {event["turnId"] for event in one["payload"]["events"]} for one in messages] == [{T1}, {T2}, None]


def test_a_snapshot_takes_the_place_of_what_waits_of_its_turn() -> None:
    backlog = Backlog(S1)
    for event in stamped(STARTED, *words(3)):
        backlog.add(event)
    backlog.add(TurnSnapshot(turn_id=T1, session_id=S1, attempt=2, seq=1_000_000, messages=[], tools=[]))
    message = backlog.message(0.0)
    assert message is not None
    assert [event["type"] for event in message["payload"]["events"]] == ["turn_snapshot"]


def test_a_turn_is_sent_more_slowly_as_it_grows() -> None:
    backlog, now = Backlog(S1), 0.0
    pauses = []
    for number, event in enumerate(stamped(STARTED, *words(SLOWER_AFTER * 5))):
        backlog.add(event)
        assert backlog.message(now) is not None, number
        pauses.append(backlog.due_at - now)
        now = backlog.due_at
    assert pauses[0] == pytest.approx(EVERY_S)
    assert pauses[-1] == pytest.approx(SLOWEST_S)
    assert pauses == sorted(pauses)


def test_a_turn_that_stops_at_a_limit_is_a_chat_error_first() -> None:
    backlog = Backlog(S1)
    for event in stamped(STARTED, TurnFailed(code="limit_exceeded", message="No more.", retryable=False)):
        backlog.add(event)
    error, failed = backlog.message(0.0), backlog.message(0.0)
    assert error is not None
    assert failed is not None
    assert (error["event"], error["payload"]["errorCode"]) == ("chat_error", "limit_exceeded")
    assert [event["type"] for event in failed["payload"]["events"]] == ["turn_started", "turn_failed"]
