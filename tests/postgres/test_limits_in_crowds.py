"""Thousands at once over four processes: every ceiling is met exactly and given back exactly."""

import pytest

from limits.plans import Plan
from tests.plugins.postgres import FreshDatabase
from tests.soak.crowds import LIFETIME, LIMIT, MONTHLY, many_users, one_user

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


@pytest.mark.parametrize("plan", [LIFETIME, MONTHLY], ids=lambda plan: plan.name)
def test_of_2000_first_prompts_at_once_exactly_five_are_accepted_and_given_back(
    database: FreshDatabase, plan: Plan
) -> None:
    seen = one_user(database, plan, 2000)
    assert (seen.asked, seen.accepted, seen.counters) == (2000, LIMIT, {LIMIT})
    assert (seen.given_back, seen.counters_after) == (LIMIT, {0})


def test_500_users_at_once_each_get_exactly_their_five_and_get_them_back(database: FreshDatabase) -> None:
    seen = many_users(database, LIFETIME, 500)
    assert (seen.asked, seen.accepted, seen.counters) == (4000, 500 * LIMIT, {LIMIT})
    assert (seen.given_back, seen.counters_after) == (500 * LIMIT, {0})
