"""What an endpoint is asked to stop at, by the name that it knows."""

from dataclasses import replace

import pytest
from langchain_core.messages import HumanMessage

from server.adapters.model.choice import ModelChoice
from server.adapters.model.openai import openai_chat
from server.composing.agent import most_answer_tokens
from server.settings import Settings


@pytest.mark.parametrize(
    ("base_url", "responses", "name"),
    [
        ("http://127.0.0.1:9/v1", None, "max_tokens"),
        (None, False, "max_completion_tokens"),
        (None, True, "max_output_tokens"),
    ],
)
def test_the_bound_has_the_name_that_its_endpoint_knows(
    base_url: str | None, responses: bool | None, name: str
) -> None:
    chat = openai_chat(model="any", base_url=base_url, api_key="k", use_responses_api=responses, answer_tokens=7)
    payload = chat._get_request_payload([HumanMessage("x")], stream=True)
    assert {key: value for key, value in payload.items() if "tokens" in key} == {name: 7}


@pytest.mark.parametrize(
    ("context", "answer", "bound"),
    [(None, None, None), (None, 900, 900), (4_000, None, 800), (4_000, 100, 100), (100_000, None, 4_000)],
)
def test_a_known_context_bounds_the_answer(context: int | None, answer: int | None, bound: int | None) -> None:
    settings = Settings(model_context=context, answer_tokens=answer, model_base_url="http://127.0.0.1/v1")
    assert most_answer_tokens(settings) == bound


def test_openai_is_always_asked_to_stop() -> None:
    assert most_answer_tokens(Settings()) == 4_000


@pytest.mark.parametrize(
    ("base_url", "name", "reasoning", "bound"),
    [
        (None, "gpt-5", None, 20_000),
        (None, "o3-mini", None, 20_000),
        (None, "gpt-4o", None, 4_000),
        (None, "gpt-5", 500, 4_500),
        ("http://127.0.0.1/v1", "qwen", None, 4_000),
        ("http://127.0.0.1/v1", "qwen", 2_000, 6_000),
    ],
)
def test_reasoning_is_added_where_the_model_reasons(
    base_url: str | None, name: str, reasoning: int | None, bound: int
) -> None:
    choice = ModelChoice(base_url=base_url, answer_tokens=4_000, reasoning_tokens=reasoning)
    assert choice.output_bound(name) == bound
    assert replace(choice, answer_tokens=None).output_bound(name) is None
