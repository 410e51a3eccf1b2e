"""The rows of model calls against the log of the endpoint that was asked."""

import asyncio
from dataclasses import dataclass, field
from decimal import Decimal

import pytest

from server.adapters.in_process.clock import SystemClock
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.patience import Patience
from server.agent.bounds import AgentBounds
from server.agent.model_call.call_ledger import GRAPH_NAME, CallLedger
from server.agent.model_call.chat_model import Price
from server.errors import DatabaseUnavailable, ModelFailed
from server.ports.executor import run_id_of
from server.ports.invocations import UNFINISHED, CallCost, Invocation, Outcome
from server.testing.invocations import MemoryInvocations
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint
from tests.server.agent.turns import Stage, stage

LOOKING = Reply(text="Let me look.", calls=(("get_top_functions", "{}"), ("list_profiles", "{}")))
ANSWER = Reply(text="`parse_json` dominates.")
BUSY = Reply(status=429, headers={"retry-after": "0"})
PRICE = Price(input=1.0, cached_input=0.5, output=10.0, version="list-1")


def models(base_url: str, **choice: object) -> ChosenModels:
    values: dict[str, object] = {
        "base_url": base_url,
        "api_key": "k",
        "model": "fake",
        "prices": {"fake": PRICE},
        "patience": Patience(retries=2, longest_pause_s=0.0),
    }
    return ChosenModels(ModelChoice(**values | choice))  # type: ignore[arg-type]


@dataclass(slots=True)
class Kept(MemoryInvocations):
    """Rows in memory, and the order in which they were first written."""

    rows: dict[str, Invocation] = field(default_factory=dict)
    writes: int = 0
    fails: bool = False
    _accounts: None = None

    async def begin(self, invocation: Invocation, bound: CallCost) -> None:
        await self.record(invocation)

    async def record(self, invocation: Invocation, *, estimate: CallCost | None = None) -> None:
        if self.fails:
            raise DatabaseUnavailable("away")
        await MemoryInvocations.record(self, invocation)

    @property
    def calls(self) -> list[tuple[int, int, Outcome, str | None]]:
        return [(row.call_number, row.try_number, row.outcome, row.error_code) for row in self.rows.values()]


def on_stage(endpoint: Endpoint, kept: Kept, bounds: AgentBounds | None = None, **choice: object) -> Stage:
    ledger = CallLedger(invocations=kept, clock=SystemClock(), graph_version="9.9+abc")
    return stage(models(endpoint.base_url, **choice), ledger=ledger, bounds=bounds)


async def test_a_row_says_what_one_call_was_and_cost() -> None:
    kept = Kept()
    async with openai_endpoint(LOOKING, Reply(text=ANSWER.text, cached=60)) as endpoint:
        scene = on_stage(endpoint, kept)
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert len(endpoint.requests) == len(kept.rows) == 2
    first, second = kept.rows.values()
    assert kept.calls == [(1, 1, Outcome.OK, None), (2, 1, Outcome.OK, None)]
    assert (first.user_id, first.account_id) == (scene.turn.caller.user_id, scene.turn.caller.account_id)
    assert (first.turn_id, first.session_id, first.attempt) == ("turn-1", "session-1", 1)
    assert (first.model_asked, first.model_answered, first.provider_request_id) == ("fake", "fake", "c1")
    assert first.provider == endpoint.base_url.removeprefix("http://").removesuffix("/v1")
    assert (first.graph_run_id, first.graph_name, first.graph_version) == (
        run_id_of(scene.turn.turn_id, scene.turn.attempt),
        GRAPH_NAME,
        "9.9+abc",
    )
    assert first.prompt_version == answer.prompt_version
    assert (first.tool_calls, second.tool_calls) == (2, 0)
    assert first.tools_offered == len(endpoint.requests[0]["tools"])
    assert (second.input_tokens, second.cached_input_tokens, second.output_tokens) == (100, 60, 20)
    assert (first.cost_usd, second.cost_usd) == (Decimal("0.0003"), Decimal("0.00027"))
    assert (first.price_version, second.price_version) == ("list-1", "list-1")
    assert sum(row.cost_usd or 0 for row in kept.rows.values()) == Decimal(str(answer.usage.cost))
    assert first.ended_at is not None
    assert 0 < (first.first_token_ms or 0) <= (first.duration_ms or 0)


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        ((Reply(text="half an ans", fault="drop"), ANSWER), [(1, 1, "retry"), (1, 2, "ok")]),
        ((Reply(text="half an ans", fault="early_end"), ANSWER), [(1, 1, "retry"), (1, 2, "ok")]),
        ((Reply(text="half an ans", fault="junk"), ANSWER), [(1, 1, "retry"), (1, 2, "ok")]),
        ((BUSY, BUSY, ANSWER), [(1, 1, "retry"), (1, 2, "retry"), (1, 3, "ok")]),
        ((LOOKING, Reply(status=500), ANSWER), [(1, 1, "ok"), (2, 1, "retry"), (2, 2, "ok")]),
        ((Reply(refusal="No."),), [(1, 1, "refused")]),
        ((Reply(status=401),), [(1, 1, "refused")]),
        ((BUSY, BUSY, BUSY), [(1, 1, "retry"), (1, 2, "retry"), (1, 3, "refused")]),
        (tuple(Reply(text="half", fault="drop") for _ in range(2)), [(1, 1, "retry"), (1, 2, "broken")]),
    ],
)
async def test_each_request_that_the_provider_saw_is_one_row(
    replies: tuple[Reply, ...], expected: list[tuple[int, int, str]]
) -> None:
    kept = Kept()
    async with openai_endpoint(*replies) as endpoint:
        scene = on_stage(endpoint, kept)
        try:
            await scene.agent.answer(scene.turn, scene.sink)
        except ModelFailed:
            assert expected[-1][2] != "ok"
    assert [call[:3] for call in kept.calls] == expected
    assert len(endpoint.requests) == len(kept.rows) == len(expected)
    for row in kept.rows.values():
        assert (row.error_code is None) == (row.outcome is Outcome.OK)
        assert row.ended_at is not None
        reported = row.outcome is Outcome.OK or row.error_code == "model_refused"
        assert (row.input_tokens == 100) == reported, "a refusal costs, and a stream that broke reports nothing"


