"""Which model answers: the configured endpoint, or the built-in analyst when there is none."""

from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel

from server.adapters.model.analyst.chat import AnalystChat
from server.agent.model import Model
from server.errors import ModelFailed

ANALYST = "built-in"
ANALYST_LABEL = "Built-in analyst (rules, not a language model)"
DEFAULT_MODEL = "gpt-5"
"""What a key alone gets; FLAMECHAT_MODEL names another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The settings that concern models. `allowed` are names a prompt may ask for beside the default."""

    base_url: str | None = None
    api_key: str | None = None
    model: str | None = None
    allowed: tuple[str, ...] = ()
    use_responses_api: bool | None = None
    sees_pictures: bool = True

    @property
    def default(self) -> str:
        """The analyst without a key or address, and when the setting names it."""
        if self.base_url is None and self.api_key is None:
            return ANALYST
        return self.model or DEFAULT_MODEL


class ChosenModels:
    """Implements `ChatModels`. Clients are made when first asked for and kept."""

    def __init__(self, choice: ModelChoice) -> None:
        self._choice = choice
        self._chats: dict[str, BaseChatModel] = {}

    def model(self, name: str | None) -> Model:
        """See `ChatModels.model`. The built-in analyst may always be asked for."""
        wanted = name or self._choice.default
        if wanted == ANALYST:
            return Model(
                chat=self._chats.setdefault(ANALYST, AnalystChat()),
                name=ANALYST,
                label=ANALYST_LABEL,
                sees_pictures=False,
                is_language_model=False,
            )
        allowed = (self._choice.default, *self._choice.allowed)
        if wanted not in allowed:
            names = ", ".join(dict.fromkeys((*allowed, ANALYST)))
            raise ModelFailed(
                f"The model {wanted!r} is not offered here; offered are {names}.",
                code="model_not_allowed",
                retryable=False,
            )
        if wanted not in self._chats:
            # Imported here: the client takes a second to load, and the analyst does without it.
            from server.adapters.model.openai import openai_chat

            self._chats[wanted] = openai_chat(
                model=wanted,
                base_url=self._choice.base_url,
                api_key=self._choice.api_key,
                use_responses_api=self._choice.use_responses_api,
            )
        return Model(chat=self._chats[wanted], name=wanted, label=wanted, sees_pictures=self._choice.sees_pictures)
