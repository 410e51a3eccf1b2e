"""Failures of the Responses API by their code, never as a printed object; what a rate limit waits for."""

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from openai.types.responses import ResponseError

from server.adapters.model.model_failures import model_failed
from server.adapters.model.openai import openai_chat
from server.adapters.model.patience import Patience
from server.adapters.model.response_failed import ResponseFailed, response_failed
from server.adapters.model.retry_pause import pause
from server.errors import ModelFailed
from tests.openai_endpoint import Reply, openai_endpoint


def printed(code: Any, message: str) -> ValueError:
    """As LangChain raises `response.failed`."""
    return ValueError(str(ResponseError.model_construct(code=code, message=message)))


@pytest.mark.parametrize(
    ("code", "message", "ends", "retryable", "words"),
    [
        ("rate_limit_exceeded", "Please try again in 41s.", "model_rate_limited", True, "Try again in 41 s"),
        ("insufficient_quota", "You exceeded it.", "model_quota", False, "no credit left"),
        ("context_length_exceeded", "Too much.", "context_too_long", False, "too long for big"),
        ("invalid_prompt", 'It\'s "bad".', "bad_request", False, 'refused the request: It\'s "bad".'),
        ("server_error", "It's overloaded\nnow", "model_stream_broken", True, "broke off: It's overloaded now"),
    ],
)
def test_a_failed_response_is_what_its_code_says(
    code: str, message: str, ends: str, words: str, *, retryable: bool
) -> None:
    failed = model_failed(response_failed(printed(code, message)), "big", None, began=False)
    assert (failed.code, failed.retryable) == (ends, retryable)
    assert words in str(failed)
    assert "message=" not in str(failed)
    assert code not in str(failed)


def test_the_event_error_is_read_too_and_other_errors_stay() -> None:
    named = response_failed(ValueError("server_error: overloaded"))
    assert isinstance(named, ResponseFailed)
    assert (named.code, named.message) == ("server_error", "overloaded")
    plain = response_failed(ValueError("Overloaded now"))
    assert isinstance(plain, ResponseFailed)
    assert (plain.code, plain.message) == ("", "Overloaded now")
    other = UnicodeError("x")
    assert response_failed(other) is other


@pytest.mark.parametrize(
    ("message", "seconds"),
    [("Please try again in 1.5s.", 1.5), ("try again in 250ms", 0.25), ("try again in 99s", None)],
)
def test_a_rate_limit_waits_as_long_as_it_says_within_bounds(message: str, seconds: float | None) -> None:
    assert pause(Patience(longest_pause_s=10), ResponseFailed("rate_limit_exceeded", message), 1) == seconds


def test_what_waiting_does_not_cure_is_not_waited_for() -> None:
    assert pause(Patience(), ResponseFailed("server_error", "try again in 1s"), 1) is None


async def test_llama_cpp_says_too_long_in_its_own_words() -> None:
    """As a llama-server answered 12,008 tokens with a context of 8,192."""
    words = "request (12008 tokens) exceeds the available context size (8192 tokens), try increasing it"
    error = {"code": 400, "message": words, "type": "exceed_context_size_error", "n_prompt_tokens": 12_008}
    async with openai_endpoint(Reply(status=400, body={"error": error | {"n_ctx": 8_192}})) as endpoint:
        chat = openai_chat(model="m", base_url=endpoint.base_url, api_key=None)
        with pytest.raises(ModelFailed) as failed:
            async for _ in chat.astream([HumanMessage("hi")]):
                pass
    assert failed.value.code == "context_too_long"
