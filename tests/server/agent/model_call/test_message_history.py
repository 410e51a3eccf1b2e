"""What of a conversation's past a model is shown."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from server.agent.model_call.message_history import UNANSWERED, conversation, summarize_session
from server.agent.model_call.token_counts import estimated_tokens
from server.ports.conversations import MessageRow, Sender

PLENTY = 1_000_000


def row(sender: Sender, text: str, turn: str | None, *, call: str | None = None, number: int = 0) -> MessageRow:
    return MessageRow(
        message_id=f"{turn}-{sender}-{call}-{number}-{text[:8]}",
        sender=sender,
        text=text,
        tool_name="find_frames" if call else None,
        tool_call_id=call,
        session_id="s",
        turn_id=turn,
        position=number,
        created_at=datetime(2026, 1, 2, tzinfo=UTC),
    )


def turn_rows(turn: str, *, answer: str = "It is parse.", results: int = 1) -> list[MessageRow]:
    calls = [f"{turn}-c{index}" for index in range(results)]
    return [
        row(Sender.USER, f"question of {turn}", turn),
        *(row(Sender.TOOL_REQUEST, "", turn, call=call) for call in calls),
        *(row(Sender.TOOL_RESULT, "one frame", turn, call=call) for call in calls),
        row(Sender.MODEL, answer, turn),
    ]


def assert_valid(messages: list[AnyMessage]) -> None:
    """A provider accepts it: begins with a user, and every tool call is answered right after, nothing else is."""
    assert not messages or isinstance(messages[0], HumanMessage)
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            assert message.tool_call_id == waiting.pop(0)
            continue
        assert waiting == []
        if isinstance(message, AIMessage):
            waiting = [call["id"] or "" for call in message.tool_calls]
    assert waiting == []


def test_complete_turns_come_in_order_with_their_tool_results() -> None:
    past = conversation([*turn_rows("t1", results=2), *turn_rows("t2")], PLENTY)
    messages = past.messages
    assert (past.left_out, past.summary) == (0, "")
    assert [type(message).__name__ for message in messages] == [
        "HumanMessage",
        "AIMessage",
        "ToolMessage",
        "ToolMessage",
        "AIMessage",
        "HumanMessage",
        "AIMessage",
        "ToolMessage",
        "AIMessage",
    ]
    assert messages[0].text == "question of t1"
    assert_valid(messages)


def test_the_newest_turns_that_fit_are_kept_and_the_others_counted() -> None:
    rows = [one for turn in ("t1", "t2", "t3") for one in turn_rows(turn)]
    newest = conversation(turn_rows("t3"), PLENTY).messages
    past = conversation(rows, estimated_tokens(newest))
    assert [message.text for message in past.messages] == [message.text for message in newest]
    assert past.left_out == 2
    assert past.summary.splitlines()[1] == '- asked "question of t2"; answered "It is parse."'


def test_a_newest_turn_that_is_too_long_alone_keeps_its_words_without_its_tools() -> None:
    rows = [*turn_rows("t1"), row(Sender.USER, "why?", "t2"), row(Sender.TOOL_RESULT, "x" * 9_000, "t2", call="c1")]
    rows.append(row(Sender.MODEL, "Because.", "t2"))
    past = conversation(rows, 50)
    messages = past.messages
    assert [message.text for message in messages if message.text != "question of t1"][-2:] == ["why?", "Because."]
    assert not any(isinstance(message, ToolMessage) for message in messages[-2:])
    assert past.left_out in (0, 1)


def test_system_events_and_half_calls_are_left_out() -> None:
    rows = [
        row(Sender.USER, "why?", "t1"),
        row(Sender.SYSTEM_EVENT, "limit hit", "t1"),
        row(Sender.TOOL_REQUEST, "", "t1", call="c1"),
        row(Sender.MODEL, "Because.", "t1"),
    ]
    messages = conversation(rows, PLENTY).messages
    assert [message.text for message in messages] == ["why?", "Because."]


def test_a_turn_that_was_stopped_says_so() -> None:
    messages = conversation([row(Sender.USER, "why?", "t1")], PLENTY).messages
    assert [message.text for message in messages] == ["why?", UNANSWERED]


def test_messages_that_were_not_even_loaded_are_mentioned() -> None:
    rows = [one for number in range(60) for one in turn_rows(f"t{number}")]
    assert conversation(rows, PLENTY).summary == ""
    later = [replace(one, position=number + 400) for number, one in enumerate(rows)]
    assert conversation(later, PLENTY).summary == "- older messages, which are not loaded any more"


@given(
    st.lists(
        st.tuples(
            st.sampled_from(list(Sender)),
            st.sampled_from(["", "text", "longer text " * 40]),
            st.sampled_from(["t1", "t2", "t3"]),
            st.sampled_from([None, "c1", "c2", "c3"]),
        ),
        max_size=25,
    ),
    st.integers(0, 400),
)
def test_whatever_was_stored_the_history_is_valid_and_within_its_budget(
    stored: list[tuple[Sender, str, str, str | None]], budget: int
) -> None:
    rows = [
        row(sender, text, turn, call=f"{turn}-{call}-{number}" if call else None, number=number)
        for number, (sender, text, turn, call) in enumerate(sorted(stored, key=lambda one: one[2]))
    ]
    messages = conversation(rows, budget).messages
    assert_valid(messages)
    assert estimated_tokens(messages) <= budget


def test_the_oldest_turns_go_at_once_and_then_none_until_it_is_full_again() -> None:
    rows: list[MessageRow] = []
    cost = estimated_tokens(conversation(turn_rows("t0000"), PLENTY).messages)
    begins = []
    for number in range(30):
        rows += turn_rows(f"t{number:04}")
        past = conversation(rows, 10 * cost, 5 * cost)
        assert estimated_tokens(past.messages) <= 10 * cost
        assert past.messages[-4].text == f"question of t{number:04}", "the newest turn is always there"
        begins.append(past.messages[0].text)
    assert len(set(begins)) == 5, "the beginning changes every sixth turn, so that it can be cached"


def test_a_summary_says_what_was_asked_and_how_the_answers_began() -> None:
    answer = "**[`parse`](#f2) dominates**: 60%.\n\nThen more."
    rows = [one for number in range(25) for one in turn_rows(f"t{number}", answer=answer)]
    lines = summarize_session(rows).splitlines()
    assert lines[0] == "- 5 questions before these"
    assert lines[-1] == '- asked "question of t24"; answered "`parse` dominates: 60%."'
    assert summarize_session([]) == ""
