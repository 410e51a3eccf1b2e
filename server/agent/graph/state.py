"""The state of a turn, which is checkpointed, and its context, which exists only while it runs."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from typing_extensions import TypedDict

from server.agent.bounds import CHARACTERS_PER_TOKEN, AgentBounds
from server.agent.graph.merging import merged_messages, newest
from server.agent.model_call.call_ledger import CallAttempts, CallLedger
from server.agent.model_call.chat_model import Model
from server.agent.model_call.debug_messages import MessageRecorder
from server.agent.model_call.token_counts import TokenRates
from server.agent.tools.all_tools import definitions
from server.agent.tools.contract.tool import Tool
from server.agent.tools.contract.tool_context import ToolContext
from server.agent.turn import Pictures, TurnInput, TurnSink
from server.ports.invocations import Purpose
from server.ports.prompts import Prompts
from server.ports.traces import TraceWorkers

STATE_VERSION = 3
"""Raise it when a key of TurnState or a node changes its name or meaning: a turn that another version has checkpointed
begins again.
"""


class TurnState(TypedDict, total=False):
    """`messages`: system prompt, history, this prompt, then the turn's own. `known`: what the system prompt says of
    the trace. `new_pictures`: tool calls of the newest round that drew one; `answer_id`: the message that holds the
    last text; `repaired`: it had its one chance; `recorded_events`: those of finished steps. `answered_by`: the
    fallback that took over, `answered_as`: the label of the model that answers, `gave_up`: the code of the failure
    before it; `outside_calls`: those of tools that reach outside; `costs`: US dollars of each model call, None where
    not known; `notes`: what the person is to know, by kind of event; `asked_of_page`: calls of the newest round that
    the page has not answered, in their order (`PageCall` as JSON). The three limit fields decide every model call.
    """

    messages: Annotated[list[AnyMessage], merged_messages]
    prompt_version: str
    known: dict[str, Any]
    tool_rounds: int
    model_calls: int
    tool_calls: int
    outside_calls: int
    input_tokens: int | None
    output_tokens: int | None
    answered_by: str
    answered_as: str
    gave_up: str
    costs: list[float | None]
    notes: dict[str, str]
    new_pictures: list[str]
    asked_of_page: list[dict[str, Any]]
    answer_id: str
    repaired: bool
    recorded_events: Annotated[list[dict[str, Any]], operator.add]
    chat_messages_per_session_limit: Annotated[int | None, newest]
    plan_name: Annotated[str, newest]
    messages_used: Annotated[int, newest]
    session_message_limit_hit_in_graph: bool
    references: list[dict[str, Any]]
    checks: list[dict[str, Any]]
    outside_sources: list[dict[str, Any]]
    used_facts: list[str]
    suggestions: list[str]
    title: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """Clients and the turn itself. `drawn` holds this run's PNGs by tool call: they are shown to the model once and
    never stored in state. `ledger` takes the rows of model calls; `has_expired` says whether the turn is over its
    deadline.
    """

    turn: TurnInput
    sink: TurnSink
    model: Model
    prompts: Prompts
    workers: TraceWorkers
    pictures: Pictures
    bounds: AgentBounds
    tools: tuple[Tool[Any], ...]
    recorder: MessageRecorder | None
    tool_context: ToolContext | None = None
    token_rates: TokenRates = field(default_factory=TokenRates)
    drawn: dict[str, bytes] = field(default_factory=dict)
    ledger: CallLedger | None = None
    has_expired: Callable[[], bool] = lambda: False
    waits_for: frozenset[str] = frozenset()
    """Tools whose answer the page gives, and the turn waits for."""

    plans_by_model: bool = True
    """Whether the model that answers plans questions over recordings, too: not where it is called elsewhere."""

    described: tuple[list[dict[str, Any]], list[dict[str, Any]]] | None = None
    """The tools as a model reads them, and the few of a small context, where `tools` are not here themselves."""

    wait: Callable[[dict[str, Any]], Any] | None = None
    """LangGraph's `interrupt`: what the page has answered, or ends the attempt. None where nothing is checkpointed."""

    def definitions(self, *, short: bool) -> list[dict[str, Any]]:
        """The tools as a model reads them; `short`: the few, in short."""
        return definitions(self.tools, short=short) if self.described is None else self.described[short]

    def attempts(self, number: int, prompt_version: str, purpose: Purpose = Purpose.ANSWER) -> CallAttempts:
        """Those of the turn's model call of this number."""
        ledger = self.ledger
        row = None if ledger is None else ledger.row(self.turn, number, prompt_version=prompt_version, purpose=purpose)
        return CallAttempts(ledger, row, has_expired=self.has_expired)

    def bounds_of(self, model: Model) -> AgentBounds:
        """The bounds of a turn while this model answers."""
        return self.bounds if model.is_language_model else self.bounds.for_analyst()

    def rate_of(self, model: Model) -> float:
        """Characters a token; with a small context never more than where nothing is known, so that no call fails."""
        rate = self.token_rates.rate_of(model.name)
        is_small = self.bounds_of(model).first_request_tokens is not None
        return min(rate, CHARACTERS_PER_TOKEN) if is_small else rate
