"""What each call of a language model was, cost and came to. Nothing of what was asked or answered is in it."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from server.ports.identity import Caller

UNFINISHED = "unfinished"
"""`error_code` of a row whose call runs, or whose server was killed meanwhile."""


class Outcome(StrEnum):
    """What an attempt of a call came to."""

    OK = "ok"  #: its reply was taken
    RETRY = "retry"  #: it failed, and the same model was asked again
    FALLBACK = "fallback"  #: it failed, and another model took over
    BROKEN = "broken"  #: it failed, and nothing else was tried
    REFUSED = "refused"  #: the provider or the model declined
    CANCELLED = "cancelled"  #: the person stopped it, or the server handed the turn over
    TIMEOUT = "timeout"  #: nothing came in time


class Purpose(StrEnum):
    """What a call was for."""

    ANSWER = "answer"  #: a part of a turn's answer
    TITLE = "title"  #: a name for a conversation
    MEMORY = "memory"  #: what is to be remembered of a turn
    COLLECTOR = "collector"  #: what is to be looked up before a turn
    PLANNER = "planner"  #: the steps of a turn


class SpendBy(StrEnum):
    """What a spend report has a row for."""

    DAY = "day"  #: in UTC
    USER = "user"  #: who asked
    ACCOUNT = "account"  #: whose conversation it was
    MODEL = "model"  #: the one that was asked, by its name in the settings
    PURPOSE = "purpose"  #: see Purpose
    PROMPT = "prompt"  #: the version of the system prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One attempt of one call of a model. Tokens are None where the provider did not report them in a form that can be
    believed, `api_key_id` where a person asked, `cost_usd` where they or the price are not known. `model_asked` is its
    name in the settings; `try_number` counts the requests of a call from 1; `flags` is what was decided for the turn,
    None for what is as for everybody. Times are in milliseconds from the request."""

    invocation_id: str
    account_id: str
    user_id: str
    session_id: str | None
    turn_id: str | None
    attempt: int
    call_number: int
    try_number: int
    purpose: Purpose
    executor: str
    model_asked: str
    started_at: datetime
    provider: str | None = None
    model_answered: str | None = None
    provider_request_id: str | None = None
    request_id: str | None = None
    request_trace_id: str | None = None
    api_key_id: str | None = None
    observation_trace_id: str | None = None
    graph_run_id: str | None = None
    graph_name: str | None = None
    graph_version: str | None = None
    prompt_version: str | None = None
    prompt_hash: str | None = None
    prompt_hash_version: str | None = None
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    pictures: int = 0
    tools_offered: int = 0
    tool_calls: int | None = None
    cost_usd: Decimal | None = None
    price_version: str | None = None
    first_token_ms: float | None = None
    duration_ms: float | None = None
    outcome: Outcome = Outcome.BROKEN
    error_code: str | None = UNFINISHED
    ended_at: datetime | None = None
    flags: str | None = None


def invocation_id_of(turn_id: str, attempt: int, call_number: int, try_number: int) -> str:
    """The same for the same attempt of a call, whoever writes it and how often: uuid5 of the four (RFC 9562)."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"invocation/{turn_id}/{attempt}/{call_number}/{try_number}"))


@dataclass(frozen=True, slots=True)
class CallCost:
    """What a call may come to, or is believed to have come to. `cost_usd` is None where its price is not known."""

    cost_usd: Decimal | None
    tokens: int


def cost_of(invocation: Invocation) -> CallCost | None:
    """What a call came to by the tokens that its provider reported; None where it reported none."""
    if invocation.input_tokens is None:
        return None
    return CallCost(invocation.cost_usd, invocation.input_tokens + (invocation.output_tokens or 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationFilter:
    """What None leaves open. `since` is part of the time, `until` is not."""

    since: datetime | None = None
    until: datetime | None = None
    account_id: str | None = None
    user_id: str | None = None
    session_id: str | None = None
    turn_id: str | None = None
    model: str | None = None
    purpose: Purpose | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class InvocationCursor:
    """The last row that was read; what follows is older, or of the same time and a smaller id."""

    started_at: datetime
    invocation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """The sums of one `key`: a day (ISO 8601, UTC), or what the report is by. `cost_usd` is that of the calls whose
    cost is known, None where it is of none; the `unpriced_calls` are not in it. `failed_calls` are those of which no
    reply was taken."""

    key: str
    calls: int
    failed_calls: int
    unpriced_calls: int
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cost_usd: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOutcome:
    """How the answers by one version of the system prompt came out. Seconds are from the prompt to the stored end;
    `verified_claims` are those that are verified or derived."""

    prompt_version: str
    turns: int
    completed: int
    median_seconds: float
    p95_seconds: float
    claims: int
    verified_claims: int
    thumbs_up: int
    thumbs_down: int


class InvocationLog(Protocol):
    """Takes the rows of calls as they happen."""

    async def begin(self, invocation: Invocation, bound: CallCost) -> None:
        """Keep the row of a request that is about to be sent, and hold `bound` of its user's budget for it; the first
        prompt hash of a turn becomes the turn's. Raises LimitExceeded, and nothing is kept, where the budget is spent;
        DatabaseUnavailable."""
        ...

    async def record(self, invocation: Invocation, *, estimate: CallCost | None = None) -> int | None:
        """Keep the row, in place of an earlier one of the same id, and settle what was reserved for it: by its tokens
        where they are known, else by the `estimate`, without either for nothing. Returns the share of the month's
        budget (80 or 100 %) that is reached by it, once for each. Raises DatabaseUnavailable."""
        ...


class Invocations(InvocationLog, Protocol):
    """The rows, and reports over them."""

    async def of_turn(self, caller: Caller, turn_id: str) -> list[Invocation]:
        """The caller's own calls of a turn in their order; empty for a turn that is not theirs or had none. Raises
        NotFound for what is no id."""
        ...

    async def page(
        self, chosen: InvocationFilter, *, limit: int, after: InvocationCursor | None = None
    ) -> list[Invocation]:
        """Everybody's calls, newest first, at most `limit`, from `after` on."""
        ...

    async def spend(
        self, by: SpendBy, *, since: datetime | None = None, until: datetime | None = None
    ) -> Sequence[Spend]:
        """Sums over complete days (UTC) from that of `since` to that of `until`, both included; days in their order,
        all else by cost and tokens, the most first."""
        ...

    async def prompt_outcomes(
        self, *, since: datetime | None = None, until: datetime | None = None
    ) -> Sequence[PromptOutcome]:
        """Over the turns that were asked on complete days (UTC), as `spend`; most turns first."""
        ...
