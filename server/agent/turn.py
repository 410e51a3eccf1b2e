"""What a turn is to the agent: the values that go in, the sink its events go to, the answer that comes out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from server.agent.memory.ranking import Ranked
from server.agent.tools.contract.tool_context import ToolContext
from server.ports.conversations import MessageRow
from server.ports.flags import TurnFlags
from server.ports.identity import Caller
from server.ports.mcp_tools import CallerTools
from server.ports.traces import OpenTrace, TraceRow
from server.ports.web import CallerWeb
from server.protocol.events import TurnEvent
from server.protocol.wire_values import Check, Citation, OutsideSource, Usage, ViewerState

ATTEMPT = "attempt"
"""Key of a question's arguments: the attempt that asked it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQuestion:
    """What a turn asks of the page by one tool call, and how long it waits for the answer."""

    interrupt_id: str
    tool_call_id: str
    tool_name: str
    args: dict[str, Any]
    seconds: float


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What came of the question of that id. `is_first`: no earlier attempt may have acted on it."""

    interrupt_id: str
    result: dict[str, Any]
    is_first: bool = True


class WaitsForPage(Exception):
    """Raised by an agent whose turn goes on when the page has answered, in another attempt."""

    def __init__(self, question: PageQuestion) -> None:
        super().__init__(question.tool_name)
        self.question = question


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks, and what else they have here. `left` is what remains of their plan, a ceiling each; `recordings` counts
    the others of their account (`more`: at least so many), of which `nearest` names at most three."""

    name: str | None
    left: tuple[str, ...]
    recordings: int
    more: bool = False
    programs: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnInput:
    """`history` are the session's earlier messages in order, without this prompt. `messages_used` counts
    as limits.refusals.Decision does; `hidden_tools` are those the plan leaves out, `offered_models` those it
    offers, its default first (None: the server's own);
    `tool_context` is what else the caller's tools may reach. The two ids are of the request that asked."""

    turn_id: str
    session_id: str
    attempt: int
    caller: Caller
    trace: TraceRow
    opened: OpenTrace
    prompt: str
    history: tuple[MessageRow, ...]
    viewer: ViewerState
    model_name: str | None
    plan_name: str
    messages_used: int
    messages_limit: int | None
    local_time: datetime
    is_first_answer: bool
    hidden_tools: frozenset[str] = frozenset()
    offered_models: tuple[str, ...] | None = None
    token_limit: int | None = None
    """Tokens after which the turn calls no more tools."""
    analyst_over_budget: bool = False
    """Whether the built-in analyst answers once the month's budget is spent, fallback or not."""
    tool_context: ToolContext | None = None
    core_memory: tuple[str, ...] | None = None
    """What the person's account remembers, a fact each; None where nothing is."""
    page_answer: PageAnswer | None = None
    """The newest of this turn."""
    asked_before: tuple[str, ...] = ()
    """What the person typed in this conversation before this prompt, oldest first; none where nothing is remembered."""
    near_memories: tuple[Ranked, ...] = ()
    """What the account remembers that is near to the prompt, nearest first."""
    foreign: CallerTools | None = None
    """Tools of other servers that the caller may use; None for none."""
    web: CallerWeb | None = None
    request_id: str | None = None
    request_trace_id: str | None = None
    api_key_id: str | None = None
    asker: Asker | None = None
    flags: TurnFlags = field(default_factory=TurnFlags)
    """What was decided for this turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAnswer:
    """A finished answer. Its text and its tool results went through the sink already. `notes` are what happened on the
    way that the person is to know, by kind (`model_fallback`, `context_trimmed`)."""

    message_id: str
    text: str
    usage: Usage
    citations: tuple[Citation, ...]
    checks: tuple[Check, ...]
    suggestions: tuple[str, ...]
    title: str | None
    model: str
    prompt_version: str
    sources: tuple[OutsideSource, ...] = ()
    used_facts: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)


class TurnSink(Protocol):
    """Takes the turn's events, unstamped; numbers, coalesces and relays them."""

    async def emit(self, event: TurnEvent) -> None: ...

    def restore(self, events: Sequence[TurnEvent]) -> None:
        """Take over the events of an earlier attempt that this one keeps; before anything is emitted."""
        ...


class Pictures(Protocol):
    """Where pictures made during a turn are kept."""

    async def save(self, turn: TurnInput, tool_call_id: str, png: bytes) -> str:
        """Store a picture; returns the address a client fetches it from."""
        ...

    async def load(self, turn: TurnInput, tool_call_id: str) -> bytes | None:
        """A picture that an earlier attempt of the turn stored; None when it is not to be had."""
        ...


class Agent(Protocol):
    async def answer(self, turn: TurnInput, sink: TurnSink) -> TurnAnswer:
        """Run one turn to its answer. Emits every event but the last, which the caller emits after storing.

        Raises LimitExceeded when the session stands over its ceiling, ModelFailed, PromptUnavailable, WorkerFailed;
        asyncio.CancelledError passes through. Raises WaitsForPage where a page that answers has mounted a tool, and
        only with checkpoints.
        """
        ...
