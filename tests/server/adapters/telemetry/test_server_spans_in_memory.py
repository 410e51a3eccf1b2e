"""Spans of requests: joined to the trace that a request names, and handed on to what it starts."""

from collections.abc import MutableMapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.telemetry.server_spans import TRACEPARENT, Receive, RequestSpans, Send, TurnSpans
from server.agent.turn import TurnInput
from server.errors import ModelFailed
from server.protocol.events import ToolError, ToolResult, ToolStart
from tests.server.agent.turns import stage

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
NAMED = (TRACEPARENT, f"00-{TRACE}-{PARENT}-01".encode())


class Asked:
    """An application that answers with a status, and what it was given and what came of it."""

    def __init__(self, status: int = 200, *, route: str | None = "/traces/{trace_id}", fails: bool = False) -> None:
        self.status, self.route, self.fails = status, route, fails
        self.given: list[tuple[bytes, bytes]] = []
        self.sent: list[str] = []

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        self.given = list(scope.get("headers", []))
        if self.route is not None:
            scope["route"] = SimpleNamespace(path=self.route)
        if self.fails:
            raise ValueError("planted")
        await send({"type": "http.response.start", "status": self.status})
        await send({"type": "http.response.body"})

    async def spans(self, *headers: tuple[bytes, bytes], kind: str = "http", **scope: Any) -> list[ReadableSpan]:
        exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(exporter))

        async def receive() -> MutableMapping[str, Any]:
            raise AssertionError("nothing is read")

        async def send(message: MutableMapping[str, Any]) -> None:
            self.sent.append(message["type"])

        app = RequestSpans(self, provider.get_tracer("test"))
        try:
            await app({"type": kind, "headers": list(headers)} | scope, receive, send)
        except ValueError:
            assert self.fails
        return list(exporter.get_finished_spans())

    @property
    def handed_on(self) -> str:
        (value,) = [value for name, value in self.given if name == TRACEPARENT]
        return value.decode()


def ids(span: ReadableSpan) -> tuple[str, str, str | None]:
    """Its trace, itself and its parent, in hex."""
    assert span.context is not None
    parent = None if span.parent is None else f"{span.parent.span_id:016x}"
    return f"{span.context.trace_id:032x}", f"{span.context.span_id:016x}", parent


async def test_a_request_is_a_span_by_its_route_and_its_answer_goes_on() -> None:
    asked = Asked()
    (span,) = await asked.spans((b"host", b"a"), method="GET")
    assert (span.name, span.kind) == ("GET /traces/{trace_id}", SpanKind.SERVER)
    assert dict(span.attributes or {}) == {
        "http.request.method": "GET",
        "http.route": "/traces/{trace_id}",
        "http.response.status_code": 200,
    }
    assert span.status.status_code is StatusCode.UNSET
    assert asked.sent == ["http.response.start", "http.response.body"]
    assert (b"host", b"a") in asked.given


async def test_it_joins_the_trace_that_it_names_and_hands_its_own_place_on() -> None:
    asked = Asked()
    (span,) = await asked.spans(NAMED, method="GET")
    trace, own, parent = ids(span)
    assert (trace, parent) == (TRACE, PARENT)
    assert asked.handed_on == f"00-{TRACE}-{own}-01"


@pytest.mark.parametrize("headers", [(), (NAMED, NAMED), ((TRACEPARENT, b"nonsense"),)])
async def test_without_one_trace_that_can_be_read_a_new_one_begins(headers: tuple[tuple[bytes, bytes], ...]) -> None:
    asked = Asked()
    (span,) = await asked.spans(*headers, method="GET")
    trace, own, parent = ids(span)
    assert trace != TRACE
    assert parent is None
    assert asked.handed_on.startswith(f"00-{trace}-{own}-")


@pytest.mark.parametrize(("status", "is_error"), [(404, False), (499, False), (500, True), (503, True)])
async def test_an_answer_that_the_server_is_to_blame_for_is_an_error(status: int, *, is_error: bool) -> None:
    (span,) = await Asked(status).spans(method="POST")
    assert (span.status.status_code is StatusCode.ERROR) is is_error
    assert (span.attributes or {})["http.response.status_code"] == status


async def test_a_request_that_raises_and_one_without_a_route_end_their_span_too() -> None:
    (span,) = await Asked(fails=True).spans(method="GET")
    assert span.end_time is not None
    (span,) = await Asked(route=None).spans(method="GET")
    assert span.name == "GET"
    assert "http.route" not in (span.attributes or {})
    (span,) = await Asked(route="/chat").spans(kind="websocket")
    assert span.name == "WEBSOCKET /chat"


async def test_what_is_no_request_is_no_span() -> None:
    asked = Asked(route=None)
    assert await asked.spans(kind="lifespan") == []
    assert asked.sent == ["http.response.start", "http.response.body"]


def watched(turn: TurnInput, *events: Any, error: BaseException | None) -> dict[str, ReadableSpan]:
    """The spans of a turn that ends without an answer, by name."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    spans = TurnSpans(provider.get_tracer("test"), turn)
    for event in events:
        spans.seen(event)
    spans.ended(None, error)
    return {span.name: span for span in exporter.get_finished_spans()}


def a_turn(request_trace_id: str | None = None) -> TurnInput:
    return replace(stage(ChosenModels(ModelChoice())).turn, request_trace_id=request_trace_id)


def start(call: str, tool: str) -> ToolStart:
    return ToolStart(tool_call_id=call, tool_name=tool, args={}, message="m")


def test_each_tool_of_a_turn_is_a_span_below_it_with_its_outcome() -> None:
    done = ToolResult(tool_call_id="1", tool_name="a", status="success", result_type="text", text_content="")
    failed = ToolError(tool_call_id="2", tool_name="b", code="timeout", message="late")
    spans = watched(a_turn(), start("1", "a"), start("2", "b"), start("3", "c"), done, failed, done, error=None)
    turn = ids(spans["turn"])
    outcomes = {}
    for name in ("tool a", "tool b", "tool c"):
        assert ids(spans[name])[::2] == turn[:2], "below the turn, in its trace"
        is_error = spans[name].status.status_code is StatusCode.ERROR
        outcomes[name] = ((spans[name].attributes or {})["flamechat.outcome"], is_error)
    assert outcomes == {
        "tool a": ("success", False),
        "tool b": ("timeout", True),
        "tool c": ("unfinished", True),
    }


@pytest.mark.parametrize(
    ("error", "outcome", "is_error"),
    [
        (ModelFailed("no", code="model_away", retryable=True), {"flamechat.outcome": "failed"}, True),
        (KeyboardInterrupt(), {"flamechat.outcome": "cancelled"}, False),
    ],
)
def test_how_a_turn_without_an_answer_ended_is_in_its_span(
    error: BaseException | None, outcome: dict[str, str], *, is_error: bool
) -> None:
    span = watched(a_turn(), error=error)["turn"]
    attributes = dict(span.attributes or {})
    assert attributes.items() >= outcome.items()
    assert attributes.get("error.type") == ("model_away" if isinstance(error, ModelFailed) else None)
    assert (span.status.status_code is StatusCode.ERROR) is is_error


def test_a_turn_is_in_the_trace_of_the_request_that_asked_for_it() -> None:
    trace, _, parent = ids(watched(a_turn(TRACE), error=None)["turn"])
    assert trace == TRACE
    assert parent is not None
    assert ids(watched(a_turn(), error=None)["turn"])[2] is None
