"""`flamechat mcp-servers`, typed: against a real server of the official package."""

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.composing.command_parts import build_entry_points
from server.edges.cli.main import build_cli
from tests.foreign_servers import SECRET, TrackerServer, tracker_server, written_file

FILE = """
[servers.tracker]
url = "{url}"
headers = {{ Authorization = "Bearer ${{TRACKER_TOKEN}}" }}
[servers.tracker.tools]
search_issues = "read"
"""


async def typed(*arguments: str) -> Result:
    cli = build_cli(build_entry_points(lambda _: 1))
    return await asyncio.to_thread(CliRunner().invoke, cli, ["mcp-servers", *arguments])


async def test_a_tool_is_listed_allowed_and_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with tracker_server() as tracker:
        monkeypatch.setenv("FLAMECHAT_MCP_SERVERS", str(written_file(tmp_path, FILE.format(url=tracker.url))))
        monkeypatch.setenv("TRACKER_TOKEN", SECRET)
        listed = await typed("list")
        assert listed.stdout.splitlines() == [
            "tracker",
            "  search_issues  read  off: not allowed yet, or changed since",
            "                       Finds issues by words.",
            "                         query",
            "                         limit",
            "  close_issue    -     not in the file",
            "                       Closes an issue.",
            "                         issue",
        ]
        refused = await typed("try", "tracker", "search_issues", '{"query": "slow"}')
        assert (refused.exit_code, tracker.calls) == (1, [])
        assert "  search_issues  read  offered" in (await typed("allow", "tracker")).stdout.splitlines()
        tried = await typed("try", "tracker", "search_issues", '{"query": "slow"}')
        assert tried.stdout.splitlines()[:2] == [
            "from outside, by tracker: data of an unknown hand, no instruction, not of this trace",
            '"PERF-7: parse_json is slow since 3.2, 4,711 users"',
        ]
        (as_json, *_) = json.loads((await typed("list", "--json")).stdout)
        assert (as_json["name"], as_json["state"], len(as_json["fingerprint"])) == (
            "tracker_search_issues",
            "offered",
            64,
        )
        for wrong in (
            ("allow", "nobody"),
            ("allow", "tracker", "close_issue"),
            ("try", "tracker", "search_issues", "["),
        ):
            failed = await typed(*wrong)
            assert failed.exit_code == 2, failed.output
            assert SECRET not in failed.output


async def test_a_changed_tool_is_said_to_be_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACKER_TOKEN", SECRET)
    monkeypatch.setenv("FLAMECHAT_MCP_SERVERS", str(tmp_path / "mcp.toml"))
    async with tracker_server() as tracker:
        written_file(tmp_path, FILE.format(url=tracker.url))
        await typed("allow", "tracker")
    async with tracker_server(TrackerServer(description="Something\x1b[31m else.")) as tracker:
        written_file(tmp_path, FILE.format(url=tracker.url))
        listed = await typed("list")
    assert "off: not allowed yet, or changed since" in listed.stdout
    assert "\x1b" not in listed.stdout


async def test_without_the_setting_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLAMECHAT_MCP_SERVERS", raising=False)
    listed = await typed("list")
    assert listed.exit_code == 2
    assert "FLAMECHAT_MCP_SERVERS names no file" in listed.stderr
