"""The Responses API: reasoning items come back sealed and are sent again as they came, and nothing is stored there."""

import pytest

from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.openai import openai_chat
from server.adapters.model.patience import Patience
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint
from tests.server.agent.turns import Stage, stage

SEALED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA-sealed"}
QUICK = Patience(first_s=30, silence_s=30, retries=0, longest_pause_s=0)
CALL = (("get_trace_summary", "{}"),)
ANSWER = Reply(text="It is parse_json.")


def staged(endpoint: Endpoint, *, name: str = "gpt-5", responses: bool = True, **choice: str | None) -> Stage:
    made = ModelChoice(
        base_url=endpoint.base_url,
        api_key="k",
        model=name,
        use_responses_api=responses,
        patience=QUICK,
        reasoning_effort=choice.get("effort"),
        verbosity=choice.get("verbosity"),
    )
    return stage(ChosenModels(made))


async def test_an_item_is_sent_again_unchanged_before_the_call_that_followed_it() -> None:
    second = {**SEALED, "id": "rs_2", "encrypted_content": "gAAAA-second"}
    replies = (Reply(reasoning=SEALED, calls=CALL), Reply(reasoning=second, text="So.", calls=CALL), ANSWER)
    async with openai_endpoint(*replies) as endpoint:
        scene = staged(endpoint)
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text == ANSWER.text
    assert [request["include"] for request in endpoint.requests] == [["reasoning.encrypted_content"]] * 3
    assert [request["store"] for request in endpoint.requests] == [False] * 3
    assert [[one for one in request["input"] if one.get("type") == "reasoning"] for request in endpoint.requests] == [
        [],
        [SEALED],
        [SEALED, second],
    ]
    kinds = [one.get("type", one.get("role")) for one in endpoint.requests[2]["input"]]
    begin = kinds.index("reasoning")
    assert kinds[begin : begin + 3] == ["reasoning", "function_call", "function_call_output"]
    assert kinds[begin + 3] == "reasoning"
    assert kinds[-2:] == ["function_call", "function_call_output"]


async def test_what_is_not_sealed_is_not_sent_again() -> None:
    bare = {key: value for key, value in SEALED.items() if key != "encrypted_content"}
    async with openai_endpoint(Reply(reasoning=bare, calls=CALL), ANSWER) as endpoint:
        scene = staged(endpoint)
        await scene.agent.answer(scene.turn, scene.sink)
    assert not [one for one in endpoint.requests[1]["input"] if one.get("type") == "reasoning"]


async def test_a_model_that_does_not_reason_is_not_asked_for_it() -> None:
    async with openai_endpoint(ANSWER) as endpoint:
        scene = staged(endpoint, name="gpt-4o")
        await scene.agent.answer(scene.turn, scene.sink)
    assert "include" not in endpoint.requests[0]


async def test_chat_completions_gets_no_items() -> None:
    async with openai_endpoint(Reply(calls=CALL), ANSWER) as endpoint:
        scene = staged(endpoint, responses=False)
        await scene.agent.answer(scene.turn, scene.sink)
    assert "reasoning_items" not in str(endpoint.requests)
    assert "include" not in endpoint.requests[0]


@pytest.mark.parametrize("responses", [True, False])
async def test_effort_and_verbosity_are_those_of_the_settings(*, responses: bool) -> None:
    async with openai_endpoint(ANSWER) as endpoint:
        scene = staged(endpoint, responses=responses, effort="low", verbosity="high")
        await scene.agent.answer(scene.turn, scene.sink)
    (request,) = endpoint.requests
    if responses:
        assert (request["reasoning"], request["text"]["verbosity"]) == ({"effort": "low"}, "high")
    else:
        assert (request["reasoning_effort"], request["verbosity"]) == ("low", "high")


def test_openai_is_asked_to_store_nothing() -> None:
    assert openai_chat(model="gpt-5", base_url=None, api_key="k", use_responses_api=True).store is False
