"""The client against this project's own MCP server, signed in by a token."""

from pathlib import Path

from tests.foreign_servers import ANNA, allow_all, client_of, written_file
from tests.server.running_server import running_server

FILE = """
[servers.flame]
url = "{url}/mcp/"
headers = {{ Authorization = "Bearer anna" }}
[servers.flame.tools]
list_traces = "read"
get_top_functions = "read"
get_insights = "read"
check_answer = "read"
"""


async def test_our_own_server_is_asked_like_any_other(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        address = str(server.http.base_url).rstrip("/")
        client, servers, allowed = client_of(written_file(tmp_path, FILE.format(url=address)))
        await allow_all(client, servers, allowed)
        offered = {one.tool for one in await client.offered(ANNA)}
        assert "list_traces" in offered
        listed = await client.call(ANNA, "flame_list_traces", {})
        assert trace_id in listed.text
        off = {one.tool: one.state for one in await client.states(servers[0]) if one.tool in servers[0].tools}
        assert {tool for tool, state in off.items() if not state} == offered
        assert all(state.startswith("off: its description") for state in off.values() if state), off
