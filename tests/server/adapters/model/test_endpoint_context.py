"""What endpoints say of the context of their models: in the words of vLLM, llama.cpp, Ollama and OpenRouter."""

from collections.abc import Mapping
from typing import Any

import pytest

from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.model.endpoint_context import EndpointContext, asked_context
from server.adapters.model.patience import Patience
from server.agent.bounds import answer_room
from server.composing.model_notices import announce_context
from server.settings import Settings
from tests.openai_endpoint import Reply, openai_endpoint, requested_tokens
from tests.server.agent.test_small_context import ANSWER, TOP
from tests.server.agent.tools.test_budgets import wide
from tests.server.agent.turns import stage

QUICK = Patience(first_s=30, silence_s=30, retries=0, longest_pause_s=0)


def listed(*cards: Mapping[str, Any]) -> dict[str, Any]:
    return {"object": "list", "data": list(cards)}


def vllm(name: str, tokens: int | None, parent: str | None = None) -> dict[str, Any]:
    """A card as vLLM's `ModelCard` (entrypoints/openai/protocol.py)."""
    card = {"id": name, "object": "model", "created": 0, "owned_by": "vllm", "root": name, "parent": parent}
    return card | {"max_model_len": tokens, "permission": []}


def llama_cpp(name: str, **meta: int) -> dict[str, Any]:
    """A card as llama.cpp's `get_res_model_info` (tools/server/server-context.cpp)."""
    card = {"id": name, "aliases": ["alias"], "object": "model", "created": 0, "owned_by": "llamacpp"}
    return card | {"meta": {"vocab_type": 2, "n_vocab": 151_936, "n_ctx_train": 32_768, "n_embd": 896} | meta}


def ollama(*loaded: tuple[str, int], parameters: str = "", trained: int = 32_768) -> dict[str, Any]:
    """The three answers of Ollama (docs/api.md, docs/openapi.yaml)."""
    of_model = {"id": "qwen2.5:0.5b", "object": "model", "created": 0, "owned_by": "library"}
    shown = {"parameters": parameters, "model_info": {"general.architecture": "qwen2", "qwen2.context_length": trained}}
    running = [{"name": name, "model": name, "size": 1, "context_length": tokens} for name, tokens in loaded]
    return {"/v1/models": listed(of_model), "/api/ps": {"models": running}, "/api/show": shown}


STOPS = 'stop                           "<|im_end|>"\nnum_ctx                        8192'


@pytest.mark.parametrize(
    ("answers", "model", "tokens"),
    [
        ({"/v1/models": listed(vllm("a", 5), vllm("qwen", 32_768))}, "qwen", 32_768),
        ({"/v1/models": listed(vllm("qwen", 32_768), vllm("tuned", None, parent="qwen"))}, "tuned", 32_768),
        ({"/v1/models": listed(llama_cpp("m.gguf", n_ctx=4_096))}, "whatever", 4_096),
        ({"/v1/models": listed(llama_cpp("m.gguf", n_ctx=4_096), vllm("x", 9))}, "alias", 4_096),
        (
            {"/v1/models": listed(llama_cpp("m")), "/props": {"default_generation_settings": {"n_ctx": 2_048}}},
            "m",
            2_048,
        ),
        (ollama(("qwen2.5:0.5b", 2_048), parameters=STOPS), "qwen2.5:0.5b", 2_048),
        (ollama(("other:1b", 2_048), parameters=STOPS), "qwen2.5:0.5b", 8_192),
        ({"/v1/models": listed({"id": "big/one", "context_length": 131_072})}, "big/one", 131_072),
    ],
)
async def test_each_kind_of_server_is_read(answers: dict[str, Any], model: str, tokens: int) -> None:
    async with openai_endpoint(of_itself=answers) as endpoint:
        found = await asked_context(endpoint.base_url, None, model)
    assert found == EndpointContext(tokens, reports_reading="llamacpp" in str(answers) and model != "qwen")


