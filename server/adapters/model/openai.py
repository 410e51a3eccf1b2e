"""Any OpenAI-compatible endpoint, through LangChain's client. What the provider says goes out as ModelFailed, in words
a person can act on.
"""

import re
from collections.abc import AsyncIterator
from typing import Any

import openai
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from server.errors import ModelFailed

REQUEST_SECONDS = 120.0
"""Longest wait for a response's first byte and for each next one."""

SILENCE_SECONDS = 90.0
"""Longest silence inside a stream: reasoning models pause for a minute; keep-alive comments do not count."""

RETRIES = 2
"""Before a response has begun; the client waits between them and honours retry-after."""

_KEY = re.compile(r"\b(?:sk|pk|rk)-[\w*-]{6,}")


class CompatibleChat(ChatOpenAI):
    """ChatOpenAI whose stream raises ModelFailed."""

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        try:
            async for chunk in super()._astream(*args, **kwargs):
                yield chunk
        except (openai.OpenAIError, TimeoutError, ValueError) as error:
            raise model_failed(error, self.model_name, self.openai_api_base) from error


def openai_chat(
    *,
    model: str,
    base_url: str | None,
    api_key: str | None,
    use_responses_api: bool | None = None,
    timeout: float = REQUEST_SECONDS,
) -> CompatibleChat:
    """A streaming chat model. With a custom base URL chat/completions is spoken unless told otherwise: few such servers
    know the Responses API, and LangChain would choose it by the model's name. A local server needs no key: it gets a
    placeholder.
    """
    if use_responses_api is None and base_url is not None:
        use_responses_api = False
    return CompatibleChat(
        model=model,
        base_url=base_url,
        api_key=SecretStr(api_key or "none"),
        use_responses_api=use_responses_api,
        stream_usage=True,
        timeout=timeout,
        stream_chunk_timeout=min(SILENCE_SECONDS, timeout),
        max_retries=RETRIES,
    )


def model_failed(error: Exception, model: str, base_url: str | None) -> ModelFailed:
    """What went wrong at the provider, as the person should read it; keys never appear."""
    where = f"the model endpoint {base_url}" if base_url else "OpenAI"
    said = _said(error)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return ModelFailed(f"{where[0].upper()}{where[1:]} did not answer in time. Try again.", code="model_timeout")
    if isinstance(error, openai.APIConnectionError):
        return ModelFailed(
            f"Cannot reach {where}. Check the address and that the server runs.", code="model_unreachable"
        )
    if isinstance(error, openai.APIStatusError):
        return _status_failed(error, model, where, said)
    if isinstance(error, openai.APIError):
        return ModelFailed(f"The answer of {where} broke off: {said}", code="model_stream_broken")
    if isinstance(error, openai.OpenAIError):
        return ModelFailed(f"{where} cannot be used: {said}", code="model_failed", retryable=False)
    return ModelFailed(
        f"{where[0].upper()}{where[1:]} sent something that is not a chat stream.", code="model_stream_broken"
    )


def _status_failed(error: openai.APIStatusError, model: str, where: str, said: str) -> ModelFailed:
    status = error.status_code
    if status in (401, 403):
        return ModelFailed(
            f"{where} refused the key ({status}). Set OPENAI_API_KEY to a valid one.",
            code="model_key_refused",
            retryable=False,
        )
    if status == 404:
        return ModelFailed(
            f"{where} has no model {model!r}. Set FLAMECHAT_MODEL to one it has.",
            code="model_not_found",
            retryable=False,
        )
    if status == 429 and "insufficient_quota" in f"{error.code} {said}":
        return ModelFailed(f"The account at {where} has no credit left.", code="model_quota", retryable=False)
    if status == 429:
        return ModelFailed(
            f"{where} limits how often it may be asked. Try again in a moment.", code="model_rate_limited"
        )
    if status in (400, 413, 422):
        too_long = "context_length" in f"{error.code} {said}" or "too long" in said or "context window" in said
        if too_long:
            return ModelFailed(
                f"The conversation is too long for {model}. Start a new one or ask for less.",
                code="context_too_long",
                retryable=False,
            )
        return ModelFailed(f"{where} refused the request: {said}", code="bad_request", retryable=False)
    return ModelFailed(f"{where} failed ({status}). Try again.", code="model_failed")


def _said(error: Exception) -> str:
    message = error.message if isinstance(error, openai.APIError) else str(error)
    return _KEY.sub("***", " ".join(str(message).split()))[:300]
