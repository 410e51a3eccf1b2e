"""Which model answers: the configured endpoint, or the built-in analyst when there is none."""

import asyncio
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from server.adapters.model.patience import Patience
from server.adapters.model.stream_pace import StreamPace
from server.agent.bounds import ANSWER_TOKENS, REASONING_TOKENS, SMALL_CONTEXT, answer_room
from server.agent.model_call.chat_model import FREE, Chat, Model, Price
from server.agent.model_call.offered_models import ANALYST, OfferedModels, label_of
from server.analyst.analyst_chat import AnalystChat
from server.errors import ModelFailed

_REASONS = re.compile(r"o\d|gpt-[5-9]|codex")
"""How the names of OpenAI's models begin that reason."""

OPENAI = "openai"
"""The provider where no address is set."""

KNOWN_AGAIN_S = 300.0
"""After which an endpoint that named a size is asked again: it may have been started with another."""

UNKNOWN_AGAIN_S = 60.0
"""After which one that did not is: a turn waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The settings that concern models. `allowed` are names a prompt may ask for, next to the default; `fallbacks`
    answer when the one asked does not, in this order; `prices` are by name. `reasoning_tokens` None: as
    many as OpenAI's reasoning models need, none for others. `context` None: what the endpoint says of itself.
    """

    base_url: str | None = None
    api_key: str | None = None
    model: str | None = None
    allowed: tuple[str, ...] = ()
    fallbacks: tuple[str, ...] = ()
    prices: Mapping[str, Price] = field(default_factory=dict)
    use_responses_api: bool | None = None
    answer_tokens: int | None = None
    reasoning_tokens: int | None = None
    context: int | None = None
    reasoning_effort: str | None = None
    verbosity: str | None = None
    sees_pictures: bool = True
    patience: Patience = field(default_factory=Patience)

    def output_bound(self, name: str, context: int | None = None) -> int | None:
        """What that model is asked to stop at, its reasoning with it; None: nothing is asked. A `context` that the
        endpoint named leaves room for so much, and for reasoning a quarter where it is not small."""
        if context is not None:
            added = min(self.reasoning_tokens or 0, context // 4) if context >= SMALL_CONTEXT else 0
            return min(self.answer_tokens or ANSWER_TOKENS, answer_room(context)) + added
        if self.answer_tokens is None:
            return None
        reasons = self.base_url is None and _REASONS.match(name) is not None
        added = self.reasoning_tokens if self.reasoning_tokens is not None else REASONING_TOKENS if reasons else 0
        return self.answer_tokens + added

    @property
    def provider(self) -> str:
        """Whom requests go to: the host of the address, with its port if it has one."""
        if self.base_url is None:
            return OPENAI
        host = urlsplit(self.base_url)
        return f"{host.hostname}:{host.port}" if host.port else str(host.hostname)

    @property
    def offered(self) -> OfferedModels:
        has_provider = self.base_url is not None or self.api_key is not None
        return OfferedModels.of_settings(self.model, self.allowed, has_provider=has_provider)


class ChosenModels:
    """Implements `ChatModels`. Clients are made when first asked for and kept; `analyst` is the built-in one's."""

    def __init__(
        self, choice: ModelChoice, *, analyst: Chat | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._choice = choice
        self._analyst = analyst or AnalystChat()
        self._chats: dict[tuple[str, int | None, bool], Chat] = {}
        self._pace = StreamPace()
        self._clock = clock
        self._contexts: dict[str, int] = {}
        self._report_reading: set[str] = set()
        self._ask_again: dict[str, float] = {}

    async def learn(self, name: str | None, *, offered: Sequence[str] | None = None) -> None:
        """See `ChatModels.learn`: the endpoint is asked for the sizes of contexts; where a setting has the size once,
        for what it is. What is known once stays so while the endpoint does not answer."""
        if self._choice.base_url is None:
            return
        names = (name or self._choice.offered.names(offered)[0], *self._choice.fallbacks)
        now = self._clock()
        due = [one for one in dict.fromkeys(names) if one != ANALYST and self._ask_again.get(one, now) <= now]
        await asyncio.gather(*(self._learn_context(self._choice.base_url, one) for one in due))

    async def _learn_context(self, base_url: str, name: str) -> None:
        from server.adapters.model.endpoint_context import asked_context  # noqa: PLC0415 - as the client below

        found = await asked_context(base_url, self._choice.api_key, name)
        if found is not None and found.reports_reading:
            self._report_reading.add(name)
        if self._choice.context is not None:
            self._ask_again[name] = math.inf
            return
        if found is not None and (found.is_certain or name not in self._contexts):
            self._contexts[name] = found.tokens
        wait = UNKNOWN_AGAIN_S if found is None else KNOWN_AGAIN_S if found.is_certain else 0.0
        self._ask_again[name] = self._clock() + wait

    def model(self, name: str | None, *, offered: Sequence[str] | None = None) -> Model:
        """See `ChatModels.model`. The built-in analyst may always be asked for."""
        requested = name or self._choice.offered.names(offered)[0]
        if (refusal := self._choice.offered.refusal(requested, offered)) is not None:
            raise ModelFailed(refusal, code="model_not_allowed", retryable=False)
        model = self._made(requested)
        if not model.is_language_model:
            return model
        others = [one for one in self._choice.fallbacks if one != requested]
        return replace(model, fallbacks=tuple(self._made(one) for one in others))

    def _made(self, name: str) -> Model:
        if name == ANALYST:
            return Model(
                chat=self._analyst,
                name=ANALYST,
                label=label_of(ANALYST),
                sees_pictures=False,
                is_language_model=False,
                price=FREE,
            )
        found = self._contexts.get(name)
        bound = self._choice.output_bound(name, found)
        key = name, found, name in self._report_reading
        if key not in self._chats:
            from server.adapters.model.openai import openai_chat  # noqa: PLC0415 - loads for a second; the analyst needs none

            self._chats[key] = openai_chat(
                model=name,
                base_url=self._choice.base_url,
                api_key=self._choice.api_key,
                use_responses_api=self._choice.use_responses_api,
                patience=self._choice.patience,
                answer_tokens=bound,
                reasons=_REASONS.match(name) is not None or self._choice.reasoning_effort is not None,
                reasoning_effort=self._choice.reasoning_effort,
                verbosity=self._choice.verbosity,
                reports_reading=name in self._report_reading,
                pace=self._pace,
            )
        return Model(
            chat=self._chats[key],
            name=name,
            label=label_of(name),
            sees_pictures=self._choice.sees_pictures,
            price=self._choice.prices.get(name),
            context=self._choice.context or found,
            output_tokens=bound,
            provider=self._choice.provider,
        )
