"""`flamechat mcp` as a program of its own, spoken to by the protocol's official client."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, types
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from server.agent.tools.all_tools import TOOLS

PROGRAM = "from server.app import main; main()"
ARGUMENTS: dict[str, dict[str, Any]] = {
    "find_frames": {"pattern": "a"},
    "get_callers_callees": {"frame": "f61"},
    "get_span_details": {"handle": "s0", "trace": "t2"},
    "query_trace": {"sql": "SELECT count(*) AS n FROM nodes"},
    "generate_sandwich_flamegraph_screenshot": {"frame": "f61"},
    "draw_chart": {"kind": "self_time"},
    "compare_traces": {"others": ["p0"], "profile": "p1"},
    "read_source": {"frame": "f2"},
    "check_answer": {"text": "Nothing is said here."},
}


@asynccontextmanager
async def talking(*arguments: str, data: Path | None = None) -> AsyncIterator[Client]:
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ.get("PATH", "")}
    environment |= {} if data is None else {"FLAMECHAT_DATA": str(data)}
    program = StdioServerParameters(command=sys.executable, args=["-c", PROGRAM, "mcp", *arguments], env=environment)
    with anyio.fail_after(150):
        async with Client(program) as client:
            yield client


@pytest.fixture
def sample(fixtures: Path) -> Path:
    return next((fixtures / "sample").glob("*.gz"))


@pytest.fixture
def timeline(fixtures: Path) -> Path:
    return fixtures / "thumbnails.uftrace.json.gz"


def words(result: Any) -> str:
    return "\n".join(one.text for one in result.content if isinstance(one, types.TextContent))


async def test_every_tool_is_listed_and_answers_and_pictures_are_images(
    sample: Path, timeline: Path, tmp_path: Path
) -> None:
    (tmp_path / "__main__.py").write_text("print()\n")
    pictures = []
    async with talking(str(sample), str(timeline), "--sources", str(tmp_path)) as client:
        offered = {tool.name for tool in (await client.list_tools()).tools}
        assert offered == {"list_traces", "check_answer"} | {
            tool.name
            for tool in TOOLS
            if not tool.needs & {"viewer", "view", "page", "account", "memory", "history", "recall", "documents"}
        }
        assert [one.name for one in (await client.list_prompts()).prompts] == ["why_is_this_slow", "compare_these"]
        assert "slow" in str(await client.get_prompt("why_is_this_slow"))
        for name in sorted(offered):
            result = await client.call_tool(name, ARGUMENTS.get(name, {}))
            assert not result.is_error, (name, words(result))
            assert words(result)
            if name != "list_traces":
                assert result.structured_content["trace"] == ARGUMENTS.get(name, {}).get("trace", "t1")
                assert result.structured_content["data"]
            if any(isinstance(one, types.ImageContent) for one in result.content):
                pictures.append(name)
    assert pictures == [
        "compare_traces",
        "draw_chart",
        "generate_flamegraph_screenshot",
        "generate_sandwich_flamegraph_screenshot",
    ]


@pytest.mark.long
async def test_a_trace_is_chosen_by_name_or_id_and_is_a_resource(sample: Path, timeline: Path) -> None:
    async with talking(str(sample), str(timeline)) as client:
        named = await client.call_tool("get_trace_summary", {"trace": timeline.name})
        assert timeline.name in words(named)
        wrong = await client.call_tool("get_trace_summary", {"trace": "t9"})
        assert wrong.is_error
        assert "t1" in words(wrong)
        uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
        assert uris == ["flamechat://traces/t1", "flamechat://traces/t2"]
        read = (await client.read_resource("flamechat://traces/t2")).contents[0]
        assert isinstance(read, types.TextResourceContents)
        assert timeline.name in read.text
        with pytest.raises(MCPError):
            await client.read_resource("flamechat://traces/t9")


@pytest.mark.long
async def test_a_bad_call_is_an_error_with_the_nearest_valid_one(sample: Path) -> None:
    async with talking(str(sample)) as client:
        wrong = await client.call_tool("get_top_functions", {"sortBy": "self"})
        assert wrong.is_error
        assert "sort_by" in words(wrong)
        unknown = await client.call_tool("get_calltree", {})
        assert unknown.is_error
        assert "get_call_tree" in words(unknown)
        assert (await client.call_tool("show_in_viewer", {"handle": "f1"})).is_error


@pytest.mark.long
async def test_without_files_the_other_program_opens_them(sample: Path, tmp_path: Path) -> None:
    async with talking() as client:
        assert "open_trace" in {tool.name for tool in (await client.list_tools()).tools}
        assert (await client.call_tool("get_trace_summary", {})).is_error
        opened = await client.call_tool("open_trace", {"path": str(sample)})
        assert "t1" in words(opened)
        assert sample.name in words(await client.call_tool("get_trace_summary", {}))
        missing = await client.call_tool("open_trace", {"path": str(tmp_path / "none")})
        assert missing.is_error
    async with talking(str(sample)) as client:
        assert "open_trace" not in {tool.name for tool in (await client.list_tools()).tools}
        assert (await client.call_tool("open_trace", {"path": str(sample)})).is_error
