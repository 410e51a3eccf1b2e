"""Requests, turns and tools as a collector of OpenTelemetry gets them."""

from pathlib import Path

import httpx
import pytest
from anyio.from_thread import start_blocking_portal

from tests.cloud.span_collector import SpanCollector, span_collector
from tests.e2e.running_server import running_server
from tests.e2e.test_conversation_over_openai import conversation_about

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


def collected(tmp_path: Path, board: Path, name: str) -> tuple[SpanCollector, str]:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(span_collector()) as collector:
        settings = {name: collector.url, "FLAMECHAT_MODEL": "built-in", "OTEL_SERVICE_NAME": "flamechat-of-a-test"}
        with running_server(tmp_path, settings) as server, conversation_about(board, server) as (trace_id, talk):
            assert talk.ask("Why is my-secret-project slow?")[-1]["type"] == "model_response_end"
            headers = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
            httpx.get(f"{server.address}/api/v1/traces/{trace_id}", headers=headers, timeout=60).raise_for_status()
            assert httpx.get(f"{server.address}/api/v1/traces/no-such", timeout=60).status_code >= 400
        return collector, trace_id


@pytest.mark.parametrize("name", ["FLAMECHAT_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"])
def test_a_turn_its_tools_and_the_request_that_asked_for_it_are_one_trace(
    tmp_path: Path, fixtures: Path, name: str
) -> None:
    collector, trace_id = collected(tmp_path, fixtures / "board.chrome-object.json.gz", name)
    spans = collector.spans
    assert {span.service for span in spans} == {"flamechat-of-a-test"}
    (turn,) = [span for span in spans if span.name == "turn"]
    assert (turn.attributes["flamechat.outcome"], turn.is_error) == ("answered", False)
    tools = [span for span in spans if span.parent_id == turn.span_id]
    assert tools
    assert len(tools) == turn.attributes["flamechat.tool_calls"]
    assert {tool.attributes["flamechat.outcome"] for tool in tools} <= {"success", "success_with_warning"}
    socket = next(span for span in spans if span.name == "WEBSOCKET /api/v1/chat")
    assert {span.trace_id for span in (turn, socket, *tools)} == {socket.trace_id}
    given = next(span for span in spans if span.trace_id == TRACE)
    assert (given.name, given.parent_id) == ("GET /api/v1/traces/{trace_id}", PARENT)
    assert given.attributes["http.response.status_code"] == 200
    text = collector.sent.decode(errors="replace")
    assert [word for word in ("my-secret-project", trace_id, "no-such", "board.chrome") if word in text] == []


def test_a_collector_that_is_gone_keeps_nobody_waiting_and_what_is_none_ends_the_start(
    tmp_path: Path, fixtures: Path
) -> None:
    board = fixtures / "board.chrome-object.json.gz"
    settings = {"FLAMECHAT_OTLP_ENDPOINT": "http://127.0.0.1:9", "FLAMECHAT_MODEL": "built-in"}
    with running_server(tmp_path, settings) as server, conversation_about(board, server) as (_, talk):
        assert talk.ask("Why is this slow?")[-1]["type"] == "model_response_end"
    with (
        pytest.raises(AssertionError, match="the address of a collector"),
        running_server(tmp_path, settings | {"FLAMECHAT_OTLP_ENDPOINT": "127.0.0.1:4318"}),
    ):
        pass
