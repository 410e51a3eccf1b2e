"""What of a conversation's past a model is shown."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from server.agent.history import UNANSWERED, conversation, estimated_tokens
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


def test_whole_turns_come_in_order_with_their_tool_results() -> None:
    messages, left_out = conversation([*turn_rows("t1", results=2), *turn_rows("t2")], PLENTY)
    assert left_out == 0
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
    newest = conversation(turn_rows("t3"), PLENTY)[0]
    messages, left_out = conversation(rows, estimated_tokens(newest))
    assert [message.text for message in messages] == [message.text for message in newest]
    assert left_out == 2


def test_a_newest_turn_that_is_too_long_alone_keeps_its_words_without_its_tools() -> None:
    rows = [*turn_rows("t1"), row(Sender.USER, "why?", "t2"), row(Sender.TOOL_RESULT, "x" * 9_000, "t2", call="c1")]
    rows.append(row(Sender.MODEL, "Because.", "t2"))
    messages, left_out = conversation(rows, 50)
    assert [message.text for message in messages if message.text != "question of t1"][-2:] == ["why?", "Because."]
    assert not any(isinstance(message, ToolMessage) for message in messages[-2:])
    assert left_out in (0, 1)


def test_system_events_and_half_calls_are_left_out() -> None:
    rows = [
        row(Sender.USER, "why?", "t1"),
        row(Sender.SYSTEM_EVENT, "limit hit", "t1"),
        row(Sender.TOOL_REQUEST, "", "t1", call="c1"),
        row(Sender.MODEL, "Because.", "t1"),
    ]
    messages, _ = conversation(rows, PLENTY)
    assert [message.text for message in messages] == ["why?", "Because."]


def test_a_turn_that_was_stopped_says_so() -> None:
    messages, _ = conversation([row(Sender.USER, "why?", "t1")], PLENTY)
    assert [message.text for message in messages] == ["why?", UNANSWERED]


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
    messages, _ = conversation(rows, budget)
    assert_valid(messages)
    assert estimated_tokens(messages) <= budget
