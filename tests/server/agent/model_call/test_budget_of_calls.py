"""What a turn does when its person's month of language models is spent."""

from dataclasses import replace
from decimal import Decimal

import pytest

from limits.plans import Plan
from server.adapters.in_process.clock import SystemClock
from server.agent.model_call.call_ledger import CallLedger
from server.agent.model_call.chat_model import Price
from server.agent.model_call.offered_models import ANALYST
from server.errors import ModelFailed
from server.ports.invocations import CallCost
from server.testing.account_state import MemoryAccounts
from server.testing.invocations import MemoryInvocations
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint
from tests.server.agent.model_call.test_call_ledger import ANSWER, LOOKING, models
from tests.server.agent.turns import Stage, stage


def on_budget(endpoint: Endpoint, cents: int, fallbacks: tuple[str, ...] = ()) -> Stage:
    """A turn of a person whose plan pays for so many cents; the model costs a cent for ten of its tokens."""
    accounts = MemoryAccounts(SystemClock())
    ledger = CallLedger(invocations=MemoryInvocations(accounts), clock=SystemClock(), graph_version="1")
    price = Price(input=1000.0, output=1000.0, version="p")
    scene = stage(models(endpoint.base_url, fallbacks=fallbacks, prices={"fake": price}), ledger=ledger)
    accounts.add(scene.turn.caller, Plan(name="small", display_name="Small", monthly_cost_limit_cents=cents))
    return scene


async def test_the_analyst_takes_over_when_the_budget_is_spent_in_the_middle_and_says_so() -> None:
    async with openai_endpoint(LOOKING, ANSWER) as endpoint:
        scene = on_budget(endpoint, 5, fallbacks=(ANALYST,))
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert len(endpoint.requests) == 1, "the second call is not sent"
    assert "budget for language models is used up" in answer.text
    assert str(answer.usage.model).startswith("Built-in analyst")
    assert "0.05 USD" in answer.notes["model_fallback"]


async def test_where_the_plan_says_so_the_analyst_answers_without_being_a_fallback() -> None:
    async with openai_endpoint(ANSWER) as endpoint:
        scene = on_budget(endpoint, 0)
        answer = await scene.agent.answer(replace(scene.turn, analyst_over_budget=True), scene.sink)
    assert endpoint.requests == []
    assert "budget for language models is used up" in answer.text
    assert str(answer.usage.model).startswith("Built-in analyst")


async def test_the_plans_analyst_takes_over_for_no_other_failure() -> None:
    async with openai_endpoint(Reply(status=500), Reply(status=500), Reply(status=500), Reply(status=500)) as endpoint:
        scene = on_budget(endpoint, 100)
        with pytest.raises(ModelFailed) as failed:
            await scene.agent.answer(replace(scene.turn, analyst_over_budget=True), scene.sink)
    assert failed.value.code != "over_budget"


async def test_where_the_analyst_may_not_take_over_the_turn_fails_and_says_which_limit() -> None:
    async with openai_endpoint(ANSWER) as endpoint:
        scene = on_budget(endpoint, 0)
        with pytest.raises(ModelFailed, match=r"0\.00 USD") as failed:
            await scene.agent.answer(scene.turn, scene.sink)
    assert (failed.value.code, failed.value.retryable) == ("over_budget", False)
    assert endpoint.requests == []


async def test_a_call_reserves_its_prompt_and_the_longest_reply() -> None:
    bounds: list[CallCost] = []

    class Seen(MemoryInvocations):
        async def begin(self, invocation: object, bound: CallCost) -> None:
            bounds.append(bound)

    async with openai_endpoint(ANSWER) as endpoint:
        ledger = CallLedger(invocations=Seen(), clock=SystemClock(), graph_version="1")
        price = Price(input=1.0, output=2.0, version="p")
        scene = stage(models(endpoint.base_url, answer_tokens=700, prices={"fake": price}), ledger=ledger)
        await scene.agent.answer(scene.turn, scene.sink)
    [bound] = bounds
    sent = bound.tokens - 700
    assert sent > 3_000, "prompt, summary and tools"
    assert bound.cost_usd == Decimal(sent + 2 * 700) / 1_000_000


async def test_who_has_used_four_fifths_reads_it_with_the_answer() -> None:
    async with openai_endpoint(Reply(text=ANSWER.text)) as endpoint:
        scene = on_budget(endpoint, 14)  # a reply of the endpoint is 120 tokens: 12 cents
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.notes == {"budget": "80 % of this month's budget for language models are used."}


async def test_a_turn_that_has_used_its_tokens_answers_without_more_tools() -> None:
    async with openai_endpoint(LOOKING, ANSWER) as endpoint:
        scene = on_budget(endpoint, 10_000)
        await scene.agent.answer(replace(scene.turn, token_limit=100), scene.sink)
    first, second = endpoint.requests
    assert "tools" in first
    assert "tools" not in second
