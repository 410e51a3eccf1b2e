"""How many tokens a model's context has, as its endpoint says: each kind of server in its own words."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from server.adapters.trusted_certificates import trusted_certificates

ASKED_SECONDS = 2.0
"""For all questions together: a turn waits for them."""

MOST_BYTES = 4 << 20
"""Of one answer; the list of models of a large provider has about one megabyte."""

MOST_TOKENS = 100_000_000
"""A larger number is no context."""

LEAST_OF_OLLAMA = 4_096
"""With which Ollama loads a model where nothing else is set and memory is short (docs/context-length.mdx); it cuts
longer prompts without saying so."""

LLAMA_CPP = "llamacpp"
"""Whose models they are, as llama.cpp's server says of them."""

_NUM_CTX = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EndpointContext:
    """`is_certain` is false for the least that an endpoint may give a model which it has not loaded yet.
    `reports_reading`: it says how much of a prompt it has read, to those who ask for it (llama.cpp)."""

    tokens: int
    is_certain: bool = True
    reports_reading: bool = False


async def asked_context(
    base_url: str, api_key: str | None, model: str, *, seconds: float = ASKED_SECONDS
) -> EndpointContext | None:
    """The context of that model; None where the endpoint does not say, does not answer in time, or is not there.

    Read are `max_model_len` of vLLM's `/v1/models`, `meta.n_ctx` of llama.cpp's (older ones: `/props`),
    `context_length` of OpenRouter's, and Ollama's `/api/ps` (what is loaded) and `/api/show` (`num_ctx`).
    """
    try:
        async with (
            asyncio.timeout(seconds),
            httpx.AsyncClient(verify=trusted_certificates(), headers=_headers(api_key), timeout=seconds) as client,
        ):
            return await _asked(client, base_url.rstrip("/"), model)
    except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError):
        return None


def _headers(api_key: str | None) -> dict[str, str]:
    return {"authorization": f"Bearer {api_key}"} if api_key else {}


async def _asked(client: httpx.AsyncClient, base_url: str, model: str) -> EndpointContext | None:
    cards = _records((await _json(client, "GET", f"{base_url}/models")).get("data"))
    card = _card(cards, model)
    if card is None:
        return None
    parent = _card(cards, str(card["parent"])) if card.get("parent") else None
    for one in (card, parent or {}):
        for size in (one.get("max_model_len"), _record(one.get("meta")).get("n_ctx"), one.get("context_length")):
            if (tokens := _tokens(size)) is not None:
                return EndpointContext(tokens, reports_reading=card.get("owned_by") == LLAMA_CPP)
    root = base_url.removesuffix("/v1")
    if card.get("owned_by") == LLAMA_CPP:
        settings = _record((await _json(client, "GET", f"{root}/props")).get("default_generation_settings"))
        tokens = _tokens(settings.get("n_ctx"))
        return None if tokens is None else EndpointContext(tokens, reports_reading=True)
    return await _of_ollama(client, root, str(card["id"]))


async def _of_ollama(client: httpx.AsyncClient, root: str, model: str) -> EndpointContext | None:
    """What is loaded first; else what the model is set to; else the least, and no more than the model was made for."""
    running = await _json(client, "GET", f"{root}/api/ps")
    if "models" not in running:
        return None
    for loaded in _records(running["models"]):
        if model in (loaded.get("name"), loaded.get("model")) and (tokens := _tokens(loaded.get("context_length"))):
            return EndpointContext(tokens)
    shown = await _json(client, "POST", f"{root}/api/show", {"model": model})
    found = _NUM_CTX.search(str(shown.get("parameters") or ""))
    if found is not None and (tokens := _tokens(int(found[1][:12]))) is not None:
        return EndpointContext(tokens)
    info = _record(shown.get("model_info"))
    made_for = _tokens(info.get(f"{info.get('general.architecture')}.context_length"))
    return EndpointContext(min(LEAST_OF_OLLAMA, made_for or LEAST_OF_OLLAMA), is_certain=False)


def _card(cards: list[Mapping[str, Any]], model: str) -> Mapping[str, Any] | None:
    """The list's entry for a model: by id or alias, Ollama's with its tag; else the only entry, as llama.cpp answers
    to any name."""
    for card in cards:
        aliases = card.get("aliases")
        if model in (card.get("id"), *(aliases if isinstance(aliases, list) else ())):
            return card
    latest = next((card for card in cards if card.get("id") == f"{model}:latest"), None)
    return latest or (cards[0] if len(cards) == 1 and "id" in cards[0] else None)


async def _json(
    client: httpx.AsyncClient, method: str, address: str, body: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """The object that is answered; empty for any other answer."""
    async with client.stream(method, address, json=body) as answer:
        if answer.status_code != httpx.codes.OK:
            return {}
        content = b""
        async for part in answer.aiter_bytes():
            content += part
            if len(content) > MOST_BYTES:
                return {}
    return _record(json.loads(content))


def _record(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _records(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _tokens(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_TOKENS else None
