"""The rows of model calls as they happen: one for each request that a call makes, written before it is sent and again
when its outcome is known.
"""

import math
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import anyio
import structlog
from langchain_core.messages import AIMessageChunk, AnyMessage
from langchain_core.messages.ai import UsageMetadata

from limits.refusals import refusal_text
from server.agent.bounds import ANSWER_TOKENS, CHARACTERS_PER_TOKEN
from server.agent.model_call.call_artifacts import AnsweredCall, CallArtifacts
from server.agent.model_call.chat_model import REQUEST_FAILED, REQUEST_REPEATED, Model, ReplyStream
from server.agent.model_call.fallback import OVER_BUDGET
from server.agent.model_call.prompt_hash import VERSION, prompt_hash
from server.agent.model_call.token_counts import characters_in
from server.agent.model_call.usage_reports import UNCLEAR, believable, cached_tokens, reasoning_tokens
from server.agent.turn import TurnInput
from server.errors import DatabaseUnavailable, LimitExceeded, ModelFailed, ServerError
from server.ports.clock import Clock
from server.ports.executor import ModelCaller, run_id_of
from server.ports.invocations import CallCost, Invocation, InvocationLog, Outcome, Purpose, invocation_id_of

IN_PROCESS = "in_process"
"""The executor that runs the graph in the server itself."""

GRAPH_NAME = "flamechat"

PICTURE_TOKENS = 1_500
"""Of a picture of the largest size that is sent, as OpenAI counts its tiles; others count less."""

WITHIN_S = 5.0
"""How long a call that was cut off waits for its row to be written."""

REFUSALS = frozenset(
    {
        "model_refused",
        "content_filter",
        "bad_request",
        "context_too_long",
        "model_key_refused",
        "model_not_found",
        "model_no_endpoint",
        "model_rate_limited",
        "model_quota",
    }
)
"""Codes of failures with which a provider or a model declines."""

log = structlog.get_logger(__name__)


def outcome_of(code: str) -> Outcome:
    """What a call that failed so, and after which nothing was tried, came to."""
    if code == "model_timeout":
        return Outcome.TIMEOUT
    return Outcome.REFUSED if code in REFUSALS else Outcome.BROKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLedger:
    """Where rows go, and what all of a server's calls share. `observation_trace_id` gives the trace of a turn in a
    tracing service."""

    invocations: InvocationLog
    clock: Clock
    graph_version: str
    observation_trace_id: Callable[[str], str] | None = None
    artifacts: CallArtifacts | None = None
    """Where what each call really contained is kept; None: nowhere."""

    def row(
        self, turn: TurnInput, number: int, *, prompt_version: str, purpose: Purpose = Purpose.ANSWER
    ) -> Invocation:
        """The row of a turn's call, before its model is known."""
        return Invocation(
            invocation_id=invocation_id_of(turn.turn_id, turn.attempt, number, 1),
            account_id=turn.caller.account_id,
            user_id=turn.caller.user_id,
            session_id=turn.session_id,
            turn_id=turn.turn_id,
            attempt=turn.attempt,
            call_number=number,
            try_number=1,
            purpose=purpose,
            executor=IN_PROCESS,
            model_asked="",
            started_at=self.clock.now(),
            request_id=turn.request_id,
            request_trace_id=turn.request_trace_id,
            api_key_id=turn.api_key_id,
            observation_trace_id=self.observation_trace_id and self.observation_trace_id(turn.turn_id),
            graph_run_id=run_id_of(turn.turn_id, turn.attempt),
            graph_name=GRAPH_NAME,
            graph_version=self.graph_version,
            prompt_version=prompt_version,
            flags=turn.flags.text(),
        )

    def outside(self, caller: ModelCaller, purpose: Purpose) -> Invocation:
        """The row of a call that belongs to no graph, before its model is known."""
        return Invocation(
            invocation_id=str(uuid.uuid4()),
            account_id=caller.account_id,
            user_id=caller.user_id,
            session_id=caller.session_id,
            turn_id=caller.turn_id,
            attempt=1,
            call_number=1,
            try_number=1,
            purpose=purpose,
            executor=IN_PROCESS,
            model_asked="",
            started_at=self.clock.now(),
            request_id=caller.request_id,
            request_trace_id=caller.request_trace_id,
        )


def tokens_of(messages: Sequence[AnyMessage], tools: Sequence[dict[str, Any]], pictures: int) -> int:
    """An estimate of what a request takes, by the average of this kind of text."""
    return math.ceil(characters_in(messages, tools) / CHARACTERS_PER_TOKEN) + pictures * PICTURE_TOKENS


