"""Hostile names through MCP, by the protocol's official client: every tool, the list of traces, the resources."""

import re
import unicodedata
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from tests.hostile.names import MARK, NAMES, chrome, speedscope
from tests.server.edges.mcp.test_stdio import talking

pytestmark = pytest.mark.long

QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')
INVISIBLE = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "find_frames": {"pattern": MARK},
    "get_callers_callees": {"frame": "f1"},
    "get_span_details": {"handle": "s0"},
    "query_trace": {"sql": "SELECT * FROM frames"},
    "generate_sandwich_flamegraph_screenshot": {"frame": "f1"},
    "draw_chart": {"kind": "self_time"},
    "compare_traces": {"others": ["p0"], "profile": "p1"},
    "read_source": {"frame": "f1"},
}
FILE_NAME = "zqx\x1b[31m\x9d52;c;cm0=\x9c\u202e<b>`](#f0) ![x](https:evil.example).json"


def texts(result: types.CallToolResult) -> str:
    return "\n".join(one.text for one in result.content if isinstance(one, types.TextContent))


@pytest.mark.timeout(400)
async def test_names_come_quoted_and_visible_out_of_every_tool_and_resource(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(speedscope(list(NAMES.values())))
    (tmp_path / "timeline.json").write_bytes(chrome(list(NAMES.values())))
    said: dict[str, str] = {}
    async with talking(
        str(tmp_path / FILE_NAME), str(tmp_path / "timeline.json"), "--sources", str(tmp_path)
    ) as client:
        offered = [tool.name for tool in (await client.list_tools()).tools]
        for trace in ("t1", "t2"):
            for name in offered:
                choice = {} if name == "list_traces" else {"trace": trace}
                said[f"{name} of {trace}"] = texts(await client.call_tool(name, ARGUMENTS.get(name, {}) | choice))
        resources = (await client.list_resources()).resources
        said["resources"] = "\n".join(f"{one.name} {one.description}" for one in resources)
        for one in resources:
            said[f"resource {one.uri}"] = "\n".join(
                part.text
                for part in (await client.read_resource(str(one.uri))).contents
                if isinstance(part, types.TextResourceContents)
            )
    assert MARK in "".join(said.values())
    for where, text in said.items():
        assert [c for c in text if c != "\n" and unicodedata.category(c) in INVISIBLE] == [], where
        assert MARK not in QUOTED.sub("", text), f"{where}: {QUOTED.sub('', text)}"
