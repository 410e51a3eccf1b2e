"""What is new for an account reaches the sockets of its conversations, and no other."""

from pathlib import Path

from tests.server.edges.ws.test_budgets_over_socket import informed, limit, look, spend
from tests.server.running_server import ANNA, running_server


async def test_an_account_s_news_reach_who_is_in_a_conversation_of_it(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        hers = await server.trace_id()
        theirs = (await server.upload(token="ben")).json()["trace"]["traceId"]
        async with server.session(hers) as anna, server.session(theirs, token="ben") as ben:
            assert await informed(anna) == await informed(ben) == []
            await limit(server, f"accounts/{ANNA.account_id}", monthlyTokenLimit=100)
            await spend(server, ANNA, "0.01")
            await look(server)
            assert [one["accountId"] for one in await informed(anna)] == [ANNA.account_id]
            assert await informed(ben) == []
