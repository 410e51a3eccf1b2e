"""The model port's twin: a chat model that answers what a test wrote, and keeps the requests it got."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import PrivateAttr

from server.agent.model_call.chat_model import Model
from server.errors import ModelFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One reply: text, streamed in pieces of `piece` characters, then tool calls as (name, JSON arguments).
    `finish_reason` None is a stream that ends early; `error` breaks it after the text.
    """

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    finish_reason: str | None = "stop"
    piece: int = 7
    error: ModelFailed | None = None


@dataclass(slots=True)
class ModelRequest:
    """What one call was asked with."""

    messages: list[BaseMessage]
    tools: list[dict[str, Any]] = field(default_factory=list)


class ScriptedChat(BaseChatModel):
    """Says `lines` in order. Raises ModelFailed when they are used up."""

    lines: list[Line]
    _requests: list[ModelRequest] = PrivateAttr(default_factory=list)

    @property
    def requests(self) -> list[ModelRequest]:
        return self._requests

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=list(tools), **kwargs)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        number = len(self._requests)
        self._requests.append(ModelRequest(list(messages), kwargs.get("tools", [])))
        if number >= len(self.lines):
            raise ModelFailed("The script has no more lines.", retryable=False)
        line = self.lines[number]
        for start in range(0, len(line.text), line.piece):
            yield ChatGenerationChunk(message=AIMessageChunk(content=line.text[start : start + line.piece]))
        if line.error is not None:
            raise line.error
        for index, (name, arguments) in enumerate(line.calls):
            chunk = tool_call_chunk(name=name, args=arguments, id=f"call_{number}_{index}", index=index)
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[chunk]))
        said = {} if line.finish_reason is None else {"finish_reason": line.finish_reason}
        yield ChatGenerationChunk(message=AIMessageChunk(content="", response_metadata=said))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("the agent streams; use astream")


class ScriptedModels:
    """Implements `ChatModels` with one scripted model, whatever name is asked for."""

    def __init__(self, chat: BaseChatModel, *, sees_pictures: bool = True) -> None:
        self._model = Model(chat=chat, name="scripted", label="Scripted", sees_pictures=sees_pictures)

    async def learn(self, name: str | None, *, offered: Sequence[str] | None = None) -> None:
        """Nothing is to be found out."""

    def model(self, name: str | None, *, offered: Sequence[str] | None = None) -> Model:
        return self._model
