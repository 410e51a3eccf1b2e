"""Whom an answer asked outside: named with the answer, whatever its text says."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from server.agent.outside.known_so_far import SEARCH
from server.agent.outside.outside_text import is_outside, source_of
from server.agent.outside.web_tools import READ_PAGE
from server.protocol.wire_values import OutsideSource


def answer_sources(messages: Sequence[AnyMessage], answer: str) -> list[OutsideSource]:
    """Of the newest prompt's calls, each once, in their order: a page that was read, or found and named in the answer,
    with its address."""
    prompt = max((at for at, one in enumerate(messages) if isinstance(one, HumanMessage)), default=-1)
    called = [one for one in messages[prompt + 1 :] if isinstance(one, ToolMessage)]
    return list(dict.fromkeys(source for message in called for source in _of(message, answer)))


def _of(message: ToolMessage, answer: str) -> Iterator[OutsideSource]:
    artifact = message.artifact if isinstance(message.artifact, dict) else {}
    data: dict[str, Any] = artifact.get("data") or {}
    if repository := data.get("repository"):
        yield OutsideSource(name=str(repository))
    if not is_outside(message.text):
        return
    name = source_of(message.text)
    if message.name == READ_PAGE.name:
        yield OutsideSource(name=name, url=data.get("url"))
        return
    named = [url for url in data.get("urls", ()) if url in answer] if message.name == SEARCH else []
    yield from (OutsideSource(name=url.split("/")[2], url=url) for url in named)
    if not named:
        yield OutsideSource(name=name)
