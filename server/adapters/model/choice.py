"""Which model answers: the configured endpoint, or the built-in analyst when there is none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from server.adapters.model.patience import Patience
from server.agent.model_call.chat_model import FREE, Chat, Model, Price
from server.agent.model_call.offered_models import ANALYST, OfferedModels, label_of
from server.analyst.analyst_chat import AnalystChat
from server.errors import ModelFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The settings that concern models. `allowed` are names a prompt may ask for, next to the default; `fallbacks`
    answer when the one asked does not, in this order; `prices` are by name.
    """

    base_url: str | None = None
    api_key: str | None = None
    model: str | None = None
    allowed: tuple[str, ...] = ()
    fallbacks: tuple[str, ...] = ()
    prices: Mapping[str, Price] = field(default_factory=dict)
    use_responses_api: bool | None = None
    sees_pictures: bool = True
    patience: Patience = field(default_factory=Patience)

    @property
    def offered(self) -> OfferedModels:
        has_provider = self.base_url is not None or self.api_key is not None
        return OfferedModels.of_settings(self.model, self.allowed, has_provider=has_provider)


class ChosenModels:
    """Implements `ChatModels`. Clients are made when first asked for and kept; `analyst` is the built-in one's."""

    def __init__(self, choice: ModelChoice, *, analyst: Chat | None = None) -> None:
        self._choice = choice
        self._chats: dict[str, Chat] = {ANALYST: analyst or AnalystChat()}

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
                chat=self._chats[ANALYST],
                name=ANALYST,
                label=label_of(ANALYST),
                sees_pictures=False,
                is_language_model=False,
                price=FREE,
            )
        if name not in self._chats:
            from server.adapters.model.openai import openai_chat  # noqa: PLC0415 - loads for a second; the analyst needs none

            self._chats[name] = openai_chat(
                model=name,
                base_url=self._choice.base_url,
                api_key=self._choice.api_key,
                use_responses_api=self._choice.use_responses_api,
                patience=self._choice.patience,
            )
        return Model(
            chat=self._chats[name],
            name=name,
            label=label_of(name),
            sees_pictures=self._choice.sees_pictures,
            price=self._choice.prices.get(name),
        )
