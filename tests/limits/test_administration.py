"""What an administrator may do with plans and users, what it would do, and that each change says who and why."""

from dataclasses import replace
from typing import Any

import pytest

from limits.administration import MAX_GRANT, Administration, Author
from limits.errors import InvalidPlan, UnknownPlan, UnknownUser
from limits.plans import FALLBACK_PLAN, Plan, SessionsPeriod
from limits.spending import SpendingLimits
from server.ports.identity import Caller
from server.testing.account_state import MemoryAccounts
from server.testing.conversations import MemoryConversations
from server.testing.manual_clock import ManualClock
from server.testing.plans import MemoryPlans
from server.testing.trace_records import MemoryTraceRecords
from tests.plugins.worlds import new_uuid

ROOT = Author(user_id=new_uuid(), reason="a trial")
FEW = Plan(name="few", display_name="Few", chat_sessions_limit=2, chat_sessions_period=SessionsPeriod.LIFETIME)


def administration(*of_users: Plan) -> tuple[Administration, list[Caller]]:
    """Of users on these plans, one each."""
    accounts = MemoryAccounts(ManualClock())
    callers = [Caller(user_id=new_uuid(), account_id=new_uuid()) for _ in of_users]
    for caller, plan in zip(callers, of_users, strict=True):
        accounts.add(caller, plan)
    traces = MemoryTraceRecords(accounts)
    MemoryConversations(traces)
    return Administration(MemoryPlans(traces)), callers


async def test_a_plan_is_made_changed_and_retired_and_each_is_written_down() -> None:
    plans, _ = administration()
    team = Plan(name="team", display_name="Team")
    assert await plans.create_plan(team, ROOT) == team
    changed = await plans.change_plan("team", {"monthly_upload_limit": 5}, ROOT)
    assert changed == replace(team, monthly_upload_limit=5) == await plans.plan("team")
    assert (await plans.retire_plan("team", ROOT)).is_retired
    assert "team" in {plan.name for plan in await plans.plans()}
    changes = await plans.changes()
    assert [one.action for one in changes] == ["retire_plan", "change_plan", "create_plan"]
    assert {(one.changed_by, one.reason, one.plan_name) for one in changes} == {(ROOT.user_id, "a trial", "team")}
    assert [one.action for one in await plans.changes(limit=1)] == ["retire_plan"]


async def test_a_retired_plan_takes_nobody_and_the_last_resort_is_never_retired() -> None:
    plans, (anna,) = administration(FEW)
    await plans.retire_plan("pro", ROOT)
    with pytest.raises(InvalidPlan, match="pro plan is retired"):
        await plans.put_on_plan(anna.user_id, "pro", ROOT)
    with pytest.raises(InvalidPlan, match="pro plan is retired"):
        await plans.foresee_plan(anna.user_id, "pro")
    with pytest.raises(InvalidPlan, match="cannot be retired"):
        await plans.retire_plan(FALLBACK_PLAN, ROOT)
    assert (await plans.usage(anna.user_id)).plan.name == "few"


@pytest.mark.parametrize("name", ["none", ""])
async def test_what_is_not_there_is_refused_and_nothing_is_written_down(name: str) -> None:
    plans, (anna,) = administration(FEW)
    with pytest.raises(UnknownPlan):
        await plans.put_on_plan(anna.user_id, name, ROOT)
    with pytest.raises(UnknownPlan):
        await plans.change_plan(name, {"monthly_upload_limit": 5}, ROOT)
    with pytest.raises(UnknownUser):
        await plans.put_on_plan(new_uuid(), "pro", ROOT)
    assert await plans.changes() == []


@pytest.mark.parametrize("wrong", [{"monthly_upload_limit": -1}, {"nonsense": 1}])
async def test_a_plan_that_can_be_none_is_refused(wrong: dict[str, Any]) -> None:
    plans, _ = administration()
    with pytest.raises(InvalidPlan):
        await plans.change_plan("pro", wrong, ROOT)
    assert await plans.changes() == []


async def test_sessions_are_granted_on_top_of_the_plan_within_bounds() -> None:
    plans, (anna,) = administration(FEW)
    assert (await plans.grant_sessions(anna.user_id, 1, ROOT)).granted_sessions == 1
    assert (await plans.grant_sessions(anna.user_id, MAX_GRANT, ROOT)).granted_sessions == MAX_GRANT + 1
    for wrong in (0, -1, MAX_GRANT + 1):
        with pytest.raises(InvalidPlan, match="from 1 to"):
            await plans.grant_sessions(anna.user_id, wrong, ROOT)
    assert (await plans.reset_usage(anna.user_id, ROOT)).granted_sessions == 0


async def test_budgets_are_checked_before_they_bind() -> None:
    plans, (anna,) = administration(FEW)
    low = SpendingLimits(monthly_cost_limit_cents=0, turn_token_limit=1)
    assert (await plans.limit_user(anna.user_id, low, ROOT)).own == low
    assert (await plans.limit_account(anna.account_id, low, ROOT)).limits == low
    for wrong in (SpendingLimits(turn_token_limit=0), SpendingLimits(monthly_cost_limit_cents=-1)):
        with pytest.raises(InvalidPlan):
            await plans.limit_user(anna.user_id, wrong, ROOT)
        with pytest.raises(InvalidPlan):
            await plans.limit_account(anna.account_id, wrong, ROOT)
    assert (await plans.account_spending(anna.account_id)).limits == low


async def test_a_forecast_changes_nothing_and_counts_those_whom_the_plan_binds() -> None:
    plans, callers = administration(FEW, FEW, Plan(name="other", display_name="Other"))
    foreseen = await plans.foresee_change("few", {"chat_sessions_limit": 0})
    assert foreseen.users == 2
    assert (await plans.plan("few")).chat_sessions_limit == 2
    one = await plans.foresee_plan(callers[2].user_id, "few")
    assert one.users == 1
    assert (await plans.usage(callers[2].user_id)).plan.name == "other"
    assert await plans.changes() == []


async def test_users_are_listed_in_pages() -> None:
    plans, callers = administration(FEW, FEW, FEW)
    assert [one.user_id for one in await plans.usages()] == [caller.user_id for caller in callers]
    assert [one.user_id for one in await plans.usages(limit=1, offset=1)] == [callers[1].user_id]
