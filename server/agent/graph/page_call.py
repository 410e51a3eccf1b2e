"""A call of the newest round that the page has to answer."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PageCall:
    """`asked` is what the page is asked with; `number` that of its result in the conversation, whose text may have so
    many `characters`."""

    call_id: str
    tool: str
    arguments: dict[str, Any]
    asked: dict[str, Any]
    number: int
    characters: int
