"""Servers that are commands: what they are given, and that nothing of them is left."""

import json
import sys
from pathlib import Path

import psutil
import pytest

from tests.foreign_servers import ANNA, SECRET, allow_all, client_of, written_file

CHILD = """
import json, os, subprocess, sys
from mcp.server import MCPServer

server = MCPServer("child")

@server.tool()
def environment() -> str:
    "What it was started with."
    return json.dumps(dict(os.environ))

@server.tool()
def leave_behind(folder: str) -> str:
    "Starts another process, which outlives it."
    left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    return f"{os.getpid()} {left.pid}"

server.run()
"""
FLOOD = ["head", "-c", "100000000", "/dev/zero"]
FILE = """
[servers.child]
command = ["{python}", "{script}"]
env = {{ TOKEN = "${{TRACKER_TOKEN}}", LANGUAGE = "en" }}
[servers.child.tools]
environment = "read"
leave_behind = "read"
"""


@pytest.mark.long
async def test_a_command_is_given_what_is_named_and_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-house")
    (tmp_path / "child.py").write_text(CHILD)
    path = written_file(tmp_path, FILE.format(python=sys.executable, script=tmp_path / "child.py"))
    client, servers, allowed = client_of(path)
    await allow_all(client, servers, allowed)
    assert len(await client.offered(ANNA)) == 2
    given = (await client.call(ANNA, "child_environment", {})).text
    assert "sk-of-the-house" not in given
    assert SECRET not in given, "what it writes back is masked"
    assert '"TOKEN": "***"' in given
    assert '"LANGUAGE": "en"' in given
    assert not {"HOME", "PATH", "USER"} & {part.strip('", {}').split('"')[0] for part in given.split(", ")}
    left = (await client.call(ANNA, "child_leave_behind", {"folder": "x"})).text
    there = [psutil.Process(pid) for pid in map(int, left.split()) if psutil.pid_exists(pid)]
    _, alive = psutil.wait_procs(there, timeout=30)
    assert all(one.status() == psutil.STATUS_ZOMBIE for one in alive)


@pytest.mark.parametrize("command", [["/nowhere/at/all"], ["true"], ["cat"], ["yes"], FLOOD])
async def test_a_command_that_is_no_server_is_away(tmp_path: Path, command: list[str]) -> None:
    path = written_file(tmp_path, f"[servers.child]\ncommand = {json.dumps(command)}\n")
    client, servers, _ = client_of(path, seconds=0.5)
    assert not await client.look(servers[0])
