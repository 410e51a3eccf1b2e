"""The in-memory plans of tests refuse what PostgreSQL's refuse."""

import pytest

from limits.errors import UnknownPlan
from tests.plugins.worlds import memory_world


async def test_a_plan_is_found_by_its_name_or_is_unknown() -> None:
    plans = memory_world().plans
    every = await plans.plans()
    assert [plan.name for plan in every] == sorted(plan.name for plan in every)
    assert (await plans.plan("free")).name == "free"
    with pytest.raises(UnknownPlan, match=r"There is no plan golden\."):
        await plans.plan("golden")
