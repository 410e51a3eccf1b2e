"""The parts of a turn on its way out: numbering and joining, the view, what came before it, how its ending reads."""

import uuid
from datetime import UTC, datetime

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.adapters.in_process.relay import MemoryRelay
from server.ports.conversations import MessageRow, Sender, TurnStatus
from server.protocol.events import (
    ModelChunkAppend,
    ModelChunkStart,
    ModelTextReset,
    ToolError,
    ToolResult,
    ToolStart,
    TurnCancelled,
    TurnEvent,
    TurnFailed,
    TurnStarted,
)
from server.protocol.server import TurnSnapshot
from server.turns.earlier_messages import earlier_messages
from server.turns.ending_record import ending_of
from server.turns.sink import MAX_CHUNK_CHARACTERS, RelaySink
from server.turns.turn_failures import turn_failure
from server.turns.turn_pictures import picture_address, picture_path
from server.turns.view_of_turn import TurnView

STARTED = TurnStarted(attempt=1, model="m", prompt_version="v")
PAST_A_TEST = 3600.0


def words(*chunks: str) -> list[TurnEvent]:
    events: list[TurnEvent] = []
    offset = 0
    for chunk in chunks:
        kind = ModelChunkAppend if events else ModelChunkStart
        events.append(kind(message_id="m1", offset=offset, chunk=chunk))
        offset += len(chunk)
    return events


async def received_of(events: list[TurnEvent], *, flush_s: float = PAST_A_TEST) -> list[TurnEvent | TurnSnapshot]:
    """What a listener receives when these are emitted one after the other and the sink is closed."""
    relay = MemoryRelay()
    listening = relay.listen("s1")
    sink = RelaySink(relay, TurnView("t1", "s1"), flush_s=flush_s)
    for event in events:
        await sink.emit(event)
    await sink.close()
    await listening.aclose()
    return [*listening._pending]  # type: ignore[attr-defined]


async def test_text_that_comes_quickly_is_joined_and_everything_is_numbered() -> None:
    tool = ToolStart(tool_call_id="c", tool_name="t", args={}, message="")
    received = await received_of(
        [STARTED, *words("a", "b", "c"), tool, ModelChunkAppend(message_id="m1", offset=3, chunk="d")]
    )
    assert [event.type for event in received] == [
        "turn_started",
        "model_chunk_start",
        "model_chunk_append",
        "tool_start",
        "model_chunk_append",
    ]
    assert [event.seq for event in received] == [1, 2, 3, 4, 5]
    assert isinstance(received[2], ModelChunkAppend)
    assert (received[2].offset, received[2].chunk) == (1, "bc")


async def test_waiting_text_goes_out_by_itself() -> None:
    relay = MemoryRelay()
    listening = relay.listen("s1")
    sink = RelaySink(relay, TurnView("t1", "s1"), flush_s=0.001)
    for event in words("a", "b"):
        await sink.emit(event)
    with anyio.fail_after(60):
        assert [(await anext(listening)).type for _ in range(2)] == ["model_chunk_start", "model_chunk_append"]
    await sink.close()


async def test_joined_text_stays_below_a_bound() -> None:
    received = await received_of(words(*["x" * 1000] * 50))
    lengths = [len(event.chunk) for event in received if isinstance(event, ModelChunkAppend)]
    assert max(lengths) <= MAX_CHUNK_CHARACTERS
    assert sum(lengths) == 49_000


@given(st.lists(st.one_of(st.text(max_size=5), st.integers(0, 12)), max_size=40))
async def test_joining_never_changes_the_text(steps: list[str | int]) -> None:
    """A step is text to append, or an offset to truncate at."""
    events: list[TurnEvent] = [STARTED]
    text = ""
    for step in steps:
        if isinstance(step, str):
            events.append(ModelChunkAppend(message_id="m1", offset=len(text), chunk=step))
            text += step
        else:
            events.append(ModelTextReset(message_id="m1", offset=step))
            text = text[:step]
    view = TurnView("t1", "s1")
    for event in await received_of(events):
        assert not isinstance(event, TurnSnapshot)
        view.apply(event)
    assert "".join(message.text for message in view.snapshot().messages) == text


def view_of(*events: TurnEvent) -> TurnView:
    view = TurnView("t1", "s1")
    for number, event in enumerate(events, 1):
        view.apply(event.model_copy(update={"seq": number}))
    return view


A_CALL = ToolStart(tool_call_id="c1", tool_name="draw", args={"mode": "x"}, message="Drawing")
ITS_PICTURE = ToolResult(
    tool_call_id="c1",
    tool_name="draw",
    status="success",
    result_type="image",
    text_content="drawn",
    image_url="/api/v1/pictures/t1/c1.png",
)


