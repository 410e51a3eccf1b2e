"""What every adapter of Invocations does."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from server.errors import NotFound
from server.ports.identity import Caller
from server.ports.invocations import (
    UNFINISHED,
    Invocation,
    InvocationCursor,
    InvocationFilter,
    Outcome,
    Purpose,
    Spend,
    SpendBy,
    invocation_id_of,
)
from tests.plugins.worlds import World, new_uuid

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


def a_call(
    caller: Caller, *, turn_id: str | None = None, attempt: int = 1, number: int = 1, tried: int = 1
) -> Invocation:
    """As it is written before its request is sent."""
    turn_id = turn_id or new_uuid()
    return Invocation(
        invocation_id=invocation_id_of(turn_id, attempt, number, tried),
        account_id=caller.account_id,
        user_id=caller.user_id,
        session_id=new_uuid(),
        turn_id=turn_id,
        attempt=attempt,
        call_number=number,
        try_number=tried,
        purpose=Purpose.ANSWER,
        executor="in_process",
        model_asked=f"m-{turn_id}",
        started_at=NOON,
        graph_run_id=new_uuid(),
        graph_name="flamechat",
        graph_version="1",
    )


def answered(row: Invocation, *, cost: str | None = "0.0012") -> Invocation:
    return replace(
        row,
        model_answered="m-2026",
        provider_request_id="c1",
        input_tokens=100,
        cached_input_tokens=40,
        output_tokens=20,
        reasoning_tokens=5,
        tool_calls=2,
        cost_usd=None if cost is None else Decimal(cost),
        price_version=None if cost is None else "p1",
        first_token_ms=12.5,
        duration_ms=80.25,
        outcome=Outcome.OK,
        error_code=None,
        ended_at=NOON + timedelta(seconds=1),
    )


async def sums_of(world: World, key: str, by: SpendBy = SpendBy.MODEL) -> Spend | None:
    return next((one for one in await world.invocations.spend(by) if one.key == key), None)


async def test_a_call_is_kept_before_it_is_answered_and_its_answer_takes_the_same_row(world: World) -> None:
    caller = await world.user()
    row = a_call(caller)
    assert row.turn_id is not None
    await world.invocations.record(row)
    assert (row.outcome, row.error_code, row.ended_at) == (Outcome.BROKEN, UNFINISHED, None)
    assert await world.invocations.of_turn(caller, row.turn_id) == [row]
    for _ in range(2):  # and whoever writes it twice has written it once
        await world.invocations.record(answered(row))
        assert await world.invocations.of_turn(caller, row.turn_id) == [answered(row)]
    found = await sums_of(world, row.model_asked)
    assert found == Spend(
        key=row.model_asked,
        calls=1,
        failed_calls=0,
        unpriced_calls=0,
        input_tokens=100,
        cached_input_tokens=40,
        output_tokens=20,
        reasoning_tokens=5,
        cost_usd=Decimal("0.0012"),
    )


async def test_the_calls_of_a_turn_are_the_callers_own_in_their_order(world: World) -> None:
    caller, other = await world.user(), await world.user()
    turn_id = new_uuid()
    rows = [
        a_call(caller, turn_id=turn_id, attempt=a, number=n, tried=t) for a, n, t in ((2, 1, 1), (1, 2, 2), (1, 2, 1))
    ]
    for row in rows:
        await world.invocations.record(row)
    assert await world.invocations.of_turn(caller, turn_id) == rows[::-1]
    assert await world.invocations.of_turn(other, turn_id) == []
    assert await world.invocations.of_turn(caller, new_uuid()) == []
    with pytest.raises(NotFound):
        await world.invocations.of_turn(caller, "no id")


async def test_pages_go_back_in_time_and_lose_and_repeat_nothing_while_calls_come(world: World) -> None:
    caller = await world.user()
    rows = [replace(a_call(caller), started_at=NOON + timedelta(seconds=n // 2)) for n in range(5)]
    for row in rows:
        await world.invocations.record(row)
    chosen, found, after = InvocationFilter(account_id=caller.account_id), list[Invocation](), None
    for expected in (2, 2, 1, 0):
        page = await world.invocations.page(chosen, limit=2, after=after)
        assert len(page) == expected
        found += page
        if page:
            after = InvocationCursor(page[-1].started_at, page[-1].invocation_id)
            await world.invocations.record(replace(a_call(caller), started_at=NOON + timedelta(hours=1)))
    assert sorted(found, key=lambda row: (row.started_at, row.invocation_id), reverse=True) == found
    assert {row.invocation_id for row in found} == {row.invocation_id for row in rows}


async def test_what_is_asked_for_is_what_comes(world: World) -> None:
    caller = await world.user()
    plain = a_call(caller)
    title = replace(answered(a_call(caller)), purpose=Purpose.TITLE, started_at=NOON + timedelta(days=1))
    for row in (plain, title):
        await world.invocations.record(row)
    mine = InvocationFilter(account_id=caller.account_id)
    for chosen, expected in (
        (mine, [title, plain]),
        (replace(mine, since=title.started_at), [title]),
        (replace(mine, until=title.started_at), [plain]),
        (replace(mine, user_id=new_uuid()), []),
        (replace(mine, session_id=plain.session_id), [plain]),
        (replace(mine, turn_id=title.turn_id), [title]),
        (replace(mine, model=plain.model_asked), [plain]),
        (replace(mine, purpose=Purpose.TITLE), [title]),
        (replace(mine, outcome=Outcome.OK), [title]),
    ):
        assert await world.invocations.page(chosen, limit=9) == expected, chosen
    with pytest.raises(NotFound):
        await world.invocations.page(InvocationFilter(user_id="x"), limit=9)


async def test_what_has_no_known_cost_is_counted_and_not_guessed(world: World) -> None:
    caller = await world.user()
    unknown, known = a_call(caller), a_call(caller)
    known = replace(known, model_asked=unknown.model_asked)
    await world.invocations.record(answered(unknown, cost=None))
    alone = await sums_of(world, caller.user_id, SpendBy.USER)
    assert alone is not None
    assert (alone.calls, alone.unpriced_calls, alone.cost_usd, alone.input_tokens) == (1, 1, None, 100)
    await world.invocations.record(answered(known, cost="0.5"))
    both = await sums_of(world, caller.account_id, SpendBy.ACCOUNT)
    assert both is not None
    assert (both.calls, both.unpriced_calls, both.cost_usd, both.input_tokens) == (2, 1, Decimal("0.5"), 200)


async def test_a_report_is_of_complete_days_and_has_the_dearest_first(world: World) -> None:
    caller = await world.user()
    year = timedelta(days=9 * 365)  # days that no other test has calls in
    for days, cost in ((0, "1"), (1, "3"), (1, "0.25"), (2, "2")):
        row = replace(a_call(caller), started_at=NOON + year + timedelta(days=days, hours=11, minutes=59))
        await world.invocations.record(answered(row, cost=cost))
    first = NOON + year
    by_day = await world.invocations.spend(SpendBy.DAY, since=first)
    assert [(one.key, one.cost_usd) for one in by_day] == [
        (f"{first:%Y-%m-%d}", Decimal(1)),
        (f"{first + timedelta(days=1):%Y-%m-%d}", Decimal("3.25")),
        (f"{first + timedelta(days=2):%Y-%m-%d}", Decimal(2)),
    ]
    one_day = await world.invocations.spend(
        SpendBy.MODEL, since=first + timedelta(days=1), until=first + timedelta(days=1)
    )
    assert [one.cost_usd for one in one_day] == [Decimal(3), Decimal("0.25")]
    (all_of_it,) = await world.invocations.spend(SpendBy.PURPOSE, since=first)
    assert (all_of_it.key, all_of_it.calls, all_of_it.cost_usd) == ("answer", 4, Decimal("6.25"))
