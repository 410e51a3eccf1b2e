"""What a month of language models may cost: the same over PostgreSQL and its twin."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from limits.administration import Author
from limits.errors import UnknownAccount
from limits.plans import OverBudget, Plan
from limits.refusals import LimitType, refusal_text
from limits.spending import SpendingLimits, notice_text
from limits.usage import meters
from server.errors import LimitExceeded
from server.ports.conversations import TurnStatus
from server.ports.identity import Caller
from server.ports.invocations import CallCost, Invocation, Outcome, Purpose, invocation_id_of
from tests.plugins.worlds import Talk, World, new_uuid

BOUND = CallCost(Decimal("0.40"), 1_000)


def a_plan(**limits: object) -> Plan:
    name = f"p{new_uuid()[:8]}"
    return Plan(name=name, display_name=name, **limits)  # type: ignore[arg-type]


def a_call(caller: Caller, turn_id: str, number: int = 1) -> Invocation:
    return Invocation(
        invocation_id=invocation_id_of(turn_id, 1, number, 1),
        account_id=caller.account_id,
        user_id=caller.user_id,
        session_id=None,
        turn_id=turn_id,
        attempt=1,
        call_number=number,
        try_number=1,
        purpose=Purpose.ANSWER,
        executor="in_process",
        model_asked="m",
        started_at=datetime.now(UTC),
        graph_run_id=new_uuid(),
        graph_name="flamechat",
        graph_version="1",
    )


def ended(row: Invocation, cost: str | None, tokens: int | None = 100) -> Invocation:
    return replace(
        row,
        input_tokens=tokens,
        output_tokens=None if tokens is None else 0,
        cost_usd=None if cost is None else Decimal(cost),
        outcome=Outcome.OK,
        error_code=None,
        ended_at=datetime.now(UTC),
    )


async def spent(world: World, caller: Caller) -> tuple[int, int]:
    usage = await world.plans.usage(caller.user_id)
    return usage.spent_cents, usage.spent_tokens


async def test_a_prompt_is_refused_once_the_month_is_spent_and_says_when_it_renews(world: World) -> None:
    caller = await world.user(a_plan(monthly_cost_limit_cents=100))
    talk = await Talk.begin(world, caller)
    for cost in ("0.60", "0.45"):
        turn_id = new_uuid()
        assert (await talk.ask(turn_id, bound=BOUND)).allowed
        row = a_call(caller, turn_id)
        await world.invocations.begin(row, BOUND)
        await world.invocations.record(ended(row, cost))
        await talk.end(turn_id, TurnStatus.COMPLETED, "because")
    refused = await talk.ask(new_uuid(), bound=BOUND)
    assert not refused.allowed
    assert (refused.limit_type, refused.used, refused.limit) == (LimitType.MONTHLY_COST, 105, 100)
    assert refused.resets_at == (await world.plans.usage(caller.user_id)).period_end
    assert "1.00 USD" in refusal_text(refused)
    assert await spent(world, caller) == (105, 200)
    assert (await talk.ask(new_uuid())).allowed, "the built-in analyst costs nothing"


async def test_what_is_reserved_counts_until_the_turn_ends(world: World) -> None:
    caller = await world.user(a_plan(monthly_cost_limit_cents=100))
    talks = [await Talk.begin(world, caller) for _ in range(4)]
    turns = [new_uuid() for _ in talks]
    allowed = [
        (await talk.ask(turn, bound=BOUND)).allowed for talk, turn in zip(talks, turns, strict=True)
    ]  # 0.40 each
    assert allowed == [True, True, True, False]
    await talks[0].end(turns[0], TurnStatus.COMPLETED, "an answer without a call")
    assert (await talks[3].ask(new_uuid(), bound=BOUND)).allowed
    assert await spent(world, caller) == (0, 0)


async def test_the_same_turn_asked_for_again_holds_once(world: World) -> None:
    caller = await world.user(a_plan(monthly_cost_limit_cents=50))
    talk, turn_id = await Talk.begin(world, caller), new_uuid()
    for _ in range(3):
        assert (await talk.ask(turn_id, bound=BOUND)).allowed
    other = await Talk.begin(world, caller)
    assert (await other.ask(new_uuid(), bound=BOUND)).allowed, "one of 0.40 USD is reserved, and not three"


async def test_a_call_beyond_the_budget_is_not_sent_and_leaves_no_row(world: World) -> None:
    caller = await world.user(a_plan(monthly_token_limit=1_500))
    turn_id = new_uuid()
    first, second = a_call(caller, turn_id), a_call(caller, turn_id, 2)
    await world.invocations.begin(first, BOUND)
    await world.invocations.record(ended(first, None, 1_499))
    await world.invocations.begin(second, BOUND)
    await world.invocations.record(ended(second, None, 800))
    third = a_call(caller, turn_id, 3)
    with pytest.raises(LimitExceeded) as refused:
        await world.invocations.begin(third, BOUND)
    decision = refused.value.decision
    assert (decision.limit_type, decision.used, decision.limit) == (LimitType.MONTHLY_TOKENS, 2_299, 1_500)
    assert [row.call_number for row in await world.invocations.of_turn(caller, turn_id)] == [1, 2]


async def test_a_call_counts_as_what_its_provider_says_else_as_an_estimate_and_a_refused_one_as_nothing(
    world: World,
) -> None:
    caller = await world.user(a_plan(monthly_cost_limit_cents=1_000))
    turn_id = new_uuid()
    said, broken, refused = (a_call(caller, turn_id, number) for number in (1, 2, 3))
    for row in (said, broken, refused):
        await world.invocations.begin(row, BOUND)
        await world.invocations.begin(row, BOUND)
    await world.invocations.record(ended(said, "0.01"), estimate=CallCost(Decimal(7), 7))
    await world.invocations.record(ended(said, "0.01"), estimate=CallCost(Decimal(7), 7))
    await world.invocations.record(ended(broken, None, None), estimate=CallCost(Decimal("0.10"), 50))
    await world.invocations.record(ended(refused, None, None))
    assert await spent(world, caller) == (11, 150)


async def test_a_call_of_a_dead_server_counts_as_its_bound_when_its_turn_ends_until_more_is_known(
    world: World,
) -> None:
    caller = await world.user(a_plan(monthly_cost_limit_cents=1_000))
    talk, turn_id = await Talk.begin(world, caller), new_uuid()
    assert (await talk.ask(turn_id, bound=BOUND)).allowed
    row = a_call(caller, turn_id)
    await world.invocations.begin(row, BOUND)
    assert await spent(world, caller) == (0, 0)
    await talk.end(turn_id, TurnStatus.FAILED)
    assert await spent(world, caller) == (40, 1_000)
    await world.invocations.record(ended(row, "0.02"))
    assert await spent(world, caller) == (2, 100)


async def test_four_fifths_and_the_end_of_a_budget_are_each_noted_once(world: World) -> None:
    caller = await world.user(a_plan(monthly_cost_limit_cents=100, monthly_token_limit=1_000_000))
    noted = []
    for number, cost in enumerate(("0.50", "0.30", "0.05", "0.10", "0.05"), 1):
        row = a_call(caller, new_uuid(), number)
        await world.invocations.begin(row, CallCost(Decimal("0.01"), 10))
        noted.append(await world.invocations.record(ended(row, cost)))
    assert noted == [None, 80, None, None, 100]


async def test_where_the_analyst_answers_once_it_is_spent_prompts_are_accepted_and_calls_are_not(world: World) -> None:
    caller = await world.user(a_plan(monthly_cost_limit_cents=0, over_budget=OverBudget.BUILT_IN))
    talk, turn_id = await Talk.begin(world, caller), new_uuid()
    assert (await talk.ask(turn_id, bound=BOUND)).allowed
    with pytest.raises(LimitExceeded):
        await world.invocations.begin(a_call(caller, turn_id), BOUND)


async def test_a_reset_begins_the_month_anew(world: World) -> None:
    caller = await world.user(a_plan(monthly_cost_limit_cents=10))
    row = a_call(caller, new_uuid())
    await world.invocations.begin(row, BOUND)
    await world.invocations.record(ended(row, "0.40"))
    assert await spent(world, caller) == (40, 100)
    await world.plans.reset_usage(caller.user_id, Author(user_id=caller.user_id))
    assert await spent(world, caller) == (0, 0)
    await world.invocations.begin(a_call(caller, new_uuid()), BOUND)


async def spend(world: World, caller: Caller, cost: str, tokens: int = 100) -> int | None:
    """One call that came to so much; the share that was reached by it. Raises LimitExceeded."""
    row = a_call(caller, new_uuid())
    await world.invocations.begin(row, CallCost(Decimal("0.01"), 10))
    return await world.invocations.record(ended(row, cost, tokens))


ROOT = Author(user_id=new_uuid(), reason="a trial")


async def test_a_person_may_have_a_budget_below_that_of_the_plan_and_none_above_it(world: World) -> None:
    caller = await world.user(a_plan(monthly_cost_limit_cents=100))
    usage = await world.plans.limit_user(caller.user_id, SpendingLimits(monthly_cost_limit_cents=30), ROOT)
    assert usage.own == SpendingLimits(monthly_cost_limit_cents=30)
    assert [one.limit for one in meters(usage) if one.limit_type is LimitType.MONTHLY_COST] == [30]
    await spend(world, caller, "0.30")
    talk = await Talk.begin(world, caller)
    refused = await talk.ask(new_uuid(), bound=BOUND)
    assert (refused.allowed, refused.limit_type, refused.used, refused.limit) == (False, LimitType.MONTHLY_COST, 30, 30)
    assert not refused.of_account
    await world.plans.limit_user(caller.user_id, SpendingLimits(monthly_cost_limit_cents=500), ROOT)
    assert (await talk.ask(new_uuid(), bound=BOUND)).allowed
    await talk.end((await talk.world.conversations.unended_turns())[-1].turn_id)
    await spend(world, caller, "0.70")
    assert (await talk.ask(new_uuid(), bound=BOUND)).limit == 100, "the plan's is the smaller one now"
    assert (await world.plans.changes(limit=1))[0].action == "limit_user"


async def test_the_members_of_an_account_share_its_budget_and_keep_their_own(world: World) -> None:
    anna = await world.user(a_plan())
    ben = await world.member(anna)
    await world.plans.limit_account(anna.account_id, SpendingLimits(monthly_token_limit=1_000), ROOT)
    await spend(world, anna, "0.10", 600)
    await spend(world, ben, "0.10", 390)
    spending = await world.plans.account_spending(anna.account_id)
    assert (spending.spent_cents, spending.spent_tokens, spending.limits.monthly_token_limit) == (20, 990, 1_000)
    await spend(world, ben, "0.10", 300)
    for caller in (anna, ben):
        with pytest.raises(LimitExceeded, match="1,000 tokens of this month on this account") as refused:
            await spend(world, caller, "0.01")
        assert refused.value.decision.of_account
    with pytest.raises(UnknownAccount):
        await world.plans.limit_account(new_uuid(), SpendingLimits(), ROOT)
    elsewhere = await world.user(a_plan())
    assert await spend(world, elsewhere, "0.01") is None


async def test_what_is_reserved_in_an_account_counts_for_all_of_its_members(world: World) -> None:
    anna = await world.user(a_plan())
    ben = await world.member(anna)
    await world.plans.limit_account(anna.account_id, SpendingLimits(monthly_cost_limit_cents=40), ROOT)
    talk, turn_id = await Talk.begin(world, anna), new_uuid()
    assert (await talk.ask(turn_id, bound=BOUND)).allowed
    with pytest.raises(LimitExceeded):
        await spend(world, ben, "0.01")
    await talk.end(turn_id)
    assert await spend(world, ben, "0.01") is None


async def test_notices_say_once_whose_budget_is_reached_and_by_how_much(world: World) -> None:
    anna = await world.user(a_plan(monthly_cost_limit_cents=100))
    await world.plans.limit_account(anna.account_id, SpendingLimits(monthly_token_limit=1_000), ROOT)
    assert [await spend(world, anna, cost, 270) for cost in ("0.50", "0.31", "0.01", "0.20")] == [None, 80, 80, 100]
    found = [one for one in await world.plans.budget_notices() if one.user_id == anna.user_id][::-1]
    assert {one.account_id for one in found} == {anna.account_id, None}
    assert sorted((one.limit_type, one.percent, one.used, one.limit) for one in found if one.account_id) == [
        (LimitType.MONTHLY_TOKENS, 80, 810, 1_000),
        (LimitType.MONTHLY_TOKENS, 100, 1_080, 1_000),
    ]
    assert sorted((one.limit_type, one.percent, one.used, one.limit) for one in found if not one.account_id) == [
        (LimitType.MONTHLY_COST, 80, 81, 100),
        (LimitType.MONTHLY_COST, 100, 102, 100),
    ]
    assert all("budget for language models" in notice_text(one) for one in found)


async def test_a_reset_informs_anew(world: World) -> None:
    caller = await world.user(a_plan(monthly_cost_limit_cents=100))
    assert await spend(world, caller, "0.85") == 80
    await world.plans.reset_usage(caller.user_id, ROOT)
    assert await spend(world, caller, "0.85") == 80
