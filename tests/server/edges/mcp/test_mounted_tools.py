"""`/mcp/` of a running server: spoken to by the protocol's official client, closed to everybody else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client

from limits.plans import LOCAL_PLAN
from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.tools.all_tools import TOOLS
from server.edges.mcp.mounted_tools import AccountTraces, hidden_from
from server.errors import NotSupported
from server.ports.identity import Caller, KeyUse, Scope
from server.ports.traces import OpenTrace, SqlRows
from tests.server.edges.http.test_run_question_routes import a_night
from tests.server.edges.mcp.test_stdio import words
from tests.server.running_server import RunningServer, running_server

ARGUMENTS: dict[str, dict[str, Any]] = {
    "find_frames": {"pattern": "a"},
    "query_trace": {"sql": "SELECT count(*) AS n FROM nodes"},
    "draw_chart": {"kind": "self_time"},
    "compare_traces": {"others": ["p0"]},
    "search_memory": {"query": "slow"},
    "search_knowledge": {"query": "py-spy"},
    "check_answer": {"text": "All in all it takes [1.00 kB](#p0.total)."},
}


@asynccontextmanager
async def talking(server: RunningServer, token: str) -> AsyncIterator[Client]:
    with anyio.fail_after(150):
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
            Client(streamable_http_client(f"{server.address}/mcp/", http_client=http)) as client,
        ):
            yield client


async def test_recordings_of_many_nights_are_asked_in_words(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for number in range(6):
            await a_night(server, number, 300 if number < 3 else 450)
        async with talking(server, "anna") as client:
            asked = await client.call_tool("ask_traces", {"question": "since when is read slow?"})
            assert not asked.is_error
            assert 'From "c3"' in words(asked)
            drawn = await client.call_tool("ask_traces", {"question": "since when is read slow?", "chart": True})
            assert [one.type for one in drawn.content] == ["text", "image"]
            sql = "select commit, self_value from lib.functions where name = 'read' order by commit"
            rows = await client.call_tool("query_library", {"sql": sql})
            assert words(rows).splitlines()[-6:] == [
                f'r{number + 1} | "c{number}" | {300 if number < 3 else 450}' for number in range(6)
            ]
            refused = await client.call_tool("ask_traces", {"question": "since when is `raed` slow?"})
            assert refused.is_error
            assert 'The nearest: "read"' in words(refused)
        async with talking(server, "ben") as client:
            await server.upload(token="ben")
            refused = await client.call_tool("ask_traces", {"question": "since when is read slow?"})
            assert refused.is_error
            assert "no other recordings" in words(refused)
            refused = await client.call_tool("query_library", {"sql": "select * from lib.traces"})
            assert refused.is_error


OF_MOMENTS = {"get_hottest_windows", "get_longest_calls"}


async def test_every_tool_is_listed_and_answers_and_pictures_are_images(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await server.trace_id()
        async with talking(server, "anna") as client:
            offered = {tool.name for tool in (await client.list_tools()).tools}
            assert offered == {"list_traces", "check_answer"} | {
                tool.name for tool in TOOLS if not tool.needs & {"viewer", "view", "page", "sources", "memory"}
            }
            frame = await client.call_tool("query_trace", {"sql": "SELECT frame FROM nodes ORDER BY depth LIMIT 1"})
            handle = words(frame).splitlines()[-1]
            seen = set()
            for name in sorted(offered - {"get_span_details", "ask_traces", "query_library"}):
                arguments = {"frame": handle} if "sandwich" in name or "callers" in name else ARGUMENTS.get(name, {})
                result = await client.call_tool(name, arguments)
                if name in OF_MOMENTS:  # the trace holds sums
                    assert result.is_error
                    assert "it has no times" in words(result)
                    continue
                assert not result.is_error, (name, words(result))
                seen |= {name for one in result.content if isinstance(one, types.ImageContent)}
            assert "generate_flamegraph_screenshot" in seen


async def test_a_caller_finds_his_own_traces_and_nobody_elses(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        async with talking(server, "anna") as client:
            assert trace_id in words(await client.call_tool("list_traces", {}))
            assert [str(one.uri) for one in (await client.list_resources()).resources] == [
                f"flamechat://traces/{trace_id}"
            ]
        async with talking(server, "ben") as client:
            assert trace_id not in words(await client.call_tool("list_traces", {}))
            assert (await client.list_resources()).resources == []
            refused = await client.call_tool("get_trace_summary", {"trace": trace_id})
            assert refused.is_error


async def test_nobody_without_an_identity_is_answered(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for headers in ({}, {"Authorization": "Bearer mallory"}):
            for method in ("GET", "POST", "DELETE"):
                answer = await server.http.request(method, "/mcp/", headers=headers, json={})
                assert answer.status_code == 401, (method, answer.text)
                assert answer.headers["www-authenticate"] == "Bearer"


async def test_the_address_without_its_last_stroke_leads_there(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        answer = await server.http.post("/mcp", headers={"Authorization": "Bearer anna"}, json={})
        assert (answer.status_code, answer.headers["location"]) == (307, "/mcp/")


async def test_another_sites_page_is_refused(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        headers = {"Authorization": "Bearer anna", "Origin": "https://evil.example"}
        assert (await server.http.post("/mcp/", headers=headers, json={})).status_code == 403


async def test_a_tool_that_the_plan_leaves_out_is_neither_listed_nor_called(tmp_path: Path) -> None:
    plan = replace(LOCAL_PLAN, hidden_tools=("query_trace",))
    async with running_server(tmp_path, plan=plan) as server:
        await server.trace_id()
        async with talking(server, "anna") as client:
            assert "query_trace" not in {tool.name for tool in (await client.list_tools()).tools}
            refused = await client.call_tool("query_trace", {"sql": "SELECT 1"})
            assert refused.is_error
            assert "there is no tool" in words(refused)


class SlowQueries(InlineTraceWorkers):
    """Answers a query only when somebody was shown that it goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.shown = anyio.Event()

    async def query(self, trace: OpenTrace, sql: str, *, upload: Path | None = None) -> SqlRows:
        await self.shown.wait()
        return await super().query(trace, sql, upload=upload)


