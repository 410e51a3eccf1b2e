"""Programs that another program has recorded, where whoever started `flamechat mcp` allowed it."""

import sys
from pathlib import Path
from typing import Any

from mcp.shared.exceptions import MCPError

from tests.server.edges.mcp.test_stdio import talking, words

SLOW = "def planted_hot():\n    return sum(i * i % 7 for i in range(2_000_000))\nprint(planted_hot())\n"


async def test_a_command_is_recorded_and_can_be_asked_about(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    command = [sys.executable, "slow.py"]
    async with talking("--allow-record", data=tmp_path / "data") as client:
        assert "record_program" in {tool.name for tool in (await client.list_tools()).tools}
        recorded = await client.call_tool(
            "record_program", {"command": command, "folder": str(tmp_path), "seconds": 30}
        )
        assert not recorded.is_error, words(recorded)
        assert "is open as t1" in words(recorded)
        top = words(await client.call_tool("get_top_functions", {"limit": 3}))
        assert "planted_hot" in top or "<genexpr>" in top
        refusals: list[dict[str, Any]] = [
            {"command": []},
            {"command": ["x"], "folder": str(tmp_path / "none")},
            {"command": ["./none"]},
        ]
        for wrong in refusals:
            refused = await client.call_tool("record_program", wrong)
            assert refused.is_error, wrong


async def test_nothing_is_recorded_that_was_not_allowed(tmp_path: Path) -> None:
    async with talking(data=tmp_path / "data") as client:
        assert "record_program" not in {tool.name for tool in (await client.list_tools()).tools}
        try:
            refused = await client.call_tool("record_program", {"command": ["touch", str(tmp_path / "made")]})
        except MCPError:
            pass
        else:
            assert refused.is_error
    assert not (tmp_path / "made").exists()
