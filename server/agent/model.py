"""The port to a language model. It lives here, not in `ports`, because it speaks LangChain's message types
(docs/decisions/0002)."""

from dataclasses import dataclass
from typing import Protocol

from langchain_core.language_models import BaseChatModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A chat model ready to stream. `label` is what people read; `is_language_model` is false for the built-in
    analyst, which says so."""

    chat: BaseChatModel
    name: str
    label: str
    sees_pictures: bool
    is_language_model: bool = True


class ChatModels(Protocol):
    def model(self, name: str | None) -> Model:
        """The model of that name, or the default. Raises ModelFailed(code="model_not_allowed") for a name outside the
        allowed list."""
        ...
