"""Requests and turns as OpenTelemetry spans, sent by OTLP over HTTP. A turn is in the trace of the request that asked
for it, also where another process runs it. No text of anybody's, no address with an id or a token in it, is in a span.
"""

import asyncio
import hashlib
import threading
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Self

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    Tracer,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from server.agent.turn import TurnAnswer, TurnInput, WaitsForPage
from server.protocol.events import ToolError, ToolResult, ToolStart, TurnEvent

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]
"""Of ASGI."""

EXPORT_S = 5
"""Longest wait for one request with spans; they go from a thread, whose queue holds 2,048 and drops the rest."""

CLOSE_S = 3.0
"""What is left to send when the server stops gets so long."""

TRACEPARENT = b"traceparent"
PROPAGATOR = TraceContextTextMapPropagator()


class ServerSpans:
    """An async context. `endpoint` is the collector's address, to which `/v1/traces` is added; headers, a client's
    certificate, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` are the SDK's own variables.
    """

    def __init__(self, endpoint: str) -> None:
        resource = Resource({"service.name": "flamechat"}).merge(OTELResourceDetector().detect())
        # A provider of our own, which nobody else's spans go to, and nobody waits for at exit.
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=EXPORT_S)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("flamechat")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        done, loop = asyncio.Event(), asyncio.get_running_loop()

        def close() -> None:
            self._provider.shutdown()
            if not loop.is_closed():
                loop.call_soon_threadsafe(done.set)

        threading.Thread(target=close, name="spans-close", daemon=True).start()
        try:
            async with asyncio.timeout(CLOSE_S):
                await done.wait()
        except TimeoutError:
            return

    def around(self, app: Application) -> Application:
        """The application, each of whose requests is a span."""
        return RequestSpans(app, self._tracer)

    def observer(self, turn: TurnInput) -> "TurnSpans":
        """An `Observer`."""
        return TurnSpans(self._tracer, turn)


class RequestSpans:
    """ASGI. Joins the trace of a `traceparent`, and hands its own on: what the request starts is in the same trace."""

    def __init__(self, app: Application, tracer: Tracer) -> None:
        self._app = app
        self._tracer = tracer

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        method = scope.get("method", "WEBSOCKET")
        given = [value.decode("latin-1") for name, value in scope["headers"] if name == TRACEPARENT]
        parent = PROPAGATOR.extract({"traceparent": given[0]} if len(given) == 1 else {})
        span = self._tracer.start_span(method, parent, kind=SpanKind.SERVER)
        carrier: dict[str, str] = {}
        PROPAGATOR.inject(carrier, set_span_in_context(span, Context()))
        others = [(name, value) for name, value in scope["headers"] if name != TRACEPARENT]
        scope["headers"] = [*others, (TRACEPARENT, carrier["traceparent"].encode())]
        span.set_attribute("http.request.method", method)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                _answered(span, message["status"])
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            route = getattr(scope.get("route"), "path", None)
            if route is not None:
                span.update_name(f"{method} {route}")
                span.set_attribute("http.route", route)
            span.end()


def _answered(span: Span, status: int) -> None:
    span.set_attribute("http.response.status_code", status)
    if status >= 500:
        span.set_status(Status(StatusCode.ERROR))


class TurnSpans:
    """A `TurnObservation`: a span of the attempt, with one below it for each tool."""

    def __init__(self, tracer: Tracer, turn: TurnInput) -> None:
        self._tracer = tracer
        facts: dict[str, str | int] = {"flamechat.turn_id": turn.turn_id, "flamechat.attempt": turn.attempt}
        self._span = tracer.start_span("turn", _asked_in(turn), kind=SpanKind.CONSUMER, attributes=facts)
        self._tools: dict[str, Span] = {}

    def seen(self, event: TurnEvent) -> None:
        if isinstance(event, ToolStart):
            here = set_span_in_context(self._span, Context())
            self._tools[event.tool_call_id] = self._tracer.start_span(f"tool {event.tool_name}", here)
        elif isinstance(event, ToolResult):
            self._end(event.tool_call_id, event.status, is_error=False)
        elif isinstance(event, ToolError):
            self._end(event.tool_call_id, event.code, is_error=True)

    def ended(self, answer: TurnAnswer | None, error: BaseException | None) -> None:
        for call_id in list(self._tools):
            self._end(call_id, "unfinished", is_error=True)
        self._span.set_attributes(_outcome(answer, error))
        if isinstance(error, Exception) and not isinstance(error, WaitsForPage):
            self._span.set_status(Status(StatusCode.ERROR, type(error).__name__))
        self._span.end()

    def _end(self, call_id: str, outcome: str, *, is_error: bool) -> None:
        span = self._tools.pop(call_id, None)
        if span is None:  # its start was in an earlier attempt
            return
        span.set_attribute("flamechat.outcome", outcome)
        if is_error:
            span.set_status(Status(StatusCode.ERROR, outcome))
        span.end()


def _asked_in(turn: TurnInput) -> Context | None:
    """The trace of the request that asked for it. Which span that was is not kept: one of no request is named."""
    if turn.request_trace_id is None:
        return None
    trace_id = int(turn.request_trace_id, 16)
    span_id = int.from_bytes(hashlib.sha256(turn.turn_id.encode()).digest()[:8]) or 1
    parent = SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
    return set_span_in_context(NonRecordingSpan(parent), Context())


def _outcome(answer: TurnAnswer | None, error: BaseException | None) -> Mapping[str, Any]:
    if answer is None:
        waits, cut = isinstance(error, WaitsForPage), not isinstance(error, Exception)
        outcome = "waits_for_page" if waits else "cancelled" if cut else "failed"
        code = getattr(error, "code", None)
        return {"flamechat.outcome": outcome} | ({"error.type": code} if isinstance(code, str) else {})
    usage = answer.usage
    facts = {
        "flamechat.outcome": "answered",
        "gen_ai.response.model": answer.model,
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "flamechat.model_calls": usage.model_calls,
        "flamechat.tool_calls": usage.tool_calls,
        "flamechat.cost": usage.cost,
    }
    return {name: value for name, value in facts.items() if value is not None}
