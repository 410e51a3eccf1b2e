"""Every way in which a model's provider fails: how the turn ends, what the person reads, and that nothing ran twice."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.patience import Patience
from server.errors import ModelFailed
from server.protocol.events import ToolStart, TurnFailed
from server.turns.turn_failures import turn_failure
from tests.openai_endpoint import Endpoint, Fault, Reply, openai_endpoint
from tests.server.agent.turns import Stage, stage

pytestmark = pytest.mark.long

QUICK = Patience(first_s=30, silence_s=30, retries=2, longest_pause_s=0.05)
HASTY = replace(QUICK, first_s=300, silence_s=1)
SILENT = ("hang", "keep_alive")
TOOL = Reply(text="I look.", calls=(("get_top_functions", '{"limit": 5}'),))
ANSWER = Reply(text="It is parse_json.")
APIS = pytest.mark.parametrize("responses", [False, True], ids=["chat", "responses"])
MANY = 20
"""More replies than any number of retries asks for."""


def staged(endpoint: Endpoint, *, responses: bool = False, patience: Patience = QUICK, **turn: Any) -> Stage:
    choice = ModelChoice(
        base_url=endpoint.base_url,
        api_key="sk-test-key-123456",
        model="fake",
        use_responses_api=responses,
        patience=patience,
    )
    return stage(ChosenModels(choice), **turn)


async def failure(scene: Stage) -> TurnFailed:
    """The end of a turn that must fail."""
    with pytest.raises(ModelFailed) as failed:
        await scene.agent.answer(scene.turn, scene.sink)
    assert "sk-test" not in str(failed.value)
    return turn_failure(failed.value)


def tools_run(scene: Stage) -> list[str]:
    return [event.tool_name for event in scene.sink.events if isinstance(event, ToolStart)]


@APIS
@pytest.mark.parametrize("fault", ["drop", "reset", "early_end", "junk", "error_event", "failed", "hang", "keep_alive"])
async def test_a_stream_that_breaks_is_taken_back_and_asked_for_once_more(fault: Fault, *, responses: bool) -> None:
    broken = Reply(text="It is dra", fault=fault)
    async with openai_endpoint(TOOL, broken, ANSWER) as endpoint:
        scene = staged(endpoint, responses=responses, patience=HASTY if fault in SILENT else QUICK)
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text == ANSWER.text == scene.sink.text[answer.message_id]
    assert len(scene.sink.of("model_text_reset")) == 1
    assert tools_run(scene) == ["get_top_functions"]
    assert len(endpoint.requests) == 3


@APIS
@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        ("drop", "model_stream_broken", "connection to the model endpoint"),
        ("reset", "model_stream_broken", "was lost in the middle of its answer"),
        ("early_end", "model_stream_broken", "ended early, twice"),
        ("junk", "model_stream_broken", "not a chat stream"),
        ("error_event", "model_stream_broken", "overloaded"),
        ("failed", "model_stream_broken", "overloaded"),
        ("hang", "model_timeout", "fell silent in the middle"),
        ("keep_alive", "model_timeout", "fell silent in the middle"),
    ],
)
async def test_a_stream_that_breaks_twice_ends_the_turn_and_keeps_what_was_said(
    fault: Fault, code: str, words: str, *, responses: bool
) -> None:
    broken = Reply(text="It is dra", fault=fault)
    async with openai_endpoint(TOOL, *[broken] * MANY) as endpoint:
        scene = staged(endpoint, responses=responses, patience=HASTY if fault in SILENT else QUICK)
        ended = await failure(scene)
    assert (ended.code, ended.retryable) == (code, True)
    assert words in ended.message
    assert list(scene.sink.text.values()) == ["I look.", "It is dra"]
    assert tools_run(scene) == ["get_top_functions"]
    assert len(endpoint.requests) == 3


@APIS
async def test_half_a_tool_call_is_never_run(*, responses: bool) -> None:
    half = replace(TOOL, fault="early_end")
    async with openai_endpoint(half, half) as endpoint:
        scene = staged(endpoint, responses=responses)
        ended = await failure(scene)
    assert ended.code == "model_stream_broken"
    assert tools_run(scene) == []


@APIS
async def test_a_tool_call_that_met_the_length_limit_is_never_run(*, responses: bool) -> None:
    cut = replace(TOOL, finish_reason="length")
    async with openai_endpoint(cut, cut) as endpoint:
        scene = staged(endpoint, responses=responses)
        ended = await failure(scene)
    assert "cut inside a tool call" in ended.message
    assert tools_run(scene) == []


@APIS
async def test_a_provider_that_never_says_a_word_is_left_after_its_time(*, responses: bool) -> None:
    async with openai_endpoint(*[Reply(fault="mute")] * MANY) as endpoint:
        scene = staged(endpoint, responses=responses, patience=replace(QUICK, first_s=0.5))
        ended = await failure(scene)
    assert (ended.code, ended.retryable) == ("model_timeout", True)
    assert len(endpoint.requests) == 1, "the person has waited already"


@APIS
async def test_a_refusal_is_given_in_the_models_words(*, responses: bool) -> None:
    async with openai_endpoint(Reply(refusal="I cannot help with that.")) as endpoint:
        scene = staged(endpoint, responses=responses)
        ended = await failure(scene)
    assert (ended.code, ended.retryable) == ("model_refused", False)
    assert ended.message == "The model declined to answer: I cannot help with that."


@APIS
@pytest.mark.parametrize("text", ["", "It is"])
async def test_a_filtered_answer_does_not_pass_for_one(text: str, *, responses: bool) -> None:
    async with openai_endpoint(Reply(text=text, finish_reason="content_filter")) as endpoint:
        scene = staged(endpoint, responses=responses)
        ended = await failure(scene)
    assert (ended.code, ended.retryable) == ("content_filter", False)
    assert "Ask in other words" in ended.message


def error(status: int, code: str | None = None, message: str = "no", **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, headers=named, body={"error": {"message": message, "code": code, "type": code}})


@pytest.mark.parametrize(
    ("reply", "asked", "code", "retryable", "words"),
    [
        (error(401), 1, "model_key_refused", False, "OPENAI_API_KEY"),
        (error(403), 1, "model_key_refused", False, "OPENAI_API_KEY"),
        (error(404), 1, "model_not_found", False, "FLAMECHAT_MODEL"),
        (error(429, retry_after_ms="1"), 3, "model_rate_limited", True, "Try again in a moment"),
        (error(429, retry_after="41"), 1, "model_rate_limited", True, "Try again in 41 s"),
        (error(429, retry_after="Wed, 21 Oct 2099 07:28:00 GMT"), 1, "model_rate_limited", True, "Try again in"),
        (error(429, "insufficient_quota", retry_after_ms="1"), 1, "model_quota", False, "no credit left"),
        (error(400, "content_filter"), 1, "content_filter", False, "other words"),
        (error(400, message="bad sk-test-key-123456"), 1, "bad_request", False, "***"),
        (error(500), 3, "model_failed", True, "failed (500)"),
        (error(503, x_should_retry="false"), 1, "model_failed", True, "failed (503)"),
        (error(400, x_should_retry="true"), 3, "bad_request", False, "refused the request"),
    ],
)
async def test_an_error_before_the_answer_is_retried_where_that_may_help_and_then_reported(
    reply: Reply, asked: int, code: str, words: str, *, retryable: bool
) -> None:
    async with openai_endpoint(*[reply] * MANY) as endpoint:
        scene = staged(endpoint)
        ended = await failure(scene)
    assert (ended.code, ended.retryable) == (code, retryable)
    assert words in ended.message
    assert len(endpoint.requests) == asked
    assert scene.sink.text == {}


async def test_an_error_that_passes_is_not_noticed() -> None:
    busy: Sequence[Reply] = (error(429, retry_after_ms="1"), error(503))
    async with openai_endpoint(*busy, TOOL, error(500), ANSWER) as endpoint:
        scene = staged(endpoint)
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text == ANSWER.text
    assert scene.sink.of("model_text_reset") == []
    assert tools_run(scene) == ["get_top_functions"]
    assert answer.usage.model_calls == 2


async def test_an_address_where_nobody_listens_is_named_without_its_password() -> None:
    async with openai_endpoint() as endpoint:
        pass
    endpoint.base_url = endpoint.base_url.replace("http://", "http://me:hidden@")
    ended = await failure(staged(endpoint))
    assert (ended.code, ended.retryable) == ("model_unreachable", True)
    assert "127.0.0.1" in ended.message
    assert "hidden" not in ended.message


async def test_an_address_without_its_path_is_named_with_the_path_that_it_lacks() -> None:
    async with openai_endpoint(error(404, message="page not found")) as endpoint:
        endpoint.base_url = endpoint.base_url.removesuffix("/v1")
        ended = await failure(staged(endpoint))
    assert (ended.code, ended.retryable) == ("model_no_endpoint", False)
    assert f"lacks its path, which is mostly /v1: {endpoint.base_url}/v1" in ended.message


async def test_a_model_that_is_missing_is_named_even_where_the_address_has_no_path() -> None:
    async with openai_endpoint(error(404, message="model 'fake' not found")) as endpoint:
        endpoint.base_url = endpoint.base_url.removesuffix("/v1")
        ended = await failure(staged(endpoint))
    assert ended.code == "model_not_found"
