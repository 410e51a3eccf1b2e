"""What a link to a conversation shows, and what it never does."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from limits.plans import LOCAL_PLAN
from server.adapters.in_process.clock import SystemClock
from server.agent.tools.all_tools import TOOLS
from server.errors import NotFound
from server.ports.conversations import MessageRow, NewMessage, Sender, TurnEnding, TurnRequest, TurnStatus
from server.ports.identity import Caller
from server.ports.objects import PICTURES_BUCKET
from server.testing.account_state import MemoryAccounts
from server.testing.conversations import MemoryConversations
from server.testing.objects import MemoryObjects
from server.testing.trace_records import MemoryTraceRecords
from server.turns.shared_conversation import OF_SOURCE, OF_THE_TRACE, SharedConversations, shown_of
from server.turns.turn_pictures import picture_path
from tests.plugins.worlds import a_trace_of, new_uuid

SHARING = replace(LOCAL_PLAN, allow_public_sharing=True)
ELSEWHERE = {
    "search_findings",
    "ask_traces",
    "query_library",
    "search_memory",
    "search_knowledge",
    "get_usage",
    "core_memory_append",
    "core_memory_replace",
    "manage_memories",
    "ask_person",
    "pick_trace",
}
DEPENDING = {"compare_traces", "navigate"}


def row(turn_id: str | None, sender: Sender, text: str = "", **of_row: Any) -> MessageRow:
    return MessageRow(
        message_id=new_uuid(),
        sender=sender,
        text=text,
        session_id="s",
        turn_id=turn_id,
        position=1,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        **of_row,
    )


def a_turn(
    turn_id: str, *tools: tuple[str, dict[str, Any]], prompt: str = "why?", answer: str = "because"
) -> list[MessageRow]:
    steps = [
        row(turn_id, sender, name, tool_name=name, tool_call_id=name, tool_args=arguments)
        for name, arguments in tools
        for sender in (Sender.TOOL_REQUEST, Sender.TOOL_RESULT)
    ]
    return [row(turn_id, Sender.USER, prompt), *steps, *([row(turn_id, Sender.MODEL, answer)] if answer else [])]


def texts(messages: list[MessageRow]) -> list[str]:
    return [one.text for one in shown_of(messages).messages]


def test_of_every_tool_it_is_known_what_it_draws_on() -> None:
    assert {tool.name for tool in TOOLS} == OF_THE_TRACE | OF_SOURCE | ELSEWHERE | DEPENDING


def test_questions_answers_and_the_steps_that_read_the_trace_are_shown() -> None:
    messages = [*a_turn("t1", ("get_insights", {})), *a_turn("t2", prompt="and?", answer="so")]
    assert texts(messages) == ["why?", "get_insights", "get_insights", "because", "and?", "so"]
    assert (shown_of(messages).turns, shown_of(messages).withheld) == (2, 0)


@pytest.mark.parametrize(
    "tool",
    [
        *((name, {}) for name in sorted(ELSEWHERE)),
        ("a_tool_of_a_newer_server", {}),
        ("compare_traces", {"others": ["before.json"]}),
        ("compare_traces", {"others": ["p1", "before.json"]}),
        ("compare_traces", {"others": ["p1"], "runs": ["p2"]}),
        ("compare_traces", {}),
        ("navigate", {"action": "compare", "other": "before.json"}),
        ("navigate", {}),
    ],
)
def test_it_ends_at_the_first_turn_that_drew_on_more_than_the_trace(tool: tuple[str, dict[str, Any]]) -> None:
    shown = shown_of([*a_turn("t1"), *a_turn("t2", tool, prompt="elsewhere?"), *a_turn("t3", prompt="as said?")])
    assert [one.text for one in shown.messages] == ["why?", "because"]
    assert (shown.turns, shown.withheld) == (1, 2)


@pytest.mark.parametrize("tool", [("compare_traces", {"others": ["p1"]}), ("navigate", {"action": "zoom"})])
def test_another_thread_of_the_trace_is_not_another_trace(tool: tuple[str, dict[str, Any]]) -> None:
    assert shown_of(a_turn("t1", tool)).withheld == 0


@pytest.mark.parametrize("prompt", ["/remember draw is ours", "What do you remember?", "Forget that draw is ours"])
def test_what_is_remembered_is_not_shown(prompt: str) -> None:
    assert shown_of(a_turn("t1", prompt=prompt, answer="draw is ours")).messages == ()


def test_a_question_without_an_answer_a_refusal_and_how_a_turn_failed_are_not_shown() -> None:
    note = row("t2", Sender.SYSTEM_EVENT, "the plan's limit", metadata={"event": "turn_failed"})
    refused = row(None, Sender.SYSTEM_EVENT, "3 of 3 questions", metadata={"event": "prompt_refused"})
    assert texts([*a_turn("t1", answer=""), *a_turn("t2"), note, refused]) == ["why?", "because"]


def test_that_an_answer_was_stopped_is_shown() -> None:
    stopped = row("t1", Sender.SYSTEM_EVENT, "Stopped.", metadata={"event": "turn_cancelled"})
    assert texts([*a_turn("t1"), stopped])[-1] == "Stopped."


def test_source_is_not_shown() -> None:
    assert texts(a_turn("t1", ("read_source", {}), ("get_insights", {}))) == [
        "why?",
        "get_insights",
        "get_insights",
        "because",
    ]


def test_costs_models_and_ratings_are_taken_off() -> None:
    metadata = {
        "usage": {"cost": 1},
        "model": "gpt",
        "promptVersion": "3",
        "suggestions": ["?"],
        "citations": [],
        "checks": [],
    }
    shown = shown_of([row("t1", Sender.USER, "why?"), row("t1", Sender.MODEL, "so", metadata=metadata, feedback=-1)])
    assert (shown.messages[1].metadata, shown.messages[1].feedback) == ({"citations": [], "checks": []}, None)


class Shared:
    """Links over twins in memory."""

    def __init__(self) -> None:
        accounts = MemoryAccounts(SystemClock())
        self.caller = Caller(user_id=new_uuid(), account_id=new_uuid())
        accounts.add(self.caller, SHARING)
        self.records, self.objects = MemoryTraceRecords(accounts), MemoryObjects()
        self.conversations = MemoryConversations(self.records)
        self.links = SharedConversations(self.records, self.conversations, self.objects)
        self.session_id = new_uuid()

    async def asked(self, trace_id: str, *messages: NewMessage) -> str:
        turn_id = new_uuid()
        request = TurnRequest(
            caller=self.caller, trace_id=trace_id, session_id=self.session_id, turn_id=turn_id, prompt="why?"
        )
        await self.conversations.reserve_turn(request)
        answer = NewMessage(message_id=new_uuid(), sender=Sender.MODEL, text="because")
        ending = TurnEnding(status=TurnStatus.COMPLETED, messages=(*messages, answer), title="Why")
        await self.conversations.end_turn(turn_id, ending)
        return turn_id

    async def trace(self) -> str:
        made = a_trace_of(self.caller)
        await self.records.insert(made)
        return made.trace_id


async def test_all_pages_of_a_long_conversation_are_shown_in_order() -> None:
    shared = Shared()
    trace_id = await shared.trace()
    for _ in range(130):
        await shared.asked(trace_id)
    token, shown = await shared.links.share(shared.caller, shared.session_id)
    read = await shared.links.read(token)
    assert (shown.turns, read.shown, read.title) == (130, shown, "Why")
    positions = [one.position for one in read.shown.messages]
    assert positions == sorted(set(positions))


async def test_pictures_of_what_is_shown_can_be_had_and_no_others() -> None:
    shared = Shared()
    trace_id = await shared.trace()

    def drawn(tool: str) -> NewMessage:
        path = picture_path(shared.caller.account_id, "a-turn", tool)
        return NewMessage(
            message_id=new_uuid(),
            sender=Sender.TOOL_RESULT,
            text=tool,
            tool_name=tool,
            tool_call_id=tool,
            image_path=path,
        )

    for tool in ("draw_chart", "search_findings"):
        await shared.objects.put(PICTURES_BUCKET, picture_path(shared.caller.account_id, "a-turn", tool), tool.encode())
        await shared.asked(trace_id, drawn(tool))
    token, _ = await shared.links.share(shared.caller, shared.session_id)
    assert await shared.links.picture(token, "a-turn", "draw_chart") == b"draw_chart"
    for name in ("search_findings", "nothing"):
        with pytest.raises(NotFound):
            await shared.links.picture(token, "a-turn", name)


async def test_a_conversation_that_shows_nothing_has_no_title() -> None:
    shared = Shared()
    request = NewMessage(
        message_id=new_uuid(),
        sender=Sender.TOOL_REQUEST,
        text="",
        tool_name="get_usage",
        tool_call_id="c",
        tool_args={},
    )
    await shared.asked(await shared.trace(), request)
    token, shown = await shared.links.share(shared.caller, shared.session_id)
    assert (shown.turns, shown.withheld) == (0, 1)
    assert (await shared.links.read(token)).title is None
