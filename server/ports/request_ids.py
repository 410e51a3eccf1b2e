"""By what a request can be found again: its own id, and the trace that it is part of."""

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestIds:
    """`request_id` as the client gave it, or made; `trace_id` of W3C's trace context, 32 hex digits. It has nothing to
    do with a recording, which is a trace everywhere else here."""

    request_id: str
    trace_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What a turn's row names of the graph that runs it, and of its trace in a tracing service."""

    graph_name: str
    graph_version: str
    observation_trace_id: str | None = None


CURRENT: ContextVar[RequestIds | None] = ContextVar("request_ids", default=None)
"""Of the request, or of the socket, that is being answered; None outside of one."""
