"""How turns went: the same over PostgreSQL and its twin."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from server.ports.conversations import NewMessage, Sender, TurnEnding, TurnStatus
from server.ports.evaluations import Evaluated
from server.ports.identity import Caller
from server.ports.invocations import CallCost
from tests.contracts.test_budgets_contract import a_call, ended
from tests.plugins.worlds import Talk, World, new_uuid

CHECKS = [{"status": "verified"}, {"status": "derived"}, {"status": "contradicted"}]
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def tool(name: str, status: str | None) -> NewMessage:
    sender = Sender.TOOL_ERROR if status is None else Sender.TOOL_RESULT
    return NewMessage(message_id=new_uuid(), sender=sender, text="", tool_name=name, tool_status=status)


async def one_turn(world: World, caller: Caller, *, model: str = "m", calls: int = 0) -> tuple[Talk, str]:
    """A turn with three tools and an answer of three claims, and the answer's id."""
    talk, turn_id, answer_id = await Talk.begin(world, caller), new_uuid(), new_uuid()
    assert (await talk.ask(turn_id, "why?")).allowed
    for number in range(1, calls + 1):
        row = replace(a_call(caller, turn_id, number), started_at=datetime.now(UTC), model_asked=model)
        await world.invocations.begin(row, CallCost(None, 1))
        await world.invocations.record(replace(ended(row, "0.25"), first_token_ms=1_000.0, output_tokens=7))
    usage = {"inputTokens": 11, "outputTokens": 5, "cost": 0.0}
    answer = NewMessage(
        message_id=answer_id, sender=Sender.MODEL, text="so", metadata={"usage": usage, "checks": CHECKS}
    )
    tools = (tool("search_memory", "success"), tool("search_web", "success_with_warning"), tool("get_call_tree", None))
    ending = TurnEnding(
        status=TurnStatus.COMPLETED, messages=(*tools, answer), model=model, input_tokens=11, output_tokens=5
    )
    await world.conversations.end_turn(turn_id, ending)
    return talk, answer_id


async def evaluated(world: World, caller: Caller, *, everybody: bool = False, limit: int = 20) -> Evaluated:
    return await world.evaluations.evaluated(caller, since=LONG_AGO, limit=limit, everybody=everybody)


async def test_a_turn_has_its_tools_searches_tokens_checks_and_what_was_thought_of_it(world: World) -> None:
    caller = await world.user()
    talk, answer_id = await one_turn(world, caller, calls=2)
    await world.conversations.rate_message(caller, answer_id, score=1, reason=None)
    found = await evaluated(world, caller)
    (turn,) = found.recent
    assert (turn.session_id, turn.trace_id, turn.question, turn.completed) == (
        talk.session_id,
        talk.trace_id,
        "why?",
        True,
    )
    assert [(one.name, one.status) for one in turn.tools] == [
        ("search_memory", "success"),
        ("search_web", "success_with_warning"),
        ("get_call_tree", None),
    ]
    assert (turn.tool_calls, turn.searches, turn.rag_hits, turn.model_calls) == (3, 2, 1, 2)
    assert (turn.input_tokens, turn.output_tokens, turn.cost, turn.feedback) == (200, 14, 0.5, 1)
    assert turn.checks == {"verified": 1, "derived": 1, "contradicted": 1}
    assert turn.first_token_ms is not None
    assert turn.latency_ms >= 0
    (totals,) = found.totals
    assert (totals.model, totals.turns, totals.completed, totals.tool_calls, totals.searches) == ("m", 1, 1, 3, 2)
    assert (totals.claims, totals.verified_claims, totals.thumbs_up, totals.thumbs_down) == (3, 2, 1, 0)
    assert (totals.input_tokens, totals.output_tokens, totals.cost) == (200, 14, 0.5)
    assert totals.p50_latency_ms == totals.p95_latency_ms
    assert abs((totals.p50_latency_ms or 0) - turn.latency_ms) < 1e-6
    assert totals.day == turn.asked_at.date().isoformat()


async def test_an_answer_without_a_model_call_has_what_it_reports_of_itself(world: World) -> None:
    caller = await world.user()
    await one_turn(world, caller, model="Built-in analyst")
    (turn,) = (await evaluated(world, caller)).recent
    assert (turn.model_calls, turn.input_tokens, turn.output_tokens, turn.cost) == (0, 11, 5, 0.0)
    assert turn.first_token_ms is None


async def test_everybody_sees_their_own_and_an_administrator_all(world: World) -> None:
    anna, ben = await world.user(), await world.user()
    for caller, model in ((anna, "a"), (ben, "b"), (anna, "a"), (anna, "c")):
        await one_turn(world, caller, model=model)
    mine = await evaluated(world, anna)
    assert [one.model for one in mine.recent] == ["c", "a", "a"]
    assert [(one.model, one.turns) for one in mine.totals] == [("a", 2), ("c", 1)]
    assert len((await evaluated(world, anna, limit=1)).recent) == 1
    elsewhere = Caller(user_id=anna.user_id, account_id=ben.account_id)
    assert (await evaluated(world, elsewhere)).recent == []
    everybody = await evaluated(world, await world.user(), everybody=True, limit=100)
    assert {"a", "b", "c"} <= {one.model for one in everybody.recent}
    later = await world.evaluations.evaluated(anna, since=datetime.now(UTC) + timedelta(hours=1), limit=9)
    assert (list(later.recent), list(later.totals)) == ([], [])


async def test_a_turn_that_failed_or_runs_is_no_completed_one(world: World) -> None:
    caller = await world.user()
    talk = await Talk.begin(world, caller)
    failed = new_uuid()
    await talk.ask(failed)
    await talk.end(failed, TurnStatus.FAILED)
    await talk.ask(new_uuid())
    found = await evaluated(world, caller)
    assert [one.completed for one in found.recent] == [False]
    assert [(one.turns, one.completed, one.p50_latency_ms, one.cost) for one in found.totals] == [(1, 0, None, None)]
