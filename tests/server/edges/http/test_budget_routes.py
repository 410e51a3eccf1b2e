"""Budgets of users and accounts over HTTP, and what was reached of them, for administrators alone."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from limits.refusals import LimitType
from limits.spending import BudgetNotice
from server.adapters.in_process.clock import SystemClock
from tests.plugins.worlds import new_uuid
from tests.server.edges.ws.test_budgets_over_socket import AS_ROOT, spend
from tests.server.running_server import ANNA, RunningServer, running_server
from tests.server.talking import AS_ANNA

LIMITS = {"monthlyCostLimitCents": 500, "monthlyTokenLimit": None, "turnTokenLimit": 9000}


async def get(server: RunningServer, path: str) -> Any:
    answer = await server.http.get(f"/api/v1/admin/{path}", headers=AS_ROOT)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def put(server: RunningServer, path: str, body: object, *, status: int = 200) -> Any:
    answer = await server.http.put(f"/api/v1/admin/{path}", json=body, headers=AS_ROOT)
    assert answer.status_code == status, answer.text
    return answer.json()


def notices(server: RunningServer, count: int) -> list[BudgetNotice]:
    """So many, each a minute after the one before."""
    records: Any = server.parts.services.plans.administration._records
    now = SystemClock().now()
    kept: list[BudgetNotice] = records._accounts.notices
    kept += (
        BudgetNotice(
            notice_id=new_uuid(),
            user_id=ANNA.user_id,
            account_id=None,
            limit_type=LimitType.MONTHLY_COST,
            percent=80,
            used=minute,
            limit=500,
            plan_name="local",
            resets_at=now + timedelta(days=1),
            at=now + timedelta(minutes=minute),
        )
        for minute in range(count)
    )
    return kept


async def test_a_user_s_budgets_replace_those_before(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        found = await put(server, f"users/{ANNA.user_id}/limits", LIMITS | {"reason": "a trial"})
        assert found["user"]["ownLimits"] == LIMITS
        assert (await put(server, f"users/{ANNA.user_id}/limits", {"turnTokenLimit": 7}))["user"]["ownLimits"] == {
            "monthlyCostLimitCents": None,
            "monthlyTokenLimit": None,
            "turnTokenLimit": 7,
        }
        (change, *_) = (await get(server, "changes"))["changes"][1:]
        assert change["reason"] == "a trial"


async def test_an_account_s_budgets_stand_next_to_what_its_members_have_spent(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        found = await put(server, f"accounts/{ANNA.account_id}/limits", {"monthlyCostLimitCents": 100})
        assert found["account"]["limits"]["monthlyCostLimitCents"] == 100
        await spend(server, ANNA, "0.25")
        spending = (await get(server, f"accounts/{ANNA.account_id}/spending"))["account"]
        assert spending["limits"] == found["account"]["limits"]
        assert spending["spentCents"] == 25


@pytest.mark.parametrize("wrong", [{"turnTokenLimit": 0}, {"monthlyCostLimitCents": -1}, {"budget": 1}])
async def test_what_is_no_budget_is_refused(tmp_path: Path, wrong: dict[str, int]) -> None:
    async with running_server(tmp_path) as server:
        await put(server, f"users/{ANNA.user_id}/limits", wrong, status=400)


async def test_of_what_was_reached_the_newest_hundred_come_first(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        kept = notices(server, 120)
        listed = (await get(server, "budget-notices"))["notices"]
        assert [one["noticeId"] for one in listed] == [one.notice_id for one in kept[:-101:-1]]
        assert f"80 % of the budget of user {ANNA.user_id}" in listed[0]["message"]
        assert len((await get(server, "budget-notices?limit=500"))["notices"]) == 120
        assert len((await get(server, "budget-notices?limit=1"))["notices"]) == 1
        for wrong in (0, 501):
            refused = await server.http.get(f"/api/v1/admin/budget-notices?limit={wrong}", headers=AS_ROOT)
            assert refused.status_code == 400


async def test_nobody_but_an_administrator_sees_or_sets_budgets(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for path in ("budget-notices", f"accounts/{ANNA.account_id}/spending"):
            assert (await server.http.get(f"/api/v1/admin/{path}", headers=AS_ANNA)).status_code == 403
        answer = await server.http.put(f"/api/v1/admin/users/{ANNA.user_id}/limits", json={}, headers=AS_ANNA)
        assert answer.status_code == 403