def cost_at_most(model: Model, input_tokens: int, output_tokens: int) -> CallCost:
    """What a call of so many tokens comes to, where nothing of it was read before."""
    cost = None if model.price is None else model.price.bound(input_tokens, output_tokens)
    return CallCost(cost, input_tokens + output_tokens)


class CallAttempts:
    """The attempts of one call. Each request is one: those that are made again, those of another model that takes over,
    and those that an adapter repeats by itself."""

    def __init__(
        self,
        ledger: CallLedger | None,
        call: Invocation | None,
        *,
        has_expired: Callable[[], bool] = lambda: False,
    ) -> None:
        """`call` is the row of its first attempt, before its model is known. Without a ledger nothing is written.
        `has_expired` says whether a call that is cut off was cut off by the turn's deadline."""
        self._ledger = ledger
        self._call = call
        self._has_expired = has_expired
        self._tries = 0
        self._open: _OpenAttempt | None = None
        self._unwritten: Invocation | None = None
        self._estimate: CallCost | None = None
        self._model: Model | None = None
        self._input_tokens = 0
        self._unkept: list[str] = []
        self.budget_percent: int | None = None
        """The share of the month's budget that this call has reached, where its person is to be informed of it."""

    def observed(
        self,
        model: Model,
        chat: ReplyStream,
        messages: Sequence[AnyMessage],
        *,
        pictures: int = 0,
        tools: Sequence[dict[str, Any]] = (),
    ) -> ReplyStream:
        """The model's stream, of whose requests rows are written; it will be asked with these `messages` and `tools`.
        That of the built-in analyst as it is: it is no call of a model."""
        if not model.is_language_model:
            return chat
        self._model = model
        self._input_tokens = tokens_of(messages, tools, pictures)
        if self._call is not None:
            self._call = replace(
                self._call,
                model_asked=model.name,
                provider=model.provider,
                pictures=pictures,
                tools_offered=len(tools),
                prompt_hash=prompt_hash(model.name, messages, tools, max_tokens=model.output_tokens),
                prompt_hash_version=VERSION,
            )
        return ObservedStream(self, chat)

    async def begin(self) -> None:
        """A request is about to be sent. Raises ModelFailed where its user's budget is spent, DatabaseUnavailable."""
        if self._ledger is None or self._call is None or self._model is None:
            return
        self._tries += 1
        call, clock = self._call, self._ledger.clock
        of = call.turn_id or call.invocation_id
        row = replace(
            call,
            invocation_id=invocation_id_of(of, call.attempt, call.call_number, self._tries),
            try_number=self._tries,
            started_at=clock.now(),
        )
        bound = cost_at_most(self._model, self._input_tokens, self._model.output_tokens or ANSWER_TOKENS)
        try:
            await self._ledger.invocations.begin(row, bound)
        except LimitExceeded as error:
            raise ModelFailed(refusal_text(error.decision), code=OVER_BUDGET, retryable=False) from None
        self._open = _OpenAttempt(row, self._model, clock, self._input_tokens)
        self._unkept.append(row.invocation_id)

    def receive(self, chunk: AIMessageChunk) -> None:
        """A part of the reply."""
        if self._open is not None:
            self._open.receive(chunk)

    async def end(self, outcome: Outcome, code: str | None = None, *, tool_calls: int | None = None) -> None:
        """The attempt that is open has come to this. Raises DatabaseUnavailable."""
        if self._open is not None:
            self._unwritten, self._estimate = self._open.ended(outcome, code, tool_calls), self._open.estimate(outcome)
            self._open = None
        if self._unwritten is not None and self._ledger is not None:
            user_id = self._unwritten.user_id
            reached = await self._ledger.invocations.record(self._unwritten, estimate=self._estimate)
            self._unwritten = None
            if reached is not None:
                self.budget_percent = reached
                log.warning("budget_reached", user_id=user_id, percent=reached)

    async def keep(
        self,
        messages: Sequence[AnyMessage],
        tools: Sequence[dict[str, Any]],
        reply: AnyMessage | None,
        problem: str | None,
    ) -> None:
        """Keep what the requests since the last time contained, where it is set: the reply is that of the last."""
        unkept, self._unkept = self._unkept, []
        if self._ledger is None or self._ledger.artifacts is None or self._model is None:
            return
        for invocation_id in unkept:
            is_last = invocation_id == unkept[-1]
            call = AnsweredCall(
                invocation_id=invocation_id,
                model=self._model.name,
                messages=messages,
                tools=tools,
                reply=reply if is_last else None,
                problem=problem if is_last else "the request was repeated",
            )
            await self._ledger.artifacts.keep(call)

    async def cut_off(self, error: BaseException) -> None:
        """The attempt that is open was left for this error, which is no failure of the model. Raises nothing: it would
        take the error's place. One whose outcome was known, and not written yet, keeps it."""
        if isinstance(error, DatabaseUnavailable):
            return
        if isinstance(error, Exception):
            ending: tuple[Outcome, str | None] = Outcome.BROKEN, "internal_error"
        else:
            ending = (Outcome.TIMEOUT, "deadline") if self._has_expired() else (Outcome.CANCELLED, None)
        with anyio.move_on_after(WITHIN_S, shield=True):
            try:
                await self.end(*ending)
            except ServerError as failed:
                turn_id = None if self._call is None else self._call.turn_id
                log.warning("model_call_not_noted", turn_id=turn_id, error=type(failed).__name__)


