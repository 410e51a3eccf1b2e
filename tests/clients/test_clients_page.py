"""The programs of docs/clients.md, each run as it stands there against a server."""

import os
import re
from pathlib import Path

import anyio
import pytest

from tests.clients.installed import HERE, NODE, clients_folder
from tests.server.running_server import STACKS, running_server
from tests.server.talking import AS_ANNA

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("clients")]

PAGE = (HERE.parents[1] / "docs" / "clients.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^```js (\S+)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL))
PROGRAM_S = 60
"""Only a bound."""


def test_each_protocol_has_a_program_of_about_20_lines() -> None:
    assert set(PROGRAMS) == {"useChat", "chat", "assistant-ui", "ag-ui"}
    assert {name for name, program in PROGRAMS.items() if program.count("\n") > 26} == set()


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
async def test_a_program_prints_the_answer(tmp_path: Path, name: str) -> None:
    folder = clients_folder()
    program = folder / f"page-{name}-{os.getpid()}.mjs"
    program.write_text(PROGRAMS[name], encoding="utf-8")
    try:
        async with running_server(tmp_path) as server:
            trace_id = await server.trace_id()
            await server.upload(STACKS + b"other 9\n", name="newer.txt")
            environment = os.environ | {"FLAMECHAT": server.address, "TOKEN": "anna", "TRACE": trace_id}
            command = [NODE, "--import", "./browser.mjs", program.name]
            printed = await _first_line(command, folder, environment)
            asked = (await server.http.get("/api/v1/sessions", headers=AS_ANNA)).json()["sessions"]
    finally:
        program.unlink()
    assert printed == "It is read."
    assert [one["traceId"] for one in asked] == [trace_id]


async def _first_line(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """A page stays open, so it is not waited for its end."""
    with anyio.fail_after(PROGRAM_S):
        async with await anyio.open_process(command, cwd=folder, env=environment, stderr=None) as process:
            assert process.stdout is not None
            read = b""
            async for data in process.stdout:
                read += data
                if b"\n" in read:
                    break
            process.kill()
    return read.partition(b"\n")[0].decode()
