"""A turn as it stands, from its events; and from a snapshot of it, which must make no difference."""

import pytest

from server.ports.conversations import Sender
from server.protocol.events import (
    ModelChunkAppend,
    ModelChunkStart,
    ModelTextReset,
    ToolError,
    ToolResult,
    ToolStart,
    TurnCancelled,
    TurnEvent,
    TurnStarted,
)
from server.turns.view_of_turn import SEQS_PER_ATTEMPT, TurnView, attempt_of

CALL = {"tool_call_id": "c1", "tool_name": "get_call_tree"}
STARTED = TurnStarted(seq=1, attempt=1, model="m", prompt_version="v")
CALLED = ToolStart(seq=2, **CALL, args={"depth": 3}, message="Looking")
RESULT = ToolResult(seq=3, **CALL, status="success", result_type="text", text_content="rows", truncated=True)
ERROR = ToolError(seq=3, **CALL, code="execution", message="There is no f9.")
TEXT = ModelChunkStart(seq=4, message_id="m1", chunk="Half of", offset=0)
MORE = ModelChunkAppend(seq=5, message_id="m1", chunk=" it", offset=7)
BLANK = ModelChunkStart(seq=6, message_id="m2", chunk=" \n", offset=0)


def view(*events: TurnEvent) -> TurnView:
    found = TurnView.at_start("t", "s", 1)
    for event in events:
        found.apply(event)
    return found


@pytest.mark.parametrize("end", [None, RESULT, ERROR])
def test_a_view_of_a_snapshot_gives_the_snapshot_and_the_rows_again(end: ToolResult | ToolError | None) -> None:
    first = view(STARTED, CALLED, *([end] if end else []), TEXT, MORE)
    again = TurnView.of_snapshot(first.snapshot())
    assert again.snapshot() == first.snapshot()
    assert again.messages("u") == first.messages("u")
    assert [row.sender for row in first.messages("u")] == [
        Sender.TOOL_REQUEST,
        Sender.TOOL_RESULT if end is RESULT else Sender.TOOL_ERROR,
        Sender.MODEL,
    ]


def test_the_newest_message_is_the_last_with_words() -> None:
    assert view(STARTED).last_message_id is None
    assert view(STARTED, TEXT, BLANK).last_message_id == "m1"
    later = ModelChunkStart(seq=7, message_id="m3", chunk="So", offset=0)
    assert view(STARTED, TEXT, BLANK, later).last_message_id == "m3"


def test_something_reached_the_person_with_words_or_the_end_of_a_call() -> None:
    assert not view(STARTED, CALLED, BLANK).delivered_anything
    assert view(STARTED, CALLED, ERROR).delivered_anything
    assert view(STARTED, TEXT).delivered_anything


def test_a_chunk_and_a_reset_cut_the_text_at_their_place() -> None:
    again = ModelChunkAppend(seq=6, message_id="m1", chunk="!", offset=4)
    assert [message.text for message in view(STARTED, TEXT, MORE, again).snapshot().messages] == ["Half!"]
    reset = ModelTextReset(seq=6, message_id="m1", offset=4)
    assert [message.text for message in view(STARTED, TEXT, reset).snapshot().messages] == ["Half"]


def test_after_the_end_nothing_changes_it_and_its_snapshot_stands_before_the_end() -> None:
    done = view(STARTED, TEXT, TurnCancelled(seq=5))
    done.apply(ModelChunkAppend(seq=9, message_id="m1", chunk=" it", offset=7))
    assert (done.seq, done.snapshot().seq) == (5, 4)
    assert done.snapshot().messages[0].text == "Half of"


def test_each_attempt_numbers_in_a_block_of_its_own() -> None:
    second = TurnView.at_start("t", "s", 2)
    assert second.seq == SEQS_PER_ATTEMPT
    assert second.replaces
    assert not TurnView.at_start("t", "s", 1).replaces
    assert not TurnView("t", "s", seq=SEQS_PER_ATTEMPT + 1).replaces
    assert [attempt_of(seq) for seq in (0, SEQS_PER_ATTEMPT - 1, SEQS_PER_ATTEMPT)] == [1, 1, 2]


def test_what_a_dead_attempt_published_is_numbered_on_in_the_next_block() -> None:
    published = view(STARTED, TEXT).snapshot()
    left = TurnView.left_behind("t", "s", 2, published)
    assert (left.seq, left.attempt, left.snapshot().messages) == (2 * SEQS_PER_ATTEMPT, 3, published.messages)
    other = TurnView.left_behind("other", "s", 2, published)
    assert (other.seq, other.attempt, other.snapshot().messages) == (2 * SEQS_PER_ATTEMPT, 3, [])