def test_a_snapshot_and_the_stored_rows_have_the_same_in_the_same_order() -> None:
    view = view_of(
        STARTED, *words("Look: "), A_CALL, ITS_PICTURE, ModelChunkStart(message_id="m2", offset=0, chunk="So.")
    )
    snapshot = view.snapshot()
    assert [(message.text, message.position) for message in snapshot.messages] == [("Look: ", 0), ("So.", 2)]
    assert [(tool.status, tool.position, tool.image_url) for tool in snapshot.tools] == [
        ("success", 1, "/api/v1/pictures/t1/c1.png")
    ]
    rows = view.messages("account")
    assert [(row.sender, row.text) for row in rows] == [
        (Sender.MODEL, "Look: "),
        (Sender.TOOL_REQUEST, "Drawing"),
        (Sender.TOOL_RESULT, "drawn"),
        (Sender.MODEL, "So."),
    ]
    assert rows[2].image_path == "account/t1/c1.png"
    assert rows == view.messages("account")
    assert len({row.message_id for row in rows}) == 4


def test_a_call_that_was_cut_short_is_stored_with_an_outcome() -> None:
    request, outcome = view_of(STARTED, A_CALL).messages("account")
    assert (request.sender, outcome.sender, outcome.tool_status) == (Sender.TOOL_REQUEST, Sender.TOOL_ERROR, "error")
    assert view_of(STARTED, A_CALL).snapshot().tools[0].status == "running"


def test_a_failed_call_is_an_error_card_with_its_reason() -> None:
    failed = ToolError(tool_call_id="c1", tool_name="draw", code="timeout", message="Too slow.")
    view = view_of(STARTED, A_CALL, failed)
    assert (view.snapshot().tools[0].status, view.snapshot().tools[0].text_content) == ("error", "Too slow.")
    assert view.messages("account")[1].metadata == {"code": "timeout"}


@pytest.mark.parametrize(
    ("events", "delivered"),
    [
        ((STARTED,), False),
        ((STARTED, *words(" \n")), False),
        ((STARTED, A_CALL), False),
        ((STARTED, *words("a")), True),
        ((STARTED, A_CALL, ITS_PICTURE), True),
    ],
)
def test_only_text_and_tool_results_count_as_delivered(events: tuple[TurnEvent, ...], *, delivered: bool) -> None:
    assert view_of(*events).delivered_anything is delivered
    ending, _ = ending_of(view_of(*events), "account", TurnCancelled())
    assert (ending.status, ending.delivered_anything) == (TurnStatus.CANCELLED, delivered)


def test_what_was_said_before_a_failure_is_kept_and_marked() -> None:
    ending, events = ending_of(
        view_of(STARTED, *words("Half")), "account", TurnFailed(code="deadline", message="Late.", retryable=True)
    )
    assert [(row.sender, row.text, row.metadata.get("partial")) for row in ending.messages] == [
        (Sender.MODEL, "Half", True),
        (Sender.SYSTEM_EVENT, "Late.", None),
    ]
    assert (ending.status, ending.error_code, [event.type for event in events]) == (
        TurnStatus.FAILED,
        "deadline",
        ["turn_failed"],
    )


def test_an_error_that_was_not_written_for_people_is_not_shown() -> None:
    failed = turn_failure(ZeroDivisionError("secret"))
    assert failed.code == "internal_error"
    assert "secret" not in failed.message


def message(position: int, turn_id: str | None, text: str) -> MessageRow:
    return MessageRow(
        message_id=str(uuid.uuid4()),
        sender=Sender.USER,
        text=text,
        session_id="s1",
        turn_id=turn_id,
        position=position,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_earlier_messages_are_complete_turns_even_when_prompts_were_queued() -> None:
    rows = [
        message(1, "a", "prompt a"),
        message(2, "b", "prompt b"),
        message(3, "c", "prompt c"),
        message(4, "a", "answer a"),
        message(5, "b", "answer b"),
    ]
    assert [row.text for row in earlier_messages(rows, "c")] == ["prompt a", "answer a", "prompt b", "answer b"]
    assert earlier_messages(rows, "a") == ()


@pytest.mark.parametrize("call", ["../../etc/passwd", "a/b", "", "x" * 500, "call:1", "😀"])
def test_a_picture_lies_in_its_turns_folder_whatever_its_call_is_called(call: str) -> None:
    account, turn, name = picture_path("account", "turn", call).split("/")
    assert (account, turn) == ("account", "turn")
    assert name.endswith(".png")
    assert picture_address(picture_path("account", "turn", call)) == f"/api/v1/pictures/turn/{name}"
    plain = name.removesuffix(".png")
    assert picture_path("account", "turn", plain) == f"account/turn/{name}"


async def test_an_event_with_half_a_character_can_be_sent() -> None:
    """Whoever made it should have cleaned its text; one that did not must take nobody's socket down."""
    half, args = "a\ud83db", {"name\ud83d": ["\ud83d"]}
    events: list[TurnEvent] = [
        STARTED,
        ModelChunkStart(message_id="m1", offset=0, chunk=half),
        ToolStart(tool_call_id="c1", tool_name="f", args=args, message=half),
        TurnFailed(code="c", message=half, retryable=True),
    ]
    sent = [event.to_wire() for event in await received_of(events)]
    assert [line.count("\N{REPLACEMENT CHARACTER}") for line in sent] == [0, 1, 3, 1]
