"""Runs accepted turns, each to exactly one end, whether or not anyone listens.

What may follow what stands in `lifecycle`. The ending is stored first and sent afterwards, so that what a client was
sent is never lost.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

import anyio
import structlog

from limits.administration import PlanRecords
from server.agent.model_call.offered_models import ANALYST
from server.agent.turn import Agent, PageQuestion, TurnAnswer, TurnInput, WaitsForPage
from server.analyst.memory_orders import is_command
from server.errors import DatabaseUnavailable, TurnInProgress, raised_at
from server.ports.clock import Clock
from server.ports.conversations import Conversations, TurnRow
from server.ports.core_memory import BY_PROGRAM
from server.ports.identity import Caller
from server.ports.measures import Measures
from server.ports.queue import TurnJob, TurnQueue
from server.ports.relay import Relay
from server.ports.request_ids import RunFacts
from server.ports.traces import OpenTrace
from server.protocol.events import Interrupted, TurnCancelled, TurnFailed
from server.protocol.wire_values import AskedOfPage, LimitsView, ViewerState
from server.turns.account_memory import AccountMemory
from server.turns.earlier_messages import earlier_messages, has_answer
from server.turns.ending_record import Outcome, ending_of
from server.turns.features import features
from server.turns.lifecycle import (
    MAX_ATTEMPTS,
    Event,
    State,
    has_died_too_often,
    is_overtaken_too_often,
    state_of,
    status_at_end,
)
from server.turns.outside_reach import NOTHING_OUTSIDE, OutsideReach
from server.turns.page_answers import page_answer_of
from server.turns.run_questions import runs_of
from server.turns.sink import FLUSH_S, RelaySink
from server.turns.tool_context import AccountToolContext
from server.turns.trace_library import TraceLibrary
from server.turns.turn_failures import turn_failure
from server.turns.view_of_turn import TurnView

NOTE_WITHIN_S = 15.0
"""How long the database is waited for at a hand-over; a stop waits for it too."""

NOTE_AGAIN_S = 0.3

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Running:
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    when_cut: Event = Event.HAND_OVER
    """What its being cut off means: the server stops, or the user has stopped the turn."""

    since: float = 0.0
    attempt: int | None = None


class TurnRunner:
    """Takes jobs from the queue and runs the agent on them. `run` ends only by being cancelled; `drain` lets running
    turns finish first.
    """

    def __init__(
        self,
        *,
        conversations: Conversations,
        library: TraceLibrary,
        queue: TurnQueue,
        relay: Relay,
        agent: Agent,
        clock: Clock,
        measures: Measures,
        turn_seconds: float,
        turns_at_once: int,
        takes_up_unended: bool = True,
        flush_s: float = FLUSH_S,
        plans: PlanRecords | None = None,
        run_facts: Callable[[str], RunFacts] | None = None,
        outside: OutsideReach = NOTHING_OUTSIDE,
        memory: AccountMemory | None = None,
    ) -> None:
        self._conversations = conversations
        self._library = library
        self._queue = queue
        self._relay = relay
        self._agent = agent
        self._clock = clock
        self._measures = measures
        self._turn_seconds = turn_seconds
        self._slots = anyio.Semaphore(turns_at_once)
        self._takes_up_unended = takes_up_unended
        self._flush_s = flush_s
        self._plans = plans
        self._run_facts = run_facts
        self._memory = memory
        self._outside = outside
        self._owner = str(uuid.uuid4())
        self._running: dict[str, _Running] = {}
        self._taking = anyio.CancelScope()
        self._idle = anyio.Event()
        self._is_run = False

    async def run(self) -> None:
        """Take up what an earlier process left, then run jobs as they come."""
        self._is_run = True
        try:
            if self._takes_up_unended:
                await self._take_up_unended()
            async with anyio.create_task_group() as hearing:
                hearing.start_soon(self._receive_stops)
                async with anyio.create_task_group() as turns:
                    with self._taking:
                        jobs = self._queue.jobs()
                        while True:
                            await self._slots.acquire()
                            job = await anext(jobs)
                            self._running[job.turn_id] = _Running(since=self._clock.monotonic())
                            turns.start_soon(self._run_job, job)
                hearing.cancel_scope.cancel()
        finally:
            self._idle.set()

    @property
    def running_turns(self) -> int:
        return len(self._running)

    async def drain(self, seconds: float) -> None:
        """Take no more jobs; give running turns so long to end, then stop them. What was stopped is run again, by
        another process or at the next start. There is nothing to wait for where `run` was never called.
        """
        await self._queue.stop()
        self._taking.cancel()
        if not self._is_run:
            return
        with anyio.move_on_after(seconds):
            await self._idle.wait()
        for running in self._running.values():
            running.scope.cancel()
        await self._idle.wait()

    def cancel(self, turn_id: str) -> None:
        """Stop a running turn, keeping what it has said."""
        running = self._running.get(turn_id)
        if running is not None:
            running.when_cut = Event.CANCEL
            running.scope.cancel()

    async def close_unstarted(self, turn: TurnRow) -> None:
        """End a turn that was cancelled while nobody ran it, with what it had said if its server died."""
        published = await self._relay.snapshot(turn.session_id) if turn.attempt else None
        view = TurnView.left_behind(turn.turn_id, turn.session_id, turn.attempt, published)
        await self._end(view, turn.account_id, TurnCancelled(message_id=view.last_message_id))

    async def _take_up_unended(self) -> None:
        for turn in await self._conversations.unended_turns():
            await self._queue.put(TurnJob(turn.turn_id, turn.session_id))

    async def _receive_stops(self) -> None:
        """Cancels that were asked of another process."""
        async for turn_id in self._queue.stops():
            self.cancel(turn_id)

    async def _run_job(self, job: TurnJob) -> None:
        running = self._running[job.turn_id]
        try:
            with running.scope:
                await self._run_turn(job, running)
        except TurnInProgress:
            log.info("turn_waits_for_an_earlier_one", turn_id=job.turn_id)
        except DatabaseUnavailable as error:
            log.warning("turn_waits_for_the_database", turn_id=job.turn_id, where=raised_at(error))
            if running.attempt is not None:  # the next attempt goes on after the last complete step
                await self._note_hand_over(job.turn_id, running.attempt)
        except Exception as error:  # noqa: BLE001 - the top of a job: whoever keeps turns from being lost gives it again
            log.warning("turn_not_run", turn_id=job.turn_id, error=type(error).__name__, where=raised_at(error))
        finally:
            del self._running[job.turn_id]
            self._slots.release()
            with anyio.CancelScope(shield=True):
                await self._queue.done(job)

    async def _run_turn(self, job: TurnJob, running: _Running) -> None:
        run = None if self._run_facts is None else self._run_facts(job.turn_id)
        turn = await self._conversations.start_turn(job.turn_id, owner=self._owner, run=run)
        if turn is None:
            unended = await self._conversations.unended_turn(job.turn_id)
            if state_of(unended) is State.STOPPING and unended is not None:
                await self.close_unstarted(unended)
            return
        if turn.request_id is not None:
            structlog.contextvars.bind_contextvars(request_id=turn.request_id)  # of this job's task alone
        running.attempt = turn.attempt
        waited = self._clock.now() - turn.created_at
        self._measures.turn_started(attempt=turn.attempt, waited_s=waited.total_seconds())
        view = TurnView.at_start(job.turn_id, job.session_id, turn.attempt)
        failed = _given_up(turn)
        if failed is not None:
            await self._end(view, turn.account_id, failed, attempt=turn.attempt)
            return
        sink = RelaySink(self._relay, view, flush_s=self._flush_s)
        outcome: Outcome
        try:
            outcome = await self._answer(turn, sink)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await sink.close()
                if running.when_cut is Event.CANCEL:
                    cancelled = TurnCancelled(message_id=view.last_message_id)
                    await self._end(view, turn.account_id, cancelled, attempt=turn.attempt)
                else:
                    await self._hand_over(turn)
            raise
        except DatabaseUnavailable as error:
            await sink.close()
            if await self._relay.give_up(turn.turn_id, turn.session_id):
                raise
            outcome = turn_failure(error)
        except WaitsForPage as waits:
            with anyio.CancelScope(shield=True):
                await sink.close()
                await self._wait(turn, view, waits.question)
            return
        with anyio.CancelScope(shield=True):
            await sink.close()
            await self._end(view, turn.account_id, outcome, attempt=turn.attempt)

    async def _wait(self, turn: TurnRow, view: TurnView, question: PageQuestion) -> None:
        """Let the turn wait for the page, which takes it from this process; then say so. One that shall stop ends.

        Raises DatabaseUnavailable: then another attempt asks."""
        asked = AskedOfPage(
            interrupt_id=question.interrupt_id,
            tool_call_id=question.tool_call_id,
            tool_name=question.tool_name,
            args=question.args,
            expires_at=self._clock.now() + timedelta(seconds=question.seconds),
        )
        if await self._conversations.interrupt_turn(turn.turn_id, asked, attempt=turn.attempt):
            sink = RelaySink(self._relay, view, flush_s=self._flush_s)
            await sink.emit(Interrupted(**asked.model_dump()))
            log.info("turn_waits_for_the_page", turn_id=turn.turn_id, tool=asked.tool_name)
        elif state_of(await self._conversations.unended_turn(turn.turn_id)) is State.STOPPING:
            cancelled = TurnCancelled(message_id=view.last_message_id)
            await self._end(view, turn.account_id, cancelled, attempt=turn.attempt)
        else:
            await self._relay.give_up(turn.turn_id, turn.session_id)

    async def _hand_over(self, turn: TurnRow) -> None:
        self._measures.turn_handed_over()
        await self._relay.give_up(turn.turn_id, turn.session_id)
        await self._note_hand_over(turn.turn_id, turn.attempt)

    async def _note_hand_over(self, turn_id: str, attempt: int) -> None:
        """Before the job is let go, so that whoever takes the turn up knows it. What cannot be noted in time counts as
        an attempt that died."""
        with anyio.move_on_after(NOTE_WITHIN_S) as waiting:
            while True:
                try:
                    await self._conversations.hand_over_turn(turn_id, attempt=attempt)
                except DatabaseUnavailable:
                    await anyio.sleep(NOTE_AGAIN_S)
                else:
                    return
        if waiting.cancelled_caught:
            log.warning("hand_over_not_noted", turn_id=turn_id)

    async def _answer(self, turn: TurnRow, sink: RelaySink) -> TurnAnswer | TurnFailed:
        """The agent's answer, or why there is none. Raises DatabaseUnavailable, WaitsForPage."""
        try:
            with anyio.fail_after(self._turn_seconds):
                return await self._agent.answer(await self._input(turn), sink)
        except TimeoutError:
            text = f"No answer was found within {self._turn_seconds:g} s. Ask about a smaller part of the trace."
            return TurnFailed(code="deadline", message=text, retryable=True)
        except (DatabaseUnavailable, WaitsForPage):
            raise
        except Exception as error:  # noqa: BLE001 - the top of a turn: whatever went wrong, it ends and says so
            failed = turn_failure(error)
            log.warning(
                "turn_failed",
                turn_id=turn.turn_id,
                code=failed.code,
                error=type(error).__name__,
                where=raised_at(error),
            )
            return failed

    async def _input(self, turn: TurnRow) -> TurnInput:
        caller = Caller(user_id=turn.user_id, account_id=turn.account_id)
        row, opened = await self._library.open(caller, turn.trace_id)
        history = earlier_messages(await self._conversations.messages(caller, turn.session_id), turn.turn_id)
        offered = await features(self._plans, turn.plan_name)
        before = () if self._memory is None else await self._memory.asked_before(turn.session_id, turn.prompt, caller)
        return TurnInput(
            turn_id=turn.turn_id,
            session_id=turn.session_id,
            attempt=turn.attempt,
            caller=caller,
            trace=row,
            opened=opened,
            prompt=turn.prompt,
            history=history,
            viewer=ViewerState.model_validate({k: v for k, v in turn.context.items() if k != BY_PROGRAM}),
            model_name=ANALYST if self._memory is not None and is_command(turn.prompt) else turn.model,
            plan_name=turn.plan_name,
            messages_used=turn.messages_used,
            messages_limit=turn.messages_limit,
            local_time=self._clock.now().astimezone(),
            is_first_answer=not has_answer(history),
            hidden_tools=offered.hidden_tools,
            offered_models=offered.models,
            token_limit=offered.turn_tokens,
            page_answer=page_answer_of(turn),
            foreign=await self._outside.tools_of(caller),
            web=self._outside.web_of(caller),
            request_id=turn.request_id,
            request_trace_id=turn.request_trace_id,
            tool_context=await self._tool_context(turn, caller, opened),
            core_memory=None if self._memory is None else await self._memory.for_prompt(caller),
            asked_before=before,
        )

    async def _tool_context(self, turn: TurnRow, caller: Caller, opened: OpenTrace) -> AccountToolContext:
        async def limits() -> LimitsView:
            return await self._conversations.limits(caller, turn.session_id)

        return AccountToolContext(
            self._library,
            caller,
            turn.trace_id,
            limits=limits,
            source_folder=self._outside.source_folder,
            repository=self._outside.repository_of(caller),
            memory=None if self._memory is None else self._memory.of_turn(turn, caller, self._library.copied(opened)),
            runs=await runs_of(self._library, caller, turn.trace_id),
        )

    async def _end(self, view: TurnView, account_id: str, outcome: Outcome, *, attempt: int | None = None) -> None:
        """Store the ending, then publish it; or that another process has ended the turn, if anything was published.

        Raises DatabaseUnavailable when the next attempt will store and publish it.
        """
        ending, events = ending_of(view, account_id, outcome)
        try:
            stored = await self._conversations.end_turn(view.turn_id, ending, attempt=attempt)
        except Exception as error:  # listeners must learn that the answer was lost
            log.warning("turn_not_stored", turn_id=view.turn_id, error=type(error).__name__, where=raised_at(error))
            if attempt is not None and await self._relay.give_up(view.turn_id, view.session_id):
                if isinstance(error, DatabaseUnavailable):
                    raise
                return  # the turn has not ended: its next attempt stores and publishes
            lost = TurnFailed(
                code="not_stored", message="The answer could not be stored. It is tried again.", retryable=True
            )
            events, stored = (lost,), []
            ending = replace(ending, status=status_at_end(view.state, lost), error_code=lost.code)
        if stored is None:
            if attempt is None or await self._relay.give_up(view.turn_id, view.session_id):
                return
            text = "Another server has ended this answer. Open the conversation again to see it."
            events = (TurnFailed(code="superseded", message=text, retryable=False),)
        if stored is not None:  # before it is published: whoever received the end finds it counted
            running = self._running.get(view.turn_id)
            self._measures.turn_ended(
                ending.status.value,
                seconds=0.0 if running is None else self._clock.monotonic() - running.since,
                code=ending.error_code,
                input_tokens=ending.input_tokens,
                output_tokens=ending.output_tokens,
            )
        sink = RelaySink(self._relay, view, flush_s=self._flush_s)
        for event in events:
            await sink.emit(event)
        log.info("turn_ended", turn_id=view.turn_id, attempt=view.attempt, status=ending.status.value)


def _given_up(turn: TurnRow) -> TurnFailed | None:
    """Why the attempt that has just started ends at once, if it does."""
    if has_died_too_often(turn):
        text = f"The server stopped {MAX_ATTEMPTS} times during this answer. Ask again."
        return TurnFailed(code="server_stopped", message=text, retryable=True)
    if is_overtaken_too_often(turn):
        text = "Every server that worked on this answer came to a standstill. Ask about a smaller part of the trace."
        return TurnFailed(code="turn_stalls", message=text, retryable=False)
    return None
