"""Whatever the workers are asked is asked for somebody: by a request, by a socket, by a turn, over MCP."""

from pathlib import Path
from typing import Any

import pytest

from server.ports.asking_user import ASKING_USER
from tests.server.running_server import running_server
from tests.server.talking import END, ask

TOOL_CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_insights", "arguments": {}}}


async def test_requests_sockets_turns_and_tools_work_for_their_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        workers, users = server.parts.services.traces.workers, list[str | None]()
        known = {name: (await server.parts.services.identity.identify(name)).user_id for name in ("anna",)}

        for name in ("ask", "cached"):
            asked = getattr(workers, name)

            async def noting(*parts: Any, asked: Any = asked, **named: Any) -> Any:
                users.append(ASKING_USER.get())
                return await asked(*parts, **named)

            monkeypatch.setattr(workers, name, noting)
        anna = {"Authorization": "Bearer anna"}
        (await server.http.get(f"/api/v1/traces/{trace_id}/functions", headers=anna)).raise_for_status()
        by_request = len(users)
        async with server.session(trace_id) as socket:
            by_socket = len(users)
            await ask(socket)
            await socket.until(*END)
        by_turn = len(users)
        headers = anna | {"Accept": "application/json"}
        (await server.http.post("/mcp/", json=TOOL_CALL, headers=headers)).raise_for_status()
        assert 0 < by_request < by_socket < by_turn < len(users)
        assert set(users) == {known["anna"]}
