"""Prompts that are refused: each is counted by the limit that it met, and nothing is queued."""

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from limits.plans import LOCAL_PLAN, Plan
from server.adapters.in_process.queue import MemoryQueue
from server.agent.model_call.offered_models import ANALYST, OfferedModels
from server.errors import BadRequest, LimitExceeded, NotFound, TooManyAtOnce, TurnInProgress
from server.ports.conversations import NewMessage, Sender, TurnEnding, TurnRequest, TurnStatus
from server.ports.identity import Caller
from server.protocol.client import EditPrompt, Regenerate, UserPrompt
from server.protocol.wire_values import ViewerState
from server.testing.account_state import MemoryAccounts
from server.testing.conversations import MemoryConversations
from server.testing.manual_clock import ManualClock
from server.testing.plans import MemoryPlans
from server.testing.trace_records import MemoryTraceRecords
from server.turns.admission import Admission
from server.turns.conversation import Conversation
from tests.plugins.worlds import a_trace_of, new_uuid

ONE_MESSAGE = Plan(name="few", display_name="Few", chat_messages_per_session=1)


@dataclass
class Refusals:
    """That part of a process's measures."""

    met: list[str] = field(default_factory=list)

    def refused(self, limit: str) -> None:
        self.met.append(limit)


async def as_it_is(request: TurnRequest) -> TurnRequest:
    return request


class Asking:
    """Anna's conversations about her trace; nobody answers them."""

    def __init__(self, plan: Plan = LOCAL_PLAN, *, most: int | None = None, per_minute: int | None = None) -> None:
        self.clock, self.refusals = ManualClock(), Refusals()
        self.anna, self.ben = (Caller(user_id=new_uuid(), account_id=new_uuid()) for _ in range(2))
        accounts = MemoryAccounts(self.clock)
        for caller in (self.anna, self.ben):
            accounts.add(caller, plan)
        self.traces = MemoryTraceRecords(accounts)
        self.rows, self.trace = MemoryConversations(self.traces), a_trace_of(self.anna)
        nothing: Any = None
        self.conversation = Conversation(
            conversations=self.rows,
            library=cast("Any", Rows(self.traces)),
            openings=nothing,
            objects=nothing,
            queue=MemoryQueue(),
            relay=nothing,
            runner=nothing,
            measures=cast("Any", self.refusals),
            plans=MemoryPlans(self.traces),
            models=OfferedModels(of_server=("gpt", "small"), has_provider=True),
            most_turns_per_user=most,
            admission=Admission(per_minute=per_minute, what="prompts", monotonic=self.clock.monotonic),
            prepare=as_it_is,
        )

    async def prompt(self, session_id: str, *, caller: Caller | None = None, **more: Any) -> str:
        if not self.traces._rows:
            await self.traces.insert(self.trace)
        turn_id = new_uuid()
        message = UserPrompt(
            session_id=session_id, prompt="why?", turn_id=turn_id, trace_id=self.trace.trace_id, **more
        )
        await self.conversation.submit(caller or self.anna, message, ViewerState())
        return turn_id

    async def answered(self, session_id: str) -> str:
        turn_id = await self.prompt(session_id)
        await self.rows.start_turn(turn_id, owner="a process")
        answer = NewMessage(message_id=new_uuid(), sender=Sender.MODEL, text="so")
        await self.rows.end_turn(turn_id, TurnEnding(status=TurnStatus.COMPLETED, messages=(answer,)))
        return turn_id


@dataclass
class Rows:
    """That part of the library."""

    traces: MemoryTraceRecords

    async def row(self, caller: Caller, trace_id: str) -> Any:
        return await self.traces.get(caller, trace_id)


async def test_more_turns_at_once_than_a_user_may_have_are_refused_and_counted() -> None:
    asking = Asking(most=1)
    await asking.prompt(new_uuid())
    with pytest.raises(TooManyAtOnce):
        await asking.prompt(new_uuid())
    assert asking.refusals.met == ["turns_at_once"]


async def test_a_plan_s_limit_refuses_is_counted_and_is_noted_once_in_the_conversation() -> None:
    asking, session_id = Asking(ONE_MESSAGE), new_uuid()
    await asking.answered(session_id)
    for _ in range(2):
        with pytest.raises(LimitExceeded) as refused:
            await asking.prompt(session_id)
        assert str(refused.value.decision.limit_type) == "session_messages"
    assert asking.refusals.met == ["session_messages"] * 2
    history = await asking.rows.messages(asking.anna, session_id)
    assert [row.sender for row in history] == [Sender.USER, Sender.MODEL, Sender.SYSTEM_EVENT]


async def test_prompts_too_fast_are_refused_before_anything_is_looked_up() -> None:
    asking = Asking(per_minute=3)
    await asking.prompt(new_uuid())
    with pytest.raises(TooManyAtOnce):
        await asking.prompt("no-id-at-all")
    assert asking.refusals.met == ["prompts_a_minute"]


async def test_a_conversation_that_still_answers_takes_a_prompt_only_behind() -> None:
    asking, session_id = Asking(), new_uuid()
    await asking.prompt(session_id)
    with pytest.raises(TurnInProgress):
        await asking.prompt(session_id)
    await asking.prompt(session_id, mode="queue")
    assert len(asking.rows.turns_of(session_id)) == 2
    assert asking.refusals.met == []


async def test_a_model_that_is_not_offered_is_refused_by_its_name_and_the_analyst_never_is() -> None:
    asking = Asking()
    with pytest.raises(BadRequest, match="'huge' is not offered here; offered are gpt, small") as refused:
        await asking.prompt(new_uuid(), model="huge")
    assert refused.value.field == "model"
    for model in ("small", ANALYST):
        await asking.prompt(new_uuid(), model=model)


async def test_what_is_another_s_or_another_trace_s_is_refused() -> None:
    asking, session_id = Asking(), new_uuid()
    await asking.answered(session_id)
    with pytest.raises(BadRequest) as refused:
        await asking.prompt(session_id, user_id=asking.ben.user_id)
    assert refused.value.field == "userId"
    with pytest.raises(NotFound):
        await asking.prompt(session_id, caller=asking.ben)
    other = UserPrompt(session_id=session_id, prompt="why?", trace_id=new_uuid())
    with pytest.raises(BadRequest) as refused:
        await asking.conversation.submit(asking.anna, other, ViewerState())
    assert refused.value.field == "traceId"


async def test_a_turn_is_answered_again_in_its_place_with_its_prompt_or_another() -> None:
    asking, session_id = Asking(), new_uuid()
    first = await asking.answered(session_id)
    with pytest.raises(BadRequest) as refused:
        await asking.conversation.supersede(
            asking.anna, Regenerate(turn_id=first), ViewerState(), session_id=new_uuid()
        )
    assert refused.value.field == "turnId"
    await asking.conversation.supersede(asking.anna, Regenerate(turn_id=first), ViewerState(), session_id=session_id)
    again = asking.rows.turns_of(session_id)[-1]
    assert (again.prompt, again.supersedes, str(again.kind)) == ("why?", first, "regenerate")
    await asking.rows.start_turn(again.turn_id, owner="a process")
    await asking.rows.end_turn(again.turn_id, TurnEnding(status=TurnStatus.COMPLETED, messages=()))
    edit = EditPrompt(turn_id=again.turn_id, prompt="how?")
    await asking.conversation.supersede(asking.anna, edit, ViewerState(), session_id=session_id)
    edited = asking.rows.turns_of(session_id)[-1]
    assert (edited.prompt, edited.supersedes, str(edited.kind)) == ("how?", again.turn_id, "edit")
