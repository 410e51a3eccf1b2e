"""How many tokens a text takes: by what the provider counted in the calls before, else by an average."""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage

from server.agent.bounds import CHARACTERS_PER_TOKEN

LEAST, MOST = 1.0, 6.0
"""Characters a token that are believed of a provider's count; another one counts something else, or nothing."""

CALL = 60
"""Characters around a tool call: its id, its type, names of fields."""

STEADY = 0.15
"""A rate that moved by less stays as it was: which turns of a history fit does not change from prompt to prompt, and
what a provider has cached of it is used."""


def characters_in(messages: Iterable[AnyMessage], definitions: Sequence[dict[str, Any]] = ()) -> int:
    """Characters of texts, tool calls and definitions of tools; pictures are left out."""
    characters = sum(len(json.dumps(one)) for one in definitions)
    for message in messages:
        characters += len(message.text)
        if isinstance(message, AIMessage):
            characters += sum(CALL + len(call["name"]) + len(str(call["args"])) for call in message.tool_calls)
    return characters


def estimated_tokens(messages: Iterable[AnyMessage], characters_per_token: float = CHARACTERS_PER_TOKEN) -> int:
    """Tokens of the messages' texts and tool calls."""
    return math.ceil(characters_in(messages) / characters_per_token)


class TokenRates:
    """Characters a token by model, from the usage of its newest calls in this process."""

    def __init__(self) -> None:
        self._rates: dict[str, float] = {}

    def rate_of(self, model: str) -> float:
        """Characters a token; CHARACTERS_PER_TOKEN of a model that has not been counted."""
        return self._rates.get(model, CHARACTERS_PER_TOKEN)

    def learn(self, model: str, characters: int, tokens: int) -> None:
        """A call with so many characters was counted as so many input tokens."""
        rate = round(characters / tokens, 1) if tokens > 0 else 0.0
        if LEAST <= rate <= MOST and abs(rate - self.rate_of(model)) > STEADY:
            self._rates[model] = rate
