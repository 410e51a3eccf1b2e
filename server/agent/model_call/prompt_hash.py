"""The hash of what a model is asked: the same for the same conversation in every process."""

import base64
import binascii
import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage

VERSION = "v1"

LOCAL_TIME = "local_time"
"""Key of `additional_kwargs` for the person's time as it stands in a message: the hash is without it."""

ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}
_DATA_URL = re.compile(r"data:[\w/+.-]+;base64,(.*)", re.DOTALL)


def prompt_hash(
    model: str,
    messages: Sequence[AnyMessage],
    tools: Sequence[Mapping[str, Any]],
    *,
    max_tokens: int | None,
    temperature: float | None = None,
) -> str:
    """SHA-256, in hex, of the canonical text in UTF-8."""
    text = canonical(model, messages, tools, max_tokens=max_tokens, temperature=temperature)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonical(
    model: str,
    messages: Sequence[AnyMessage],
    tools: Sequence[Mapping[str, Any]],
    *,
    max_tokens: int | None,
    temperature: float | None = None,
) -> str:
    """JSON without spaces, keys in the order of their code points, every text in NFC (UAX 15), nothing escaped that
    need not be. Pictures by their SHA-256; no ids, of messages or calls, and no times."""
    asked = {
        "max_tokens": max_tokens,
        "messages": [_message(message) for message in messages],
        "model": model,
        "temperature": temperature,
        "tools": list(tools),
    }
    return json.dumps(_normal(asked), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _message(message: AnyMessage) -> dict[str, Any]:
    """Role and content; of a reply the tools that it called too, with their arguments."""
    shown: dict[str, Any] = {
        "role": ROLES.get(message.type, message.type),
        "content": _content(message.content, message.additional_kwargs.get(LOCAL_TIME)),
    }
    if isinstance(message, AIMessage) and message.tool_calls:
        shown["tool_calls"] = [{"name": call["name"], "arguments": call["args"]} for call in message.tool_calls]
    return shown


def _content(content: Any, local_time: object) -> Any:
    if isinstance(content, str):
        return content.replace(local_time, "") if isinstance(local_time, str) and local_time else content
    if isinstance(content, list):
        return [_content(part, local_time) for part in content]
    if isinstance(content, dict):
        shown = {name: value for name, value in content.items() if name not in ("id", "index")}
        if shown.get("type") == "image_url":
            shown["image_url"] = _picture(shown["image_url"])
        return shown
    return content


def _picture(image_url: Any) -> str:
    """`sha256:` and the hash of the picture's bytes; of an address, the address."""
    url = str(image_url["url"] if isinstance(image_url, dict) else image_url)
    found = _DATA_URL.fullmatch(url)
    try:
        return f"sha256:{hashlib.sha256(base64.b64decode(found[1])).hexdigest()}" if found else url
    except binascii.Error:
        return url


def _normal(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, Mapping):
        return {_normal(str(name)): _normal(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_normal(part) for part in value]
    return value
