"""What Langfuse gets beyond model calls: an observation for each tool, how the turn ended and what it cost, and what
the checks of its answer said, as scores.
"""

from collections import Counter
from typing import Any, Literal

from langfuse import LangfuseTool, propagate_attributes

from server.adapters.langfuse.connection import LangfuseConnection
from server.adapters.langfuse.tracing import kind_of, trace_id_of
from server.agent.turn import TurnAnswer, TurnInput, WaitsForPage
from server.protocol.events import ToolError, ToolResult, ToolStart, TurnEvent

COST = "cost"
"""Score: what the turn's model calls cost by the server's prices, in their currency; none where a price is unknown."""


class LangfuseObserver:
    """An `Observer`."""

    def __init__(self, connection: LangfuseConnection) -> None:
        self._connection = connection

    def __call__(self, turn: TurnInput) -> "LangfuseObservation":
        return LangfuseObservation(self._connection, turn)


class LangfuseObservation:
    """A `TurnObservation`. Arguments and results of tools go along only where contents may."""

    def __init__(self, connection: LangfuseConnection, turn: TurnInput) -> None:
        self._connection = connection
        self._turn = turn
        self._trace_id = trace_id_of(turn.turn_id)
        self._tools: dict[str, LangfuseTool] = {}

    def seen(self, event: TurnEvent) -> None:
        if isinstance(event, ToolStart):
            with propagate_attributes(user_id=self._turn.caller.user_id, session_id=self._turn.session_id):
                self._tools[event.tool_call_id] = self._connection.client.start_observation(
                    trace_context={"trace_id": self._trace_id},
                    name=event.tool_name,
                    as_type="tool",
                    input=event.args if self._connection.with_contents else None,
                    metadata={"tool_call_id": event.tool_call_id, "turn_id": self._turn.turn_id},
                )
        elif isinstance(event, ToolResult):
            warned = event.status != "success"
            facts = {"outcome": event.status, "result": event.result_type, "truncated": event.truncated}
            self._end(event.tool_call_id, "WARNING" if warned else "DEFAULT", event.text_content, facts)
        elif isinstance(event, ToolError):
            self._end(event.tool_call_id, "ERROR", event.message, {"outcome": event.code}, status_message=event.code)

    def ended(self, answer: TurnAnswer | None, error: BaseException | None) -> None:
        for call_id in list(self._tools):
            self._end(call_id, "WARNING", "", {"outcome": "unfinished"})
        facts: dict[str, Any] = {"turn_id": self._turn.turn_id, "attempt": self._turn.attempt}
        if answer is not None:
            facts |= {"outcome": "answered", "model": answer.model, "fallback": "model_fallback" in answer.notes}
            facts |= {"tool_calls": answer.usage.tool_calls, "model_calls": answer.usage.model_calls}
            facts |= {"seconds": answer.usage.seconds, "cost": answer.usage.cost}
        elif isinstance(error, WaitsForPage):
            facts |= {"outcome": "waits_for_page"}
        else:
            facts |= {"outcome": "cancelled" if error is not None and not isinstance(error, Exception) else "failed"}
            facts |= {"error": str(kind_of(error)) if error is not None else None}
        with propagate_attributes(user_id=self._turn.caller.user_id, session_id=self._turn.session_id):
            self._connection.client.start_observation(
                trace_context={"trace_id": self._trace_id},
                name="turn_end",
                as_type="span",
                level="ERROR" if facts["outcome"] == "failed" else "DEFAULT",
                metadata=facts,
            ).end()
        if answer is not None:
            self._score(answer)

    def _end(
        self,
        call_id: str,
        level: Literal["DEFAULT", "WARNING", "ERROR"],
        text: str,
        facts: dict[str, Any],
        *,
        status_message: str | None = None,
    ) -> None:
        tool = self._tools.pop(call_id, None)
        if tool is None:  # its start was in an earlier attempt
            return
        output = text if self._connection.with_contents else None
        tool.update(level=level, output=output, metadata=facts, status_message=status_message).end()

    def _score(self, answer: TurnAnswer) -> None:
        figures = {f"checks_{status}": float(n) for status, n in Counter(c.status for c in answer.checks).items()}
        if answer.usage.cost is not None:
            figures[COST] = answer.usage.cost
        for name, value in figures.items():
            self._connection.client.create_score(
                name=name,
                value=value,
                data_type="NUMERIC",
                trace_id=self._trace_id,
                score_id=f"{self._turn.turn_id}-{name}",  # a second attempt's replaces the first's
            )
