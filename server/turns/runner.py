"""Runs accepted turns, each to exactly one end, whether or not anyone listens.

What may follow what stands in `lifecycle`. The ending is stored first and sent afterwards, so that what a client was
sent is never lost.
"""

import uuid
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

import anyio
import structlog

from server.errors import DatabaseUnavailable, TurnInProgress, raised_at
from server.ports.ai_events import AssistantFinal, Done, Failed, InterruptAsked, Restored, RunEnd, UsageReport
from server.ports.asking_user import ASKING_USER
from server.ports.clock import Clock
from server.ports.conversations import Conversations, TurnRow
from server.ports.executor import GraphCaller, GraphExecutor, RunRequest, run_id_of
from server.ports.measures import Measures
from server.ports.queue import TurnJob, TurnQueue
from server.ports.relay import Relay
from server.ports.request_ids import RunFacts
from server.protocol.events import Interrupted, TurnCancelled, TurnFailed
from server.turns.ai_events_on_the_wire import asked_on_wire, outcome_of, wire_of
from server.turns.ending_record import Outcome, ending_of
from server.turns.lifecycle import (
    MAX_ATTEMPTS,
    Event,
    State,
    has_died_too_often,
    is_overtaken_too_often,
    state_of,
    status_at_end,
)
from server.turns.sink import FLUSH_S, RelaySink
from server.turns.turn_failures import DATABASE_UNAVAILABLE, turn_failure
from server.turns.view_of_turn import TurnView

NOTE_WITHIN_S = 15.0
"""How long the database is waited for at a hand-over; a stop waits for it too."""

NOTE_AGAIN_S = 0.3

Setup = TypeVar("Setup")
log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Running:
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    when_cut: Event = Event.HAND_OVER
    """What its being cut off means: the server stops, or the user has stopped the turn."""

    since: float = 0.0
    attempt: int | None = None


class TurnRunner(Generic[Setup]):
    """Takes jobs from the queue and runs the agent on them. `run` ends only by being cancelled; `drain` lets running
    turns finish first.
    """

    def __init__(
        self,
        *,
        conversations: Conversations,
        inputs: Callable[[TurnRow], Awaitable[Setup]],
        queue: TurnQueue,
        relay: Relay,
        executor: GraphExecutor[Setup],
        clock: Clock,
        measures: Measures,
        turn_seconds: float,
        turns_at_once: int,
        takes_up_unended: bool = True,
        flush_s: float = FLUSH_S,
        run_facts: Callable[[str], RunFacts],
    ) -> None:
        """`inputs` makes what a turn's graph is run on; `run_facts` names the graph that runs a turn."""
        self._conversations = conversations
        self._inputs = inputs
        self._queue = queue
        self._relay = relay
        self._executor = executor
        self._clock = clock
        self._measures = measures
        self._turn_seconds = turn_seconds
        self._slots = anyio.Semaphore(turns_at_once)
        self._takes_up_unended = takes_up_unended
        self._flush_s = flush_s
        self._run_facts = run_facts
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
        run = self._run_facts(job.turn_id)
        turn = await self._conversations.start_turn(job.turn_id, owner=self._owner, run=run)
        if turn is None:
            unended = await self._conversations.unended_turn(job.turn_id)
            if state_of(unended) is State.STOPPING and unended is not None:
                await self.close_unstarted(unended)
            return
        if turn.request_id is not None:
            structlog.contextvars.bind_contextvars(request_id=turn.request_id)  # of this job's task alone
        ASKING_USER.set(turn.user_id)
        running.attempt = turn.attempt
        waited = self._clock.now() - turn.created_at
        self._measures.turn_started(attempt=turn.attempt, waited_s=waited.total_seconds())
        view = TurnView.at_start(job.turn_id, job.session_id, turn.attempt)
        failed = _given_up(turn)
        if failed is not None:
            await self._end(view, turn.account_id, failed, attempt=turn.attempt)
            return
        sink = RelaySink(self._relay, view, flush_s=self._flush_s)
        outcome: Outcome | InterruptAsked
        try:
            outcome = await self._answer(turn, run, sink)
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
        with anyio.CancelScope(shield=True):
            await sink.close()
            if isinstance(outcome, InterruptAsked):
                await self._wait(turn, view, outcome)
            else:
                await self._end(view, turn.account_id, outcome, attempt=turn.attempt)

    async def _wait(self, turn: TurnRow, view: TurnView, question: InterruptAsked) -> None:
        """Let the turn wait for the page, which takes it from this process; then say so. One that shall stop ends.

        Raises DatabaseUnavailable: then another attempt asks."""
        asked = asked_on_wire(question, now=self._clock.now())
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

    async def _answer(self, turn: TurnRow, run: RunFacts, sink: RelaySink) -> Outcome | InterruptAsked:
        """What the run of the turn's graph came to. Raises DatabaseUnavailable."""
        try:
            with anyio.fail_after(self._turn_seconds):
                request = RunRequest(
                    caller=graph_caller(turn, run), attempt=turn.attempt, setup=await self._inputs(turn)
                )
                end = await self._publish(request, sink)
        except TimeoutError:
            text = f"No answer was found within {self._turn_seconds:g} s. Ask about a smaller part of the trace."
            return TurnFailed(code="deadline", message=text, retryable=True)
        except DatabaseUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the top of a turn: whatever went wrong, it ends and says so
            failed = turn_failure(error)
            self._log_failed(turn, failed.code, type(error).__name__, raised_at(error))
            return failed
        outcome = outcome_of(end)
        if isinstance(end, Failed):
            if end.code == DATABASE_UNAVAILABLE:
                raise DatabaseUnavailable(end.message)
            self._log_failed(turn, end.code, end.error, end.where)
        if outcome is not None:
            return outcome
        assert isinstance(end, Done)
        assert end.asked is not None
        return end.asked

    async def _publish(self, request: RunRequest[Setup], sink: RelaySink) -> RunEnd:
        """Publish what a run emits. Returns the event that ended it."""
        run = self._executor.run(request)
        async with aclosing(run.events) as events:
            async for event in events:
                match event:
                    case Restored():
                        sink.restore([wire_of(one) for one in event.events])
                    case InterruptAsked() | UsageReport() | AssistantFinal():
                        pass  # the end has them
                    case Done() | Failed():
                        break
                    case _:
                        await sink.emit(wire_of(event))
        return await run.final()

    def _log_failed(self, turn: TurnRow, code: str, error: str, where: str) -> None:
        log.warning("turn_failed", turn_id=turn.turn_id, code=code, error=error, where=where)

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


def graph_caller(turn: TurnRow, run: RunFacts) -> GraphCaller:
    """For whom the turn's graph runs. A turn that was stored without ids of its request has ids of its own."""
    unnamed = uuid.uuid5(uuid.NAMESPACE_URL, f"request/{turn.turn_id}")
    return GraphCaller(
        account_id=turn.account_id,
        user_id=turn.user_id,
        session_id=turn.session_id,
        turn_id=turn.turn_id,
        request_id=turn.request_id or str(unnamed),
        request_trace_id=turn.request_trace_id or unnamed.hex,
        graph_run_id=run_id_of(turn.turn_id, turn.attempt),
        graph_name=run.graph_name,
        graph_version=run.graph_version,
    )
