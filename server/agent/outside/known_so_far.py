"""What a conversation knows that may not leave with a search, and which pages a search has found."""

import base64
import binascii
import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from server.agent.outside.outside_text import is_outside

IN_A_ROW = 40
"""Characters of a tool's result that may not leave in a row."""

IN_LETTERS = 16
"""Letters and digits in a row of what is remembered, and of arguments."""

SHORTEST = 6
"""Letters and digits of an argument or a fact that says anything."""

SPANS = "get_span_details"
SEARCH = "search_web"

_PACKED = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_ARGUMENT = re.compile(r'^"(?:[^"\\\n]|\\.)*": "((?:[^"\\\n]|\\.)*)"$', re.MULTILINE)
_NOT_A_LETTER = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSoFar:
    """`urls` are those that searches of this turn have found; `facts` what is remembered, `arguments` those of spans,
    `texts` what tools have returned of the trace and its sources."""

    urls: frozenset[str] = frozenset()
    facts: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def leaks_in(self, query: str) -> str | None:
        """What of it a query holds, in its words or in another spelling; None for nothing."""
        for reading in readings(query):
            letters = _letters(reading)
            if any(_holds(letters, _letters(fact)) for fact in self.facts):
                return "what is remembered"
            if any(_holds(letters, _letters(one)) for one in self.arguments):
                return "an argument of a span"
            spaced = " ".join(reading.split()).lower()
            windows = {spaced[at : at + IN_A_ROW] for at in range(len(spaced) - IN_A_ROW + 1)}
            if windows and any(window in text for text in self.texts for window in windows):
                return f"{IN_A_ROW} characters in a row of the trace"
        return None


def known_so_far(messages: Sequence[AnyMessage], facts: Sequence[str]) -> KnownSoFar:
    """Of a turn's messages, its history among them; the pages are those of the newest prompt's own searches."""
    prompt = max((at for at, one in enumerate(messages) if isinstance(one, HumanMessage)), default=0)
    urls: set[str] = set()
    arguments, texts = [], []
    for at, message in enumerate(messages):
        if not isinstance(message, ToolMessage):
            continue
        artifact = message.artifact if isinstance(message.artifact, dict) else {}
        if is_outside(message.text):
            if at > prompt and message.name == SEARCH:
                urls.update(artifact.get("data", {}).get("urls", ()))
            continue
        texts.append(" ".join(message.text.split()).lower())
        if message.name == SPANS:
            arguments += _arguments(artifact.get("data")) + _ARGUMENT.findall(message.text)
    return KnownSoFar(
        urls=frozenset(urls),
        facts=tuple(facts),
        arguments=tuple(dict.fromkeys(arguments)),
        texts=tuple(texts),
    )


def readings(query: str) -> Iterator[str]:
    """A query as it stands, backwards, turned by thirteen letters, and unpacked from what carries text."""
    for one in (query, unquote_plus(query)):
        yield one
        yield one[::-1]
        yield codecs.encode(one, "rot13")
    for packed in _PACKED.findall(query):
        for unpacked in (_hex(packed), _base64(packed)):
            if unpacked:
                yield unpacked


def _hex(text: str) -> str:
    try:
        return bytes.fromhex(text).decode("utf-8", errors="ignore")
    except ValueError:
        return ""


def _base64(text: str) -> str:
    bare = text.rstrip("=")
    try:
        return base64.urlsafe_b64decode(bare.replace("+", "-").replace("/", "_") + "=" * (-len(bare) % 4)).decode(
            "utf-8", errors="ignore"
        )
    except (ValueError, binascii.Error):
        return ""


def _letters(text: str) -> str:
    return _NOT_A_LETTER.sub("", text).lower()


def _holds(query: str, known: str) -> bool:
    """Whether so many letters in a row of what is known are in the query; all of it where it is shorter."""
    if len(known) < SHORTEST:
        return False
    length = min(len(known), IN_LETTERS)
    return any(known[at : at + length] in query for at in range(len(known) - length + 1))


def _arguments(data: Any) -> list[str]:
    """What get_span_details returned, of this turn."""
    found = data.get("arguments") if isinstance(data, dict) else None
    return [str(one.get("text")) for one in found if isinstance(one, dict)] if isinstance(found, list) else []
