"""Everything that a turn sends comes from a run's events, and every event of a run arrives."""

from dataclasses import MISSING, fields
from datetime import UTC, datetime
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.agent.turn import PageQuestion, TurnAnswer
from server.ports.ai_events import AiEvent, AssistantFinal, Done, Failed, StreamedEvent, UsageReport
from server.protocol.events import TURN_EVENT, TurnEvent, TurnFailed
from server.protocol.wire_values import Check, Citation, OutsideSource, Table, Usage, Window
from server.turns.ai_events_on_the_wire import (
    PAIRS,
    asked_of,
    asked_on_wire,
    final_of,
    outcome_of,
    run_event_of,
    wire_of,
)

ENDS_AND_QUESTIONS = {"interrupt", "model_response_end", "turn_cancelled", "turn_failed"}
"""Of the wire's types those that are made when a run has ended: by functions of their own."""


JSON = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3)
CELLS = st.lists(st.integers() | st.text(max_size=5), max_size=2)
GIVEN: dict[str, st.SearchStrategy[Any]] = {
    "args": JSON,
    "ui_payload": st.none() | JSON,
    "table": st.none() | st.builds(Table, columns=st.lists(st.text(max_size=5)), rows=st.lists(CELLS, max_size=2)),
    "window": st.none() | st.builds(Window, start=st.floats(0, 9), end=st.floats(0, 9)),
}
"""Of fields that hypothesis does not draw by their type."""


def typed(wire: type[Any], name: str) -> st.SearchStrategy[Any]:
    return st.from_type(cast("type[Any]", wire.model_fields[name].annotation))


def any_of(wire: type[Any]) -> st.SearchStrategy[Any]:
    names = set(wire.model_fields) - {"type", "turn_id", "session_id", "seq"}
    drawn = {name: GIVEN[name] if name in GIVEN else typed(wire, name) for name in names}
    return st.fixed_dictionaries(drawn).map(lambda values: wire(**values))


def wire_types() -> list[type[Any]]:
    return list(get_args(TurnEvent))


def test_every_type_of_the_wire_has_its_event_and_every_event_its_type() -> None:
    emitted = {wire.model_fields["type"].default for wire, _ in PAIRS.values()}
    assert emitted | ENDS_AND_QUESTIONS == {wire.model_fields["type"].default for wire in wire_types()}
    assert emitted & ENDS_AND_QUESTIONS == set()
    assert set(PAIRS) == set(get_args(StreamedEvent))


@pytest.mark.parametrize("ours", PAIRS, ids=lambda one: one.__name__)
def test_an_event_has_every_field_of_its_type(ours: type[Any]) -> None:
    wire, names = PAIRS[ours]
    stamped = {"type", "turn_id", "session_id", "seq"}
    assert {names.get(one.name, one.name) for one in fields(ours)} == set(wire.model_fields) - stamped
    for one in fields(ours):
        is_required = wire.model_fields[names.get(one.name, one.name)].is_required()
        assert is_required == (one.default is MISSING and one.default_factory is MISSING), one.name


@given(st.data())
def test_what_is_mapped_back_is_the_same(data: st.DataObject) -> None:
    unstamped = data.draw(st.sampled_from([one for one, _ in PAIRS.values()]).flatmap(any_of))
    emitted = run_event_of(unstamped)
    again = wire_of(emitted)
    assert again == unstamped
    assert TURN_EVENT.validate_json(again.to_wire()) == TURN_EVENT.validate_json(unstamped.to_wire())
    assert run_event_of(again) == emitted


def test_an_answer_loses_nothing() -> None:
    answer = TurnAnswer(
        message_id="m1",
        text="It is parse.",
        usage=Usage(input_tokens=1, output_tokens=2, model_calls=3, tool_calls=4, cost=0.5, model="fake", seconds=6.0),
        citations=(Citation(handle="f2", label="parse", name="parse", file="a.py", line=3, engine_version="9"),),
        checks=(Check(claim="60 %", kind="percentage", status="verified", how="x", start=1, end=2),),
        suggestions=("And then?",),
        title="Slow",
        model="fake",
        prompt_version="v1",
        sources=(OutsideSource(name="docs", url="https://example.org"),),
        notes={"budget": "80 %"},
    )
    usage, final = final_of(answer)
    assert outcome_of(Done(answer=final, usage=usage)) == answer
    assert {one.name for one in fields(UsageReport)} == set(Usage.model_fields)
    assert {one.name for one in fields(AssistantFinal)} == {one.name for one in fields(TurnAnswer)} - {"usage"}


def test_a_failure_and_a_question_lose_nothing() -> None:
    failed = outcome_of(Failed(code="busy", message="Later.", retryable=True, error="Busy", where="a.py:1"))
    assert failed == TurnFailed(code="busy", message="Later.", retryable=True)
    question = PageQuestion(interrupt_id="i", tool_call_id="c", tool_name="ask_person", args={"a": 1}, seconds=30)
    asked = asked_on_wire(asked_of(question), now=datetime(2026, 1, 1, tzinfo=UTC))
    assert asked.model_dump() == {
        "interrupt_id": "i",
        "tool_call_id": "c",
        "tool_name": "ask_person",
        "args": {"a": 1},
        "expires_at": datetime(2026, 1, 1, 0, 0, 30, tzinfo=UTC),
    }
    assert outcome_of(Done(asked=asked_of(question))) is None


def test_no_event_has_anything_of_the_wire_in_it() -> None:
    for ours in get_args(AiEvent):
        assert ours.__module__ == "server.ports.ai_events"
