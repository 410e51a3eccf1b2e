"""What went wrong at a provider, as the person should read it; keys never appear."""

import json
import re
from urllib.parse import urlsplit, urlunsplit

import openai
from langchain_core.exceptions import ContextOverflowError

from server.adapters.model.retry_pause import asked_to_wait, is_without_credit
from server.errors import ModelFailed

_KEY = re.compile(r"\b(?:sk|pk|rk)-[\w*-]{6,}|(?<=Bearer )\S+")


def model_failed(error: Exception, model: str, base_url: str | None, *, began: bool) -> ModelFailed:
    """The failure for this error of the client, of LangChain's wrapper, or of reading what came. `began`: whether part
    of the answer had arrived.
    """
    where = f"the model endpoint {shown_address(base_url)}" if base_url else "OpenAI"
    begin = f"{where[0].upper()}{where[1:]}"
    said = _said(error)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        fell_silent = (
            f"{begin} fell silent in the middle of its answer." if began else f"{begin} did not answer in time."
        )
        return ModelFailed(f"{fell_silent} Try again.", code="model_timeout")
    if isinstance(error, ContextOverflowError):
        return _too_long(model)
    if isinstance(error, openai.APIConnectionError) and began:
        text = f"The connection to {where} was lost in the middle of its answer. Try again."
        return ModelFailed(text, code="model_stream_broken")
    if isinstance(error, openai.APIConnectionError):
        return ModelFailed(
            f"Cannot reach {where}. Check the address and that the server runs.", code="model_unreachable"
        )
    if isinstance(error, openai.APIStatusError):
        return _status_failed(error, model, where, said)
    if isinstance(error, openai.APIError):
        return ModelFailed(f"The answer of {where} broke off: {said}", code="model_stream_broken")
    if isinstance(error, openai.OpenAIError):
        return ModelFailed(f"{begin} cannot be used: {said}", code="model_failed", retryable=False)
    if isinstance(error, json.JSONDecodeError) or type(error) is not ValueError:
        return ModelFailed(f"{begin} sent something that is not a chat stream.", code="model_stream_broken")
    # LangChain's plain ValueError for the events `error` and `response.failed` of the Responses API.
    return ModelFailed(f"The answer of {where} broke off: {said}", code="model_stream_broken")


def shown_address(base_url: str) -> str:
    """The address without a user and password."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


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
    if status == 429 and is_without_credit(error):
        return ModelFailed(
            f"The account at {where} has no credit left. Whoever runs this server has to add some.",
            code="model_quota",
            retryable=False,
        )
    if status == 429:
        wait = asked_to_wait(error)
        when = "in a moment" if wait is None or wait < 1 else f"in {wait:.0f} s"
        return ModelFailed(f"{where} limits how often it may be asked. Try again {when}.", code="model_rate_limited")
    if status in (400, 413, 422):
        if "context_length" in f"{error.code} {said}" or "too long" in said or "context window" in said:
            return _too_long(model)
        if error.code == "content_filter":
            return ModelFailed(
                "The model's provider filtered the question. Ask it in other words.",
                code="content_filter",
                retryable=False,
            )
        return ModelFailed(f"{where} refused the request: {said}", code="bad_request", retryable=False)
    return ModelFailed(f"{where} failed ({status}). Try again.", code="model_failed")


def _too_long(model: str) -> ModelFailed:
    return ModelFailed(
        f"The conversation is too long for {model}. Start a new one or ask for less.",
        code="context_too_long",
        retryable=False,
    )


def _said(error: Exception) -> str:
    message = error.message if isinstance(error, openai.APIError) else str(error)
    return _KEY.sub("***", " ".join(str(message).split()))[:300]