async def test_an_answer_that_breaks_off_is_found_at_its_provider_again() -> None:
    kept = Kept()
    async with openai_endpoint(Reply(text="half an ans", fault="drop"), ANSWER) as endpoint:
        scene = on_stage(endpoint, kept)
        await scene.agent.answer(scene.turn, scene.sink)
    assert [row.provider_request_id for row in kept.rows.values()] == ["c1", "c1"]


async def test_a_fallback_is_in_the_row_of_the_call_that_it_replaced_and_has_one_of_its_own() -> None:
    kept = Kept()
    async with openai_endpoint(Reply(status=503), Reply(status=503), Reply(status=503), ANSWER) as endpoint:
        scene = on_stage(endpoint, kept, fallbacks=("other",))
        await scene.agent.answer(scene.turn, scene.sink)
    rows = list(kept.rows.values())
    assert [(row.model_asked, row.outcome) for row in rows] == [
        ("fake", Outcome.RETRY),
        ("fake", Outcome.RETRY),
        ("fake", Outcome.FALLBACK),
        ("other", Outcome.OK),
    ]
    assert [request["model"] for request in endpoint.requests] == [row.model_asked for row in rows]
    assert (rows[-1].cost_usd, rows[-1].price_version) == (None, None), "no price is known, and none is guessed"
    assert rows[-1].input_tokens == 100


async def test_the_built_in_analyst_is_no_model_call_even_where_it_takes_over() -> None:
    kept = Kept()
    async with openai_endpoint(*[Reply(status=503)] * 3) as endpoint:
        scene = on_stage(endpoint, kept, fallbacks=("built-in",))
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert "built-in analyst" in answer.text
    assert {row.model_asked for row in kept.rows.values()} == {"fake"}
    assert [row.outcome for row in kept.rows.values()] == [Outcome.RETRY, Outcome.RETRY, Outcome.FALLBACK]
    alone = Kept()
    scene = stage(
        ChosenModels(ModelChoice()),
        ledger=CallLedger(invocations=alone, clock=SystemClock(), graph_version="1"),
    )
    await scene.agent.answer(scene.turn, scene.sink)
    assert not alone.rows


async def test_a_call_that_is_stopped_in_its_middle_is_cancelled_and_one_at_the_deadline_timed_out() -> None:
    kept, gate = Kept(), asyncio.Event()
    async with openai_endpoint(LOOKING, Reply(text="first words, then nothing", gate=gate)) as endpoint:
        scene = on_stage(endpoint, kept)
        running = asyncio.create_task(scene.agent.answer(scene.turn, scene.sink))
        async with asyncio.timeout(60):
            while not any(text.startswith("first wor") for text in scene.sink.text.values()):
                await asyncio.sleep(0)
        assert kept.calls[-1] == (2, 1, Outcome.BROKEN, UNFINISHED), "it is there while it runs"
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert kept.calls == [(1, 1, Outcome.OK, None), (2, 1, Outcome.CANCELLED, None)]
    late = Kept()
    async with openai_endpoint(Reply(text="never", fault="hang")) as endpoint:
        scene = on_stage(endpoint, late, AgentBounds(turn_seconds=0.5))
        with pytest.raises(ModelFailed, match=r"No answer within 0\.5 s"):
            await scene.agent.answer(scene.turn, scene.sink)
    assert [call[2:] for call in late.calls] in ([(Outcome.TIMEOUT, "deadline")], []), "before it was asked, or after"


async def test_nobody_is_asked_where_the_row_cannot_be_written() -> None:
    kept = Kept(fails=True)
    async with openai_endpoint(ANSWER) as endpoint:
        scene = on_stage(endpoint, kept)
        with pytest.raises(DatabaseUnavailable):
            await scene.agent.answer(scene.turn, scene.sink)
    assert endpoint.requests == []


async def test_tokens_below_zero_or_above_their_sum_are_marked_and_not_counted() -> None:
    for usage, cached in (((-3, 20), 0), ((100, 20), 101)):
        kept = Kept()
        async with openai_endpoint(Reply(text=ANSWER.text, usage=usage, cached=cached)) as endpoint:
            scene = on_stage(endpoint, kept)
            answer = await scene.agent.answer(scene.turn, scene.sink)
        (row,) = kept.rows.values()
        assert (row.outcome, row.error_code) == (Outcome.OK, "usage_unclear")
        assert (row.input_tokens, row.output_tokens, row.cost_usd) == (None, None, None)
        assert (answer.usage.input_tokens, answer.usage.cost) == (None, None)