@pytest.mark.long
async def test_a_long_query_reports_its_progress_and_its_number_is_the_callers(tmp_path: Path) -> None:
    workers = SlowQueries()

    async def show(progress: float, total: float | None, message: str | None) -> None:
        assert str(message).startswith("query_trace: ")
        workers.shown.set()

    arguments = ARGUMENTS["query_trace"]
    async with running_server(tmp_path, workers=workers) as server:
        await server.trace_id()
        async with talking(server, "anna") as client:
            answered = await client.call_tool("query_trace", arguments, progress_callback=show)
        text = words(answered)
        number = int(text.split(":")[0].removeprefix("q"))
        count = text.split()[-1]
        async with talking(server, "anna") as client:  # another connection of the same caller
            right = await client.call_tool("check_answer", {"text": f"There are [{count}](#q{number}.r1.c1) nodes."})
        assert "verified" in words(right)
        async with talking(server, "ben") as client:
            assert (await client.call_tool("check_answer", {"text": "5 ms"})).is_error


async def test_a_client_without_streams_is_answered_by_json(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for accept, sent in (
            ("application/json", "application/json"),
            ("application/json, text/event-stream", "text/event-stream"),
        ):
            headers = {"Authorization": "Bearer anna", "Accept": accept, "MCP-Protocol-Version": "2025-06-18"}
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
            answer = await server.http.post("/mcp/", headers=headers, json=body)
            assert (answer.status_code, answer.headers["content-type"]) == (200, sent)
            assert "check_answer" in answer.text


async def test_a_server_opens_no_file_by_its_path() -> None:
    nothing: Any = None
    caller = Caller(user_id="anna", account_id="hers")
    traces = AccountTraces(services=nothing, caller=caller, results=nothing)
    assert not traces.opens_files
    with pytest.raises(NotSupported, match="Upload the file"):
        await traces.open_file("/etc/passwd")


@pytest.mark.parametrize("scopes", [frozenset(Scope), frozenset({Scope.TRACES_READ}), frozenset[Scope]()])
def test_a_key_sees_the_tools_that_its_scopes_open_and_a_person_all(scopes: frozenset[Scope]) -> None:
    person = Caller(user_id="anna", account_id="hers")
    assert hidden_from(person) == frozenset()
    hidden = hidden_from(replace(person, key=KeyUse("k", "one", scopes)))
    drawing = {tool.name for tool in TOOLS if tool.name.endswith("_screenshot")}
    assert drawing
    assert (drawing <= hidden) is (Scope.RENDER not in scopes)
    assert ("ask_traces" in hidden) is (Scope.QUESTIONS not in scopes)
    assert "get_top_functions" not in hidden