@pytest.mark.parametrize(("trained", "tokens"), [(32_768, 4_096), (2_048, 2_048)])
async def test_what_ollama_has_not_loaded_has_the_least_for_now(trained: int, tokens: int) -> None:
    async with openai_endpoint(of_itself=ollama(trained=trained)) as endpoint:
        found = await asked_context(endpoint.base_url, None, "qwen2.5:0.5b")
    assert found == EndpointContext(tokens, is_certain=False)


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"/v1/models": listed()},
        {"/v1/models": listed({"id": "a"}, {"id": "b"})},
        {"/v1/models": listed({"id": "m"})},
        {"/v1/models": {"data": [1, None, "x"]}},
        {"/v1/models": {"data": {"id": "m"}}},
        {"/v1/models": listed(vllm("m", True))},
        {"/v1/models": listed(vllm("m", -5))},
        {"/v1/models": listed({"id": "m", "max_model_len": "many", "meta": [], "aliases": 7})},
        {"/v1/models": listed(llama_cpp("m", n_ctx=0)), "/props": {"default_generation_settings": 3}},
        {"/v1/models": listed({"id": "m"}), "/api/ps": {"models": "none"}, "/api/show": {"model_info": 0}, "x": {}},
    ],
)
async def test_what_says_nothing_is_not_known(answers: dict[str, Any]) -> None:
    async with openai_endpoint(of_itself=answers) as endpoint:
        found = await asked_context(endpoint.base_url, None, "m")
    assert found is None or not found.is_certain


async def test_one_that_is_gone_or_never_answers_is_not_waited_for() -> None:
    async with openai_endpoint(of_itself={"/v1/models": None}) as endpoint:
        assert await asked_context(endpoint.base_url, None, "m", seconds=0.5) is None
    assert await asked_context(endpoint.base_url, None, "m") is None
    assert await asked_context("no address", None, "m") is None


async def test_the_key_goes_along() -> None:
    async with openai_endpoint(of_itself={"/v1/models": listed(vllm("m", 9_000))}) as endpoint:
        await asked_context(endpoint.base_url, "sk-1", "m")
    assert endpoint.keys == ["sk-1"]


async def test_a_turn_shrinks_to_the_context_that_the_endpoint_names() -> None:
    answers = {"/v1/models": listed(llama_cpp("small", n_ctx=4_000))}
    async with openai_endpoint(Reply(calls=(TOP,)), ANSWER, context=4_000, of_itself=answers) as endpoint:
        models = ChosenModels(ModelChoice(base_url=endpoint.base_url, model="small", patience=QUICK))
        scene = stage(models, wide())
        answer = await scene.agent.answer(scene.turn, scene.sink)
    assert answer.text == ANSWER.text
    assert len(endpoint.requests) == 2, "nothing was refused"
    assert requested_tokens(endpoint.requests[0]) <= 2_000
    assert {request["max_tokens"] for request in endpoint.requests} == {answer_room(4_000)}
    assert endpoint.asked_of_itself == ["/v1/models"]


async def test_a_setting_wins() -> None:
    answers = {"/v1/models": listed(llama_cpp("small", n_ctx=4_000))}
    async with openai_endpoint(ANSWER, of_itself=answers) as endpoint:
        models = ChosenModels(ModelChoice(base_url=endpoint.base_url, model="small", context=100_000, patience=QUICK))
        scene = stage(models)
        await scene.agent.answer(scene.turn, scene.sink)
    assert requested_tokens(endpoint.requests[0]) > 4_000


async def test_a_size_is_asked_again_after_a_while_and_kept_while_nobody_answers() -> None:
    now = 0.0
    answers: dict[str, Any] = ollama()
    async with openai_endpoint(of_itself=answers) as endpoint:
        choice = ModelChoice(base_url=endpoint.base_url, model="qwen2.5:0.5b", patience=QUICK)
        models = ChosenModels(choice, clock=lambda: now)
        await models.learn(None)
        assert models.model(None).context == 4_096
        answers["/api/ps"] = {"models": [{"name": "qwen2.5:0.5b", "context_length": 16_384}]}
        await models.learn(None)
        assert models.model(None).context == 16_384
        answers["/api/ps"] = {"models": []}
        await models.learn(None)
        now += 1_000
        await models.learn(None)
        assert models.model(None).context == 16_384, "unloaded since: what it had is the better guess"
    now += 1_000
    await models.learn(None)
    assert models.model(None).context == 16_384
    assert models.model(None).output_tokens == answer_room(16_384)


async def test_the_start_says_so_where_the_endpoint_gives_too_little() -> None:
    said: list[str] = []
    answers = {"/v1/models": listed(llama_cpp("small", n_ctx=2_048))}
    async with openai_endpoint(of_itself=answers) as endpoint:
        await announce_context(Settings(model_base_url=endpoint.base_url), said.append)
        await announce_context(Settings(model_base_url=endpoint.base_url, model_context=9_000), said.append)
    await announce_context(Settings(model_base_url=endpoint.base_url), said.append)
    await announce_context(Settings(), said.append)
    assert len(said) == 1
    assert "gives it a context of 2,048 tokens: below 4,000" in said[0]
