"""Tokens as the provider counts them: its usage sets the rate by which history and tool results are cut."""

from dataclasses import replace

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from server.agent.bounds import CHARACTERS_PER_TOKEN, AgentBounds
from server.agent.model_call.token_counts import CALL, TokenRates, characters_in, estimated_tokens
from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.agent.tools.test_budgets import wide
from tests.server.agent.turns import endpoint_models, stage

MOST_FUNCTIONS = Reply(calls=(("get_top_functions", '{"limit": 100}'),))


def test_without_a_count_a_token_has_two_and_a_half_characters() -> None:
    assert estimated_tokens([HumanMessage("x" * 240)]) == 100
    assert TokenRates().rate_of("any") == CHARACTERS_PER_TOKEN == 2.4


def test_tool_calls_and_definitions_are_counted() -> None:
    call = {"name": "find_frames", "args": {"pattern": "a"}, "id": "1", "type": "tool_call"}
    assert characters_in([AIMessage("", tool_calls=[call])]) == CALL + len("find_frames") + len("{'pattern': 'a'}")
    assert characters_in([], [{"name": "x"}]) == len('{"name": "x"}')


def test_the_newest_count_of_each_model_sets_its_rate() -> None:
    rates = TokenRates()
    rates.learn("small", 3_000, 1_000)
    assert (rates.rate_of("small"), rates.rate_of("large")) == (3.0, CHARACTERS_PER_TOKEN)
    rates.learn("small", 3_100, 1_000)
    assert rates.rate_of("small") == 3.0, "a small move changes nothing"
    rates.learn("small", 2_000, 1_000)
    assert rates.rate_of("small") == 2.0


@pytest.mark.parametrize("tokens", [0, 1, 100_000, -5])
def test_a_count_that_cannot_be_is_not_believed(tokens: int) -> None:
    rates = TokenRates()
    rates.learn("small", 3_000, tokens)
    assert rates.rate_of("small") == CHARACTERS_PER_TOKEN


@pytest.mark.parametrize(("rate", "cap"), [(4.0, 6_000), (1.5, 2_250)])
async def test_a_tool_result_is_1500_tokens_as_the_model_counts_them(rate: float, cap: int) -> None:
    async with openai_endpoint(Reply(text="First."), MOST_FUNCTIONS, Reply(text="Done.")) as measuring:
        scene = stage(endpoint_models(measuring.base_url), wide())
        await scene.agent.answer(scene.turn, scene.sink)
        first = measuring.requests[0]
    characters = sum(len(str(m["content"])) for m in first["messages"]) + len(str(first["tools"]))
    counted = replace(Reply(text="First."), usage=(round(characters / rate), 20))
    async with openai_endpoint(counted, MOST_FUNCTIONS, Reply(text="Done.")) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url), wide())
        await scene.agent.answer(scene.turn, scene.sink)
        await scene.agent.answer(scene.turn, scene.sink)
    (result,) = [m["content"] for m in endpoint.requests[2]["messages"] if m["role"] == "tool"]
    assert 0.8 * cap < len(result) < 1.15 * cap
    assert "cut at" in result


async def test_without_a_count_a_tool_result_has_3600_characters() -> None:
    assert AgentBounds().result_characters == 3_600
    async with openai_endpoint(MOST_FUNCTIONS, Reply(text="Done.", usage=None)) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url), wide())
        await scene.agent.answer(scene.turn, scene.sink)
    (result,) = [m["content"] for m in endpoint.requests[1]["messages"] if m["role"] == "tool"]
    assert 3_000 < len(result) < 3_900
