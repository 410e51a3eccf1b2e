"""How turns went: each of the newest, and all of them by day and model. Made of turns, their messages and the rows of
their model calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from server.ports.identity import Caller

SEARCHES = ("search_memory", "search_knowledge", "search_findings", "search_web")
"""Tools that look for passages outside the recording."""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A call of a tool; `status` is None where it failed."""

    name: str
    status: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedTurn:
    """A turn that has ended. Times are in milliseconds from the prompt, `latency_ms` to the stored end; tokens and US
    dollars are those of its model calls, and of an answer without one what it says. `rag_hits` are the searches that
    found something, `checks` the answer's claims by status, `feedback` what the person thought of it. None is not
    known."""

    turn_id: str
    session_id: str
    trace_id: str
    asked_at: datetime
    question: str
    completed: bool
    latency_ms: float
    first_token_ms: float | None
    model: str | None
    prompt_version: str | None
    tools: Sequence[ToolRun]
    searches: int
    rag_hits: int
    model_calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    checks: Mapping[str, int]
    feedback: int | None

    @property
    def tool_calls(self) -> int:
        return len(self.tools)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTotals:
    """Of the turns of one day (ISO 8601, UTC) that one model answered. Percentiles are of those that completed."""

    day: str
    model: str | None
    turns: int
    completed: int
    p50_latency_ms: float | None
    p95_latency_ms: float | None
    p50_first_token_ms: float | None
    p95_first_token_ms: float | None
    tool_calls: int
    searches: int
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    claims: int
    verified_claims: int
    thumbs_up: int
    thumbs_down: int


@dataclass(frozen=True, slots=True)
class Evaluated:
    """`recent` newest first, `totals` by day and then by model, newest first."""

    recent: Sequence[EvaluatedTurn]
    totals: Sequence[TurnTotals]


class Evaluations(Protocol):
    """Reads what is kept of turns."""

    async def evaluated(self, caller: Caller, *, since: datetime, limit: int, everybody: bool = False) -> Evaluated:
        """Of the caller's own turns in the account that they act for, or of everybody's, asked since then; at most
        `limit` of the newest one by one. Raises DatabaseUnavailable."""
        ...
