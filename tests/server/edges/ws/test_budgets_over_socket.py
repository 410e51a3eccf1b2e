"""Who is informed on a socket that a budget is reached: whose it is, an account's members, administrators; once."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from server.ports.identity import Caller
from server.ports.invocations import CallCost
from tests.contracts.test_budgets_contract import a_call, ended
from tests.plugins.worlds import new_uuid
from tests.server.running_server import ANNA, BEN, RunningServer, Socket, running_server

AS_ROOT = {"Authorization": "Bearer root"}
LIMITS = {"monthlyCostLimitCents": 100}


async def limit(server: RunningServer, path: str, **limits: Any) -> dict[str, Any]:
    answer = await server.http.put(f"/api/v1/admin/{path}/limits", json=limits, headers=AS_ROOT)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def spend(server: RunningServer, caller: Caller, cost: str) -> None:
    log, row = server.parts.services.plans.invocations, a_call(caller, new_uuid())
    await log.begin(row, CallCost(Decimal("0.01"), 10))
    await log.record(ended(row, cost))


async def look(server: RunningServer) -> None:
    informing = server.parts.services.socket.news.budgets
    assert informing is not None
    await informing.look()


async def informed(socket: Socket) -> list[dict[str, Any]]:
    """What was said of budgets before the answer to a ping."""
    await socket.send(type="ping", nonce="n")
    return [one for one in await socket.until("pong") if one["type"] == "limits_changed"]


@asynccontextmanager
async def three_sockets(server: RunningServer) -> AsyncIterator[tuple[Socket, Socket, Socket]]:
    """Anna's, Ben's and an administrator's."""
    async with AsyncExitStack() as stack:
        sockets = []
        for name in ("anna", "ben", "root"):
            stored = (await server.upload(token=name)).json()["trace"]["traceId"]
            sockets.append(await stack.enter_async_context(server.session(stored, token=name)))
            assert await informed(sockets[-1]) == []
        yield sockets[0], sockets[1], sockets[2]


async def test_a_person_and_administrators_are_informed_once_of_each_share(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, three_sockets(server) as (anna, ben, root):
        await limit(server, f"users/{ANNA.user_id}", **LIMITS)
        await spend(server, ANNA, "0.85")
        for _ in range(2):
            await look(server)
        (message,) = await informed(anna)
        assert (message["limitType"], message["percent"], message["used"], message["limit"]) == (
            "monthly_cost",
            80,
            85,
            100,
        )
        assert (message["userId"], message["accountId"]) == (ANNA.user_id, None)
        assert "80 % of this month's budget" in message["message"]
        (of_another,) = await informed(root)
        assert of_another == message | {"message": of_another["message"]}
        assert f"the budget of user {ANNA.user_id}" in of_another["message"]
        assert await informed(ben) == []
        await spend(server, ANNA, "0.15")
        await look(server)
        assert [one["percent"] for one in (*await informed(anna), *await informed(root))] == [100, 100]
        listed = await server.http.get("/api/v1/admin/budget-notices", headers=AS_ROOT)
        assert [one["percent"] for one in listed.json()["notices"]] == [100, 80]


async def test_of_an_accounts_budget_its_members_are_informed_and_no_others(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, three_sockets(server) as (anna, ben, _):
        found = await limit(server, f"accounts/{ANNA.account_id}", monthlyTokenLimit=100, reason="a trial")
        assert found["account"]["limits"]["monthlyTokenLimit"] == 100
        await spend(server, ANNA, "0.01")
        await look(server)
        (message,) = await informed(anna)
        assert (message["accountId"], message["limitType"], message["percent"]) == (
            ANNA.account_id,
            "monthly_tokens",
            100,
        )
        assert await informed(ben) == []
        spending = await server.http.get(f"/api/v1/admin/accounts/{ANNA.account_id}/spending", headers=AS_ROOT)
        assert spending.json()["account"]["spentTokens"] == 100
        mine = (await server.http.get("/api/v1/me/usage", headers={"Authorization": "Bearer anna"})).json()
        assert mine["account"]["spentCents"] == 1
        for nobody in ("accounts/none", f"accounts/{new_uuid()}", f"users/{new_uuid()}"):
            answer = await server.http.put(f"/api/v1/admin/{nobody}/limits", json=LIMITS, headers=AS_ROOT)
            assert answer.status_code == 404
        bad = await server.http.put(
            f"/api/v1/admin/users/{BEN.user_id}/limits", json={"turnTokenLimit": 0}, headers=AS_ROOT
        )
        assert bad.status_code == 400
