"""What a graph that runs elsewhere gets from this server for its run: setup, steps, rows of model calls, pictures.
Whoever asks has the token of one attempt at one turn, which opens that turn while that attempt runs, and nothing else.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import anyio
import structlog
from pydantic import TypeAdapter, ValidationError

from server.agent.remote_steps import RemoteSteps
from server.agent.turn import Pictures, TurnInput
from server.errors import BadRequest, NotAuthenticated, NotFound, TooManyAtOnce, raised_at
from server.ports.conversations import TurnRow, TurnStatus
from server.ports.executor import run_id_of
from server.ports.invocations import CallCost, Invocation, InvocationLog, invocation_id_of
from server.ports.run_tokens import RunTokens, token_hash_of
from server.protocol.events import TurnEvent
from server.protocol.run_steps import ModelFacts, RunSetup, StepFailed, StepName
from server.turns.turn_failures import turn_failure

LANGGRAPH = "langgraph"
"""The executor whose graph runs on a server for graphs, as rows of model calls name it."""

INPUTS_KEPT = 64
"""Of runs that were asked for last; another one is read again."""

MOST_STEPS = 200
"""Of one attempt: far more than its graph has, so that a graph that never ends does."""

COUNTED = (
    "call_number",
    "try_number",
    "input_tokens",
    "cached_input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "pictures",
    "tools_offered",
    "tool_calls",
    "cost_usd",
    "first_token_ms",
    "duration_ms",
)
"""Of a row what is never below zero."""

INVOCATION: TypeAdapter[Invocation] = TypeAdapter(Invocation)

log = structlog.get_logger(__name__)


class UnendedTurns(Protocol):
    """Of `Conversations` what is asked here."""

    async def unended_turn(self, turn_id: str) -> TurnRow | None: ...


class DeployedRuns:
    """Every method raises NotAuthenticated for a token that is not that of the run, or of an attempt that is over."""

    def __init__(
        self,
        *,
        tokens: RunTokens,
        conversations: UnendedTurns,
        inputs: Callable[[TurnRow], Awaitable[TurnInput]],
        steps: RemoteSteps,
        invocations: InvocationLog,
        pictures: Pictures,
        graph_name: str,
        graph_version: str,
        observation_trace_id: Callable[[str], str] | None = None,
    ) -> None:
        """`observation_trace_id` gives the trace of a turn in a tracing service."""
        self._tokens = tokens
        self._conversations = conversations
        self._inputs = inputs
        self._steps = steps
        self._invocations = invocations
        self._pictures = pictures
        self._graph = graph_name, graph_version
        self._observation_trace_id = observation_trace_id
        self._kept: OrderedDict[str, TurnInput] = OrderedDict()
        self._counts: OrderedDict[str, int] = OrderedDict()

    async def setup(self, run_id: str, token: str | None) -> RunSetup:
        """What the run's model calls need."""
        return self._steps.setup(await self._turn(run_id, token))

    async def step(
        self,
        run_id: str,
        token: str | None,
        name: StepName,
        state: dict[str, Any],
        *,
        models: Sequence[ModelFacts],
        page_result: dict[str, Any] | None,
    ) -> AsyncGenerator[TurnEvent | dict[str, Any] | StepFailed]:
        """The step's events as they happen, then what it makes of the state, or why it failed. Raises TooManyAtOnce
        for a run that never ends."""
        turn = await self._turn(run_id, token)
        self._count(run_id)
        return self._events(turn, name, state, models=models, page_result=page_result)

    async def begin(self, run_id: str, token: str | None, invocation: dict[str, Any], bound: CallCost) -> None:
        """Keep the row of a model call of this run that is about to be made. Raises LimitExceeded where the budget is
        spent, BadRequest for what is no row, DatabaseUnavailable."""
        turn = await self._turn(run_id, token)
        await self._invocations.begin(self._row(turn, invocation), bound)

    async def record(
        self, run_id: str, token: str | None, invocation: dict[str, Any], estimate: CallCost | None
    ) -> int | None:
        """Keep what came of it; see `InvocationLog.record`. Raises as `begin`, but for the budget."""
        turn = await self._turn(run_id, token)
        return await self._invocations.record(self._row(turn, invocation), estimate=estimate)

    async def picture(self, run_id: str, token: str | None, tool_call_id: str) -> bytes:
        """A picture that a tool of this turn has drawn. Raises NotFound."""
        turn = await self._turn(run_id, token)
        png = await self._pictures.load(turn, tool_call_id)
        if png is None:
            raise NotFound("There is no such picture.")
        return png

    async def _turn(self, run_id: str, token: str | None) -> TurnInput:
        holder = None if not token else await self._tokens.holder(run_id, token_hash_of(token))
        row = None if holder is None else await self._conversations.unended_turn(holder.turn_id)
        if (
            holder is None
            or row is None
            or row.status is not TurnStatus.RUNNING
            or row.attempt != holder.attempt
            or row.waits_for_page
        ):
            self._kept.pop(run_id, None)
            raise NotAuthenticated("There is no run with this token that goes on.", code="run_over")
        if (kept := self._kept.get(run_id)) is None:
            kept = self._kept[run_id] = await self._inputs(row)
        self._kept.move_to_end(run_id)
        while len(self._kept) > INPUTS_KEPT:
            self._kept.popitem(last=False)
        return kept

    def _count(self, run_id: str) -> None:
        self._counts[run_id] = self._counts.pop(run_id, 0) + 1
        while len(self._counts) > INPUTS_KEPT:
            self._counts.popitem(last=False)
        if self._counts[run_id] > MOST_STEPS:
            raise TooManyAtOnce(f"This run has made {MOST_STEPS} steps and does not end.", retry_after_s=60)

    def _row(self, turn: TurnInput, written: dict[str, Any]) -> Invocation:
        """A row of this turn, whatever was written of whose it is."""
        try:
            given = INVOCATION.validate_python(written)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            raise BadRequest(f"invocation: {first['loc']}: {first['msg']}", field="invocation") from None
        below_zero = [name for name in COUNTED if (getattr(given, name) or 0) < 0]
        if below_zero:
            raise BadRequest(f"invocation: below zero: {', '.join(below_zero)}", field="invocation")
        graph_name, graph_version = self._graph
        return replace(
            given,
            invocation_id=invocation_id_of(turn.turn_id, turn.attempt, given.call_number, given.try_number),
            account_id=turn.caller.account_id,
            user_id=turn.caller.user_id,
            session_id=turn.session_id,
            turn_id=turn.turn_id,
            attempt=turn.attempt,
            executor=LANGGRAPH,
            request_id=turn.request_id,
            request_trace_id=turn.request_trace_id,
            api_key_id=turn.api_key_id,
            observation_trace_id=self._observation_trace_id and self._observation_trace_id(turn.turn_id),
            graph_run_id=run_id_of(turn.turn_id, turn.attempt),
            graph_name=graph_name,
            graph_version=graph_version,
            flags=turn.flags.text(),
        )

    async def _events(
        self,
        turn: TurnInput,
        name: StepName,
        state: dict[str, Any],
        *,
        models: Sequence[ModelFacts],
        page_result: dict[str, Any] | None,
    ) -> AsyncGenerator[TurnEvent | dict[str, Any] | StepFailed]:
        sink = _Events()

        async def work() -> dict[str, Any] | StepFailed:
            try:
                return await self._steps.step(turn, name, state, models=models, page_result=page_result, sink=sink)
            except Exception as error:  # noqa: BLE001 - the top of a step: whatever went wrong, the graph learns of it
                log.warning("step_failed", turn_id=turn.turn_id, step=name, error=type(error).__name__)
                failed = turn_failure(error)
                return StepFailed(
                    code=failed.code,
                    message=failed.message,
                    retryable=failed.retryable,
                    error=type(error).__name__,
                    where=raised_at(error),
                )
            finally:
                sink.events.put_nowait(None)

        task = asyncio.create_task(work())
        try:
            while (event := await sink.events.get()) is not None:
                yield event
            yield await task
        finally:
            with anyio.CancelScope(shield=True):
                task.cancel()
                await asyncio.wait({task})


class _Events:
    """A TurnSink whose events wait for their reader: those of one step, which are few."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[TurnEvent | None] = asyncio.Queue()

    async def emit(self, event: TurnEvent) -> None:
        self.events.put_nowait(event)

    def restore(self, events: Sequence[TurnEvent]) -> None:
        raise AssertionError("a step restores nothing")