class _OpenAttempt:
    """A request whose outcome is not known yet, and what came of it so far."""

    def __init__(self, row: Invocation, model: Model, clock: Clock, input_tokens: int) -> None:
        self._row = row
        self._model = model
        self._clock = clock
        self._input_tokens = input_tokens
        self._received_characters = 0
        self._since = clock.monotonic()
        self._first_token_ms: float | None = None
        self._reports: list[UsageMetadata] = []
        self._metadata: dict[str, Any] = {}

    def receive(self, chunk: AIMessageChunk) -> None:
        if self._first_token_ms is None and (chunk.content or chunk.tool_call_chunks):
            self._first_token_ms = self._elapsed_ms()
        self._received_characters += len(chunk.text) + sum(len(one["args"] or "") for one in chunk.tool_call_chunks)
        if chunk.usage_metadata:
            self._reports.append(chunk.usage_metadata)
        self._metadata |= {name: value for name, value in chunk.response_metadata.items() if isinstance(value, str)}

    def estimate(self, outcome: Outcome) -> CallCost | None:
        """What it has cost where its provider does not say: what was sent and what came. None for a request of which
        nothing came and that nobody cut off: it was refused or lost."""
        if self._first_token_ms is None and outcome not in (Outcome.OK, Outcome.CANCELLED, Outcome.TIMEOUT):
            return None
        received = math.ceil(self._received_characters / CHARACTERS_PER_TOKEN)
        return cost_at_most(self._model, self._input_tokens, received)

    def ended(self, outcome: Outcome, code: str | None, tool_calls: int | None) -> Invocation:
        usage, price = believable(self._reports), self._model.price
        cost = None if usage is None or price is None else price.cost(usage)
        return replace(
            self._row,
            model_answered=self._metadata.get("model_name"),
            provider_request_id=self._metadata.get("id"),
            input_tokens=usage and usage["input_tokens"],
            cached_input_tokens=usage and cached_tokens(usage),
            output_tokens=usage and usage["output_tokens"],
            reasoning_tokens=usage and reasoning_tokens(usage),
            tool_calls=tool_calls,
            cost_usd=None if cost is None else Decimal(f"{cost:.12f}").normalize(),
            price_version=None if cost is None or price is None else price.version,
            first_token_ms=self._first_token_ms,
            duration_ms=self._elapsed_ms(),
            outcome=outcome,
            error_code=code or (UNCLEAR if self._reports and usage is None else None),
            ended_at=self._clock.now(),
        )

    def _elapsed_ms(self) -> float:
        return (self._clock.monotonic() - self._since) * 1e3


class ObservedStream:
    """A ReplyStream whose requests and parts the attempts of a call see. What an adapter reports of requests that it
    repeats by itself goes no further."""

    def __init__(self, attempts: CallAttempts, chat: ReplyStream) -> None:
        self._attempts = attempts
        self._chat = chat

    def with_config(self, *, metadata: dict[str, Any]) -> "ObservedStream":
        """See `ReplyStream.with_config`."""
        return ObservedStream(self._attempts, self._chat.with_config(metadata=metadata))

    async def astream(self, messages: Sequence[AnyMessage], /) -> AsyncIterator[AIMessageChunk]:
        """The parts of the reply. Raises DatabaseUnavailable where a row cannot be written."""
        await self._attempts.begin()
        async with aclosing(self._chat.astream(messages)) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                if code := chunk.additional_kwargs.get(REQUEST_FAILED):
                    await self._attempts.end(Outcome.RETRY, code)
                elif chunk.additional_kwargs.get(REQUEST_REPEATED):
                    await self._attempts.begin()
                else:
                    self._attempts.receive(chunk)
                    yield chunk
