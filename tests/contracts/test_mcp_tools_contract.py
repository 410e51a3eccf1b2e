"""Other servers' tools: the twin and the client of real ones, over HTTP."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from server.ports.mcp_tools import CallerTools, ForeignCallFailed, ForeignResult, ForeignTool, McpTools
from server.testing.mcp_tools import MemoryMcpTools
from tests.foreign_servers import ANNA, BEN, allow_all, client_of, tracker_server, written_file

FILE = """
[servers.tracker]
url = "{url}"
accounts = ["a1"]
[servers.tracker.tools]
search_issues = "read"
close_issue = "ask"
"""
Calls = Callable[[], int]


def a_tool(tool: str, access: Any) -> ForeignTool:
    return ForeignTool(
        name=f"tracker_{tool}",
        server="tracker",
        tool=tool,
        description="",
        schema='{"type": "object"}',
        access=access,
        fingerprint="",
    )


@pytest.fixture(params=["twin", "http"])
async def tools(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[McpTools, Calls]]:
    if request.param == "twin":
        found = lambda given: ForeignResult(f"PERF-7 for {given['query']}")  # noqa: E731
        closed = lambda given: ForeignResult(f"{given['issue']} is closed")  # noqa: E731
        known = {a_tool("search_issues", "read"): found, a_tool("close_issue", "ask"): closed}
        twin = MemoryMcpTools(known, accounts=frozenset({"a1"}))
        yield twin, lambda: len(twin.calls)
        return
    async with tracker_server() as tracker:
        client, servers, allowed = client_of(written_file(tmp_path, FILE.format(url=tracker.url)))
        await allow_all(client, servers, allowed)
        yield client, lambda: len(tracker.calls)


async def test_an_account_is_offered_what_it_may_use(tools: tuple[McpTools, Calls]) -> None:
    port, _ = tools
    assert [(one.name, one.access) for one in await port.offered(ANNA)] == [
        ("tracker_search_issues", "read"),
        ("tracker_close_issue", "ask"),
    ]
    assert await port.offered(BEN) == ()
    assert await CallerTools.of(port, BEN) is None
    assert await CallerTools.of(None, ANNA) is None


async def test_the_same_call_of_an_account_is_made_once(tools: tuple[McpTools, Calls]) -> None:
    port, calls = tools
    results = [await port.call(ANNA, "tracker_search_issues", {"query": "slow"}) for _ in range(2)]
    assert "PERF-7" in results[0].text
    assert results[0] == results[1]
    assert calls() == 1


async def test_a_call_that_a_person_has_to_allow_is_made_each_time(tools: tuple[McpTools, Calls]) -> None:
    port, calls = tools
    for _ in range(2):
        assert "closed" in (await port.call(ANNA, "tracker_close_issue", {"issue": "P"}, is_approved=True)).text
    assert calls() == 2


@pytest.mark.parametrize(
    ("caller", "name", "arguments"),
    [
        (ANNA, "tracker_close_issue", {"issue": "P"}),
        (BEN, "tracker_search_issues", {"query": "slow"}),
        (ANNA, "tracker_delete_all", {}),
        (ANNA, "tracker_search_issues", {"query": "x" * 2_048}),
    ],
)
async def test_what_is_not_allowed_reaches_no_server(
    tools: tuple[McpTools, Calls], caller: Any, name: str, arguments: dict[str, Any]
) -> None:
    port, calls = tools
    with pytest.raises(ForeignCallFailed) as refused:
        await port.call(caller, name, arguments)
    assert refused.value.code == "refused"
    assert calls() == 0
