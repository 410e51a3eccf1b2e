"""A turn's state, by its row and by what happens to it. Every cell is walked by the contract of turns."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from server.errors import BadRequest
from server.ports.conversations import TurnKind, TurnRow, TurnStatus
from server.protocol.events import ModelResponseEnd, TurnCancelled, TurnFailed, TurnStarted
from server.protocol.wire_values import AskedOfPage, Usage
from server.turns.lifecycle import (
    MAX_ATTEMPTS,
    MAX_OVERTAKEN,
    TRANSITIONS,
    Event,
    State,
    after,
    ends_turn,
    has_died_too_often,
    is_overtaken_too_often,
    seen_in,
    state_of,
    status_at_end,
)

NOW = datetime(2026, 1, 2, tzinfo=UTC)
ROW = TurnRow(
    turn_id="t",
    session_id="s",
    trace_id="x",
    account_id="a",
    user_id="u",
    kind=TurnKind.PROMPT,
    status=TurnStatus.RUNNING,
    prompt="?",
    model=None,
    context={},
    attempt=1,
    handed_over=0,
    cancel_requested=False,
    plan_name="free",
    messages_used=0,
    messages_limit=None,
    created_at=NOW,
    owner="a process",
)
ASKED = AskedOfPage(
    interrupt_id="i", tool_call_id="c", tool_name="navigate", args={}, expires_at=NOW + timedelta(minutes=1)
)
STARTED = TurnStarted(attempt=1, model="m", prompt_version="p@1")
ENDS = {
    TurnStatus.COMPLETED: ModelResponseEnd(message_id="m", usage=Usage(), citations=[], checks=[], suggestions=[]),
    TurnStatus.CANCELLED: TurnCancelled(),
    TurnStatus.FAILED: TurnFailed(code="x", message="no", retryable=False),
}


@pytest.mark.parametrize(
    ("row", "state"),
    [
        (ROW, State.RUNNING),
        (replace(ROW, owner=None), State.HANDED_OVER),
        (replace(ROW, owner=None, interrupt=ASKED), State.INTERRUPTED),
        (replace(ROW, cancel_requested=True), State.STOPPING),
        (replace(ROW, owner=None, interrupt=ASKED, cancel_requested=True), State.STOPPING),
        (replace(ROW, status=TurnStatus.ACCEPTED, owner=None), State.ACCEPTED),
        (replace(ROW, status=TurnStatus.COMPLETED), State.COMPLETED),
        (replace(ROW, status=TurnStatus.FAILED, cancel_requested=True), State.FAILED),
        (None, State.ABSENT),
    ],
)
def test_a_row_says_in_which_state_its_turn_is(row: TurnRow | None, state: State) -> None:
    assert state_of(row) is state


def test_what_no_row_says_by_itself_is_given_with_it() -> None:
    assert state_of(replace(ROW, status=TurnStatus.ACCEPTED), waits=True) is State.WAITING
    assert state_of(ROW, waits=True) is State.RUNNING
    assert state_of(replace(ROW, status=TurnStatus.COMPLETED), is_superseded=True) is State.SUPERSEDED
    assert state_of(ROW, is_superseded=True) is State.RUNNING


def test_an_event_leads_on_is_refused_or_cannot_happen() -> None:
    assert after(State.ACCEPTED, Event.START) is State.RUNNING
    with pytest.raises(BadRequest, match="This turn is superseded"):
        after(State.SUPERSEDED, Event.SUPERSEDE)
    with pytest.raises(ValueError, match=r"Event\.EARLIER_ENDED of a turn that is State\.RUNNING"):
        after(State.RUNNING, Event.EARLIER_ENDED)
    with pytest.raises(ValueError, match="Event"):
        after(State.SUPERSEDED, Event.RESTORE)


@pytest.mark.parametrize(("status", "end"), ENDS.items(), ids=str)
def test_an_end_on_the_wire_is_the_state_that_is_stored(status: TurnStatus, end: TurnFailed) -> None:
    assert ends_turn(end)
    assert status_at_end(State.RUNNING, end) is status
    for ended in (State.COMPLETED, State.CANCELLED, State.FAILED, State.SUPERSEDED):
        with pytest.raises(ValueError, match="of a turn that is"):
            status_at_end(ended, end)


def test_what_happens_within_an_attempt_leaves_the_state() -> None:
    assert seen_in(State.ACCEPTED, STARTED) is State.RUNNING
    assert not ends_turn(STARTED)


def test_states_have_ended_or_something_still_happens_to_them() -> None:
    ended = {state for state in State if state.has_ended}
    assert ended == {State.COMPLETED, State.CANCELLED, State.FAILED, State.SUPERSEDED}
    for state in ended:
        assert TRANSITIONS[state][Event.START] is state, "no attempt of it runs again"


def test_a_turn_that_stops_servers_is_given_up() -> None:
    often = replace(ROW, overtaken_lately=MAX_OVERTAKEN)
    assert is_overtaken_too_often(often)
    assert not is_overtaken_too_often(replace(often, overtaken_lately=MAX_OVERTAKEN - 1))
    died = [replace(ROW, attempt=attempt) for attempt in range(1, MAX_ATTEMPTS + 3)]
    assert [has_died_too_often(row) for row in died] == [row.attempts_that_died >= MAX_ATTEMPTS for row in died]
    assert not has_died_too_often(died[0])
    assert has_died_too_often(died[-1])
