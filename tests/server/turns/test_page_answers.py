"""What a page answers a turn that waits: checked by what was asked, kept once, and the turn goes on."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import cast

import pytest

from server.agent.turn import ATTEMPT
from server.errors import BadRequest, NotFound
from server.ports.conversations import TurnRequest
from server.ports.identity import Caller
from server.ports.queue import TurnJob, TurnQueue
from server.protocol.client import ResumeTurn
from server.protocol.wire_values import AskedOfPage
from server.testing.account_state import MemoryAccounts
from server.testing.conversations import MemoryConversations
from server.testing.manual_clock import ManualClock
from server.testing.trace_records import MemoryTraceRecords
from server.turns.page_answers import page_answer_of, resume
from tests.plugins.worlds import a_trace_of, new_uuid


@dataclass
class JobsAgain:
    """That part of a queue."""

    jobs: list[TurnJob] = field(default_factory=list)

    async def put_again(self, job: TurnJob) -> None:
        self.jobs.append(job)


@dataclass
class Waiting:
    """A turn of Anna's that has asked which of two things she means."""

    clock: ManualClock
    rows: MemoryConversations
    anna: Caller
    ben: Caller
    job: TurnJob
    interrupt_id: str
    queue: JobsAgain = field(default_factory=JobsAgain)

    @classmethod
    async def begin(cls) -> "Waiting":
        clock = ManualClock()
        anna, ben = (Caller(user_id=new_uuid(), account_id=new_uuid()) for _ in range(2))
        accounts = MemoryAccounts(clock)
        for caller in (anna, ben):
            accounts.add(caller)
        traces = MemoryTraceRecords(accounts)
        rows, trace = MemoryConversations(traces), a_trace_of(anna)
        await traces.insert(trace)
        job, interrupt_id = TurnJob(new_uuid(), new_uuid()), new_uuid()
        await rows.accept_turn(
            TurnRequest(
                caller=anna, trace_id=trace.trace_id, session_id=job.session_id, turn_id=job.turn_id, prompt="why?"
            )
        )
        await rows.start_turn(job.turn_id, owner="a process")
        question = AskedOfPage(
            interrupt_id=interrupt_id,
            tool_call_id="call_1",
            tool_name="ask_person",
            args={"question": "Which one?", "choices": ["read", "paint"]},
            expires_at=clock.now() + timedelta(minutes=5),
        )
        assert await rows.interrupt_turn(job.turn_id, question, attempt=1)
        return cls(clock, rows, anna, ben, job, interrupt_id)

    async def answer(self, text: str | None, *, caller: Caller | None = None, turn_id: str | None = None) -> None:
        result = {"status": "declined"} if text is None else {"status": "answered", "answer": text}
        message = ResumeTurn(interrupt_id=self.interrupt_id, result=result)
        await resume(self.rows, cast("TurnQueue", self.queue), caller or self.anna, message, turn_id=turn_id)


async def test_an_answer_lets_the_turn_go_on_with_it() -> None:
    waiting = await Waiting.begin()
    await waiting.answer("paint")
    assert waiting.queue.jobs == [waiting.job]
    row = await waiting.rows.turn(waiting.anna, waiting.job.turn_id)
    assert row.interrupt_result == {"status": "answered", "answer": "paint"}


async def test_the_same_answer_again_changes_nothing_and_another_is_refused() -> None:
    waiting = await Waiting.begin()
    await waiting.answer("paint")
    await waiting.answer("paint")
    assert waiting.queue.jobs == [waiting.job]
    with pytest.raises(BadRequest, match="answered already") as refused:
        await waiting.answer("read")
    assert refused.value.field == "interruptId"


async def test_an_answer_that_is_too_late_is_refused() -> None:
    waiting = await Waiting.begin()
    waiting.clock.advance(301)
    with pytest.raises(BadRequest, match="too late"):
        await waiting.answer("paint")
    assert waiting.queue.jobs == []


async def test_a_result_that_is_not_the_tool_s_is_refused_before_anything_is_kept() -> None:
    waiting = await Waiting.begin()
    with pytest.raises(BadRequest, match="result: ") as refused:
        await waiting.answer("")
    assert refused.value.field == "result"
    assert waiting.queue.jobs == []
    await waiting.answer(None)
    assert waiting.queue.jobs == [waiting.job]


async def test_an_answer_for_another_turn_or_by_another_person_finds_nothing() -> None:
    waiting = await Waiting.begin()
    with pytest.raises(NotFound, match="interrupt"):
        await waiting.answer("paint", turn_id=new_uuid())
    with pytest.raises(NotFound):
        await waiting.answer("paint", caller=waiting.ben)
    assert waiting.queue.jobs == []
    await waiting.answer("paint", turn_id=waiting.job.turn_id)
    assert waiting.queue.jobs == [waiting.job]


async def test_an_attempt_has_the_answer_to_what_the_one_before_asked() -> None:
    waiting = await Waiting.begin()
    assert page_answer_of(await waiting.rows.turn(waiting.anna, waiting.job.turn_id)) is None
    await waiting.answer("paint")
    row = await waiting.rows.start_turn(waiting.job.turn_id, owner="another")
    assert row is not None
    answer = page_answer_of(row)
    assert answer is not None
    assert (answer.interrupt_id, answer.result["answer"], answer.is_first) == (waiting.interrupt_id, "paint", True)
    later = page_answer_of(replace(row, attempt=row.attempt + 1))
    assert later is not None
    assert later.is_first, "without the attempt that asked, the one before is meant"
    assert row.interrupt is not None
    asked = row.interrupt.model_copy(update={"args": {ATTEMPT: 1}})
    again = page_answer_of(replace(row, attempt=3, interrupt=asked))
    assert again is not None
    assert not again.is_first
