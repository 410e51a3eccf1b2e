"""The port to a language model. It lives here, not in `ports`, because it speaks LangChain's message types
(docs/decisions/0002)."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from langchain_core.messages.ai import UsageMetadata

REFUSAL = "refusal"
"""Key of `additional_kwargs`, and type of a content block, that hold why a model declines to answer."""

REASONING = "reasoning_items"
"""Key of `additional_kwargs` for what a model reasoned before a reply: `model` names it, `items` are to be sent to it
again as they came (OpenAI's Responses API)."""

READING = "reading"
"""Key of `additional_kwargs` of a chunk without text by which an adapter reports how much of the prompt has been read:
`1200/4870` tokens."""

REQUEST_FAILED = "request_failed"
"""Key of `additional_kwargs` of a chunk without text by which an adapter reports that its request failed before
anything came of it, and is repeated: the code of the failure."""

REQUEST_REPEATED = "request_repeated"
"""The same for the moment before it is sent again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens. `cached_input` is for what the provider had read before; reasoning counts as
    output. `version` names the list that it stands in."""

    input: float
    output: float
    cached_input: float | None = None
    version: str | None = None

    def cost(self, usage: UsageMetadata) -> float:
        """US dollars of one call."""
        cached = usage.get("input_token_details", {}).get("cache_read", 0) if self.cached_input is not None else 0
        dear = (usage["input_tokens"] - cached) * self.input + usage["output_tokens"] * self.output
        return (dear + cached * (self.cached_input or 0)) / 1e6

    def bound(self, input_tokens: int, output_tokens: int) -> Decimal:
        """US dollars of a call of so many tokens, none of which had been read before."""
        return Decimal(f"{(input_tokens * self.input + output_tokens * self.output) / 1e6:.12f}")


FREE = Price(input=0, output=0)


class ReplyStream(Protocol):
    """What streams a reply: of LangChain's `Runnable` the part that is used here."""

    def with_config(self, *, metadata: dict[str, Any]) -> "ReplyStream":
        """The same with metadata for those who watch the call."""
        ...

    def astream(self, messages: Any, /) -> AsyncIterator[Any]:
        """The reply to the messages in pieces, as `AIMessageChunk`."""
        ...


class Chat(ReplyStream, Protocol):
    """What a chat model offers: of LangChain's `BaseChatModel` the part that is used here. It is no base class, because
    LangChain's takes a second to import, with the tracing it brings, which the built-in analyst does without."""

    def bind_tools(self, tools: Sequence[Any], /) -> ReplyStream:
        """The same, able to ask for these tools: function definitions as OpenAI's API has them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A chat model ready to stream. `label` is what people read; `is_language_model` is false for the built-in
    analyst, which says so. `price` is None when it is not known. `fallbacks` answer in its place, in this order,
    `over_budget` where the person's month is spent.
    `context` are the tokens of its context where they are known, `output_tokens` those that a reply is bounded to.
    `provider` is whom its requests go to.
    """

    chat: Chat
    name: str
    label: str
    sees_pictures: bool
    is_language_model: bool = True
    price: Price | None = None
    fallbacks: tuple["Model", ...] = ()
    over_budget: "Model | None" = None
    context: int | None = None
    output_tokens: int | None = None
    provider: str | None = None

    def smallest_context(self) -> "Model":
        """Of itself and its fallbacks the one whose context is known and smallest; itself where none is known. What a
        turn has read has to fit whoever takes over."""
        known = [one for one in (self, *self.fallbacks) if one.is_language_model and one.context is not None]
        return min(known, key=lambda one: one.context or 0, default=self)


class ChatModels(Protocol):
    async def learn(self, name: str | None, *, offered: Sequence[str] | None = None) -> None:
        """Find out what `model` needs to know of that model, and of those that may take over. Bounded in time; what
        cannot be found out stays unknown."""
        ...

    def model(self, name: str | None, *, offered: Sequence[str] | None = None) -> Model:
        """The model of that name, or the default. `offered` are those of the person's plan, its default first, in
        place of the server's own list. Raises ModelFailed(code="model_not_allowed") for a name that is not offered.
        """
        ...
