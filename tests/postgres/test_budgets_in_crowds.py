"""Five hundred prompts at once, over two processes, against a budget of one dollar."""

import asyncio
import sys
from dataclasses import replace
from decimal import Decimal

import psycopg
import pytest

from limits.administration import Author
from limits.plans import Plan
from limits.refusals import LimitType
from limits.spending import SpendingLimits
from server.adapters.postgres.conversations import PostgresConversations
from server.adapters.postgres.invocations import PostgresInvocations
from server.adapters.postgres.pool import Database
from server.errors import LimitExceeded
from server.ports.conversations import TurnEnding, TurnRequest, TurnStatus
from server.ports.identity import Caller
from server.ports.invocations import CallCost
from tests.contracts.test_budgets_contract import a_call, ended
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import new_uuid
from tests.plugins.worlds_on_postgres import postgres_world

PROMPTS, AT_ONCE = 250, 16
BOUND = CallCost(Decimal("0.03"), 1_000)
COST = Decimal("0.013370000001")


async def ask_all(dsn: str, caller: Caller, trace_id: str) -> dict[str, int]:
    """What came of the prompts of one process: refused, stopped before a call, answered by two calls."""
    outcomes = {"refused": 0, "stopped": 0, "answered": 0}
    async with Database(dsn) as database:
        conversations, invocations = PostgresConversations(database), PostgresInvocations(database)
        places = asyncio.Semaphore(AT_ONCE)

        async def ask() -> None:
            async with places:
                turn_id = new_uuid()
                request = TurnRequest(
                    caller=caller,
                    trace_id=trace_id,
                    session_id=new_uuid(),
                    turn_id=turn_id,
                    prompt="why?",
                    bound=BOUND,
                )
                decided = await conversations.reserve_turn(request)
                if not decided.allowed:
                    assert decided.limit_type is LimitType.MONTHLY_COST
                    outcomes["refused"] += 1
                    return
                status = TurnStatus.COMPLETED
                try:
                    for number in (1, 2):
                        row = a_call(caller, turn_id, number)
                        await invocations.begin(row, BOUND)
                        await invocations.record(ended(row, str(COST)))
                    outcomes["answered"] += 1
                except LimitExceeded:
                    status = TurnStatus.FAILED
                    outcomes["stopped"] += 1
                await conversations.end_turn(turn_id, TurnEnding(status=status, messages=()))

        await asyncio.gather(*(ask() for _ in range(PROMPTS)))
    return outcomes


@pytest.mark.long
async def test_five_hundred_prompts_at_once_never_spend_more_than_the_budget_and_one_call(
    crowded_database: FreshDatabase,
) -> None:
    async with Database(crowded_database.server) as database:
        world = postgres_world(crowded_database.owner, database)
        caller = await world.user(Plan(name="dollar", display_name="Dollar", monthly_cost_limit_cents=100))
        trace_id = await world.trace(caller)
        program = (
            "import asyncio, json, sys\n"
            "from server.ports.identity import Caller\n"
            "from tests.postgres.test_budgets_in_crowds import ask_all\n"
            "dsn, user, account, trace = sys.argv[1:]\n"
            "print(json.dumps(asyncio.run(ask_all(dsn, Caller(user_id=user, account_id=account), trace))))\n"
        )
        of_caller = (crowded_database.server, caller.user_id, caller.account_id, trace_id)
        other = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, *of_caller, stdout=asyncio.subprocess.PIPE
        )
        here, (printed, _) = await asyncio.gather(
            ask_all(crowded_database.server, caller, trace_id), asyncio.wait_for(other.communicate(), 240)
        )
        assert other.returncode == 0, printed
    with psycopg.connect(crowded_database.owner) as owner:
        rows = owner.execute(
            "select (select sum(cost_usd) from ai_invocation_summaries where user_id = %(u)s), "
            "(select sum(cost_usd) from charge_receipts where user_id = %(u)s and kind = 'settled'), "
            "spent_usd, reserved_usd, reserved_tokens from flamechat_private.budgets where user_id = %(u)s",
            {"u": caller.user_id},
        ).fetchall()
    [(by_calls, by_receipts, spent, reserved, reserved_tokens)] = rows
    assert by_calls == by_receipts == spent
    assert (reserved, reserved_tokens) == (0, 0)
    assert Decimal(1) - 2 * BOUND.cost_usd <= spent <= Decimal(1) + BOUND.cost_usd  # type: ignore[operator]
    assert here["answered"] > 0
    assert here["refused"] > 0


async def test_calls_of_one_person_at_once_wait_for_each_other_and_never_in_a_circle(
    crowded_database: FreshDatabase,
) -> None:
    async with Database(crowded_database.server, max_connections=12) as database:
        world = postgres_world(crowded_database.owner, database)
        plan = Plan(name="rich", display_name="Rich", monthly_cost_limit_cents=1_000_000)
        callers = [await world.user(plan)]
        callers.append(await world.member(callers[0]))
        limits = SpendingLimits(monthly_token_limit=1_000_000)
        await world.plans.limit_account(callers[0].account_id, limits, Author(user_id=callers[0].user_id))

        async def calls(number: int) -> None:
            row = replace(a_call(callers[number % 2], new_uuid()), model_asked=f"m{number % 11}")
            await world.invocations.begin(row, BOUND)
            await world.invocations.record(ended(row, str(COST)))

        await asyncio.gather(*(calls(number) for number in range(60)))
        spending = await world.plans.account_spending(callers[0].account_id)
    assert spending.spent_tokens == 60 * 100
