"""What went wrong at a provider, as the person should read it; keys never appear."""

import re
from urllib.parse import urlsplit, urlunsplit

import openai
from langchain_core.exceptions import ContextOverflowError

from server.adapters.model.patience import StillReading
from server.adapters.model.plain_stream import NotAStream
from server.adapters.model.response_failed import ResponseFailed
from server.adapters.model.retry_pause import RATE_LIMITED, asked_to_wait, is_without_credit
from server.cleaning import clean
from server.errors import ModelFailed

SHOWN_CHARACTERS = 160
"""Of a line that an endpoint answered."""

_TOO_LONG = re.compile(r"context_length|exceed_context_size|context size|too long|context window")
"""OpenAI's code, llama.cpp's type, and words of other servers."""

_KEY = re.compile(r"\b(?:sk|pk|rk)-[\w*-]{6,}|(?<=Bearer )\S+")


def model_failed(error: Exception, model: str, base_url: str | None, *, began: bool) -> ModelFailed:
    """The failure for this error of the client, of LangChain's wrapper, or of reading what came. `began`: whether part
    of the answer had arrived.
    """
    where = f"the model endpoint {shown_address(base_url)}" if base_url else "OpenAI"
    begin = f"{where[0].upper()}{where[1:]}"
    said = _said(error)
    if isinstance(error, NotAStream):
        return _no_endpoint(begin, str(error), base_url)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        fell_silent = (
            f"{begin} fell silent in the middle of its answer." if began else f"{begin} did not answer in time."
        )
        return ModelFailed(
            str(error) if isinstance(error, StillReading) else f"{fell_silent} Try again.", code="model_timeout"
        )
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
        return _status_failed(error, model, where, said, base_url)
    if isinstance(error, openai.APIError):
        return ModelFailed(f"The answer of {where} broke off: {said}", code="model_stream_broken")
    if isinstance(error, openai.OpenAIError):
        return ModelFailed(f"{begin} cannot be used: {said}", code="model_failed", retryable=False)
    if isinstance(error, ResponseFailed):
        return _response_failed(error, model, where, said)
    return ModelFailed(f"{begin} sent something that is not a chat stream.", code="model_stream_broken")


def shown_address(base_url: str) -> str:
    """The address without a user and password."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


def _status_failed(
    error: openai.APIStatusError, model: str, where: str, said: str, base_url: str | None
) -> ModelFailed:
    status = error.status_code
    where = f"{where[0].upper()}{where[1:]}"
    if status in (401, 403):
        return ModelFailed(
            f"{where} refused the key ({status}). Set OPENAI_API_KEY to a valid one.",
            code="model_key_refused",
            retryable=False,
        )
    if status == 404 and base_url is not None and urlsplit(base_url).path in ("", "/") and model not in said:
        return ModelFailed(
            f"{where} has nothing at /chat/completions. FLAMECHAT_MODEL_BASE_URL lacks its path, which is mostly /v1: "
            f"{shown_address(base_url).rstrip('/')}/v1",
            code="model_no_endpoint",
            retryable=False,
        )
    if status == 404:
        return ModelFailed(
            f"{where} has no model {model!r}. Set FLAMECHAT_MODEL to one it has."
            + ("" if where == "OpenAI" else " If it has it, FLAMECHAT_MODEL_BASE_URL lacks its path (often /v1)."),
            code="model_not_found",
            retryable=False,
        )
    if status == 429 and is_without_credit(error):
        return _without_credit(where)
    if status == 429:
        return _rate_limited(where, asked_to_wait(error))
    if status in (400, 413, 422):
        if _TOO_LONG.search(f"{error.code} {error.type} {said}"):
            return _too_long(model)
        if error.code == "content_filter":
            return ModelFailed(
                "The model's provider filtered the question. Ask it in other words.",
                code="content_filter",
                retryable=False,
            )
        return ModelFailed(f"{where} refused the request: {said}", code="bad_request", retryable=False)
    return ModelFailed(f"{where} failed ({status}). Try again.", code="model_failed")


def _response_failed(error: ResponseFailed, model: str, where: str, said: str) -> ModelFailed:
    """Codes as OpenAI's reference of the Responses API lists them (ResponseError)."""
    if error.code == RATE_LIMITED:
        return _rate_limited(where, asked_to_wait(error))
    if error.code == "insufficient_quota":
        return _without_credit(where)
    if error.code == "context_length_exceeded":
        return _too_long(model)
    if error.code.startswith("invalid_"):
        return ModelFailed(f"{where} refused the request: {said}", code="bad_request", retryable=False)
    return ModelFailed(f"The answer of {where} broke off: {said}", code="model_stream_broken")


def _rate_limited(where: str, wait: float | None) -> ModelFailed:
    when = "in a moment" if wait is None or wait < 1 else f"in {wait:.0f} s"
    return ModelFailed(f"{where} limits how often it may be asked. Try again {when}.", code="model_rate_limited")


def _without_credit(where: str) -> ModelFailed:
    return ModelFailed(
        f"The account at {where} has no credit left. Whoever runs this server has to add some.",
        code="model_quota",
        retryable=False,
    )


def _no_endpoint(begin: str, first_line: str, base_url: str | None) -> ModelFailed:
    """An answer of 200 that is no chat: a page to sign in at, an address without its path, a server that does not
    stream."""
    found = " ".join(_KEY.sub("***", clean(first_line)).split())
    shown = f"It began with: {found[:SHOWN_CHARACTERS]}" if found else "It was empty."
    setting = "FLAMECHAT_MODEL_BASE_URL" if base_url else "FLAMECHAT_OPENAI_API_KEY and the way to OpenAI"
    return ModelFailed(
        f"{begin} answered, but not with a stream of chat chunks. {shown} Whoever runs this server has to check "
        f"{setting}: the address of an OpenAI-compatible endpoint up to and without /chat/completions.",
        code="model_no_endpoint",
        retryable=False,
    )


def _too_long(model: str) -> ModelFailed:
    return ModelFailed(
        f"The conversation is too long for {model}. Start a new one or ask for less.",
        code="context_too_long",
        retryable=False,
    )


def _said(error: Exception) -> str:
    message = error.message if isinstance(error, openai.APIError) else str(error)
    return clean(_KEY.sub("***", " ".join(str(message).split()))[:300])
