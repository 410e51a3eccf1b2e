"""The client against the official example server, by its command and over Streamable HTTP."""

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from server.ports.mcp_tools import ForeignCallFailed
from tests.clients.installed import EXAMPLE_SERVER, NODE, installed
from tests.foreign_servers import ANNA, SECRET, allow_all, client_of, written_file

pytestmark = pytest.mark.long

PROGRAM = "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
STARTS_WITHIN_S = 120
TOOLS = """
[servers.every.tools]
echo = "read"
get-sum = "read"
get-env = "read"
get-tiny-image = "read"
get-structured-content = "read"
toggle-simulated-logging = "ask"
"""
BY_COMMAND = (
    '[servers.every]\ncommand = ["{node}", "{program}", "stdio"]\nenv = {{ KEY = "${{TRACKER_TOKEN}}" }}\n' + TOOLS
)
OVER_HTTP = '[servers.every]\nurl = "{url}"\n' + TOOLS


@pytest.fixture(scope="module")
def program() -> Path:
    return installed(EXAMPLE_SERVER, "example-server") / PROGRAM


@asynccontextmanager
async def started(program: Path) -> AsyncIterator[str]:
    """Over Streamable HTTP, on a free port; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [NODE, str(program), "streamableHttp"]
    async with await anyio.open_process(command, env={**os.environ, "PORT": str(port)}, stdout=None) as process:
        assert process.stderr is not None
        with anyio.fail_after(STARTS_WITHIN_S):
            async for line in process.stderr:
                if f"port {port}".encode() in line:
                    break
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()


async def asked_for_all(path: Path) -> None:
    """Every tool of the file is offered once it is allowed, and answers in text or says what it leaves out."""
    client, servers, allowed = client_of(path, seconds=STARTS_WITHIN_S)
    await client.look(servers[0])
    assert await client.offered(ANNA) == (), "nobody has allowed them"
    await allow_all(client, servers, allowed)
    offered = {one.tool: one for one in await client.offered(ANNA)}
    assert set(offered) == set(servers[0].tools), [one.state for one in await client.states(servers[0])]
    assert offered["get-sum"].name == "every_get-sum"
    assert "simulate-research-query" in {one.tool for one in await client.states(servers[0])}
    assert (await client.call(ANNA, "every_echo", {"message": "slow parser"})).text == "Echo: slow parser"
    assert "42" in (await client.call(ANNA, "every_get-sum", {"a": 40, "b": 2})).text
    assert "left out" in (await client.call(ANNA, "every_get-tiny-image", {})).text
    weather = await client.call(ANNA, "every_get-structured-content", {"location": "Chicago"})
    assert "temperature" in weather.text
    assert (await client.call(ANNA, "every_echo", {"message": 7})).is_error, "its own word on arguments that do not fit"
    for name in ("every_toggle-simulated-logging", "every_simulate-research-query"):
        with pytest.raises(ForeignCallFailed):
            await client.call(ANNA, name, {})


async def test_the_example_server_is_asked_by_its_command(tmp_path: Path, program: Path) -> None:
    path = written_file(tmp_path, BY_COMMAND.format(node=NODE, program=program))
    await asked_for_all(path)
    client, servers, allowed = client_of(path, seconds=STARTS_WITHIN_S)
    await allow_all(client, servers, allowed)
    given = (await client.call(ANNA, "every_get-env", {})).text
    assert '"KEY": "***"' in given
    assert SECRET not in given
    assert not {"HOME", "PATH", "VIRTUAL_ENV"} & {line.split('"')[1] for line in given.splitlines() if '"' in line}


async def test_the_example_server_is_asked_over_http(tmp_path: Path, program: Path) -> None:
    async with started(program) as url:
        await asked_for_all(written_file(tmp_path, OVER_HTTP.format(url=url)))
