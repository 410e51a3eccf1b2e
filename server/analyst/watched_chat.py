"""The analyst as a LangChain chat model, for those who watch model calls by LangChain's callbacks."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable

from server.analyst.analyst_chat import reply_chunks


class WatchedAnalystChat(BaseChatModel):
    """`AnalystChat` whose calls have callbacks."""

    @property
    def _llm_type(self) -> str:
        return "flamechat-analyst"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=list(tools), **kwargs)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in reply_chunks(messages, kwargs.get("tools", [])):
            yield ChatGenerationChunk(message=chunk)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        first, *rest = reply_chunks(messages, kwargs.get("tools", []))
        reply = first
        for chunk in rest:
            reply += chunk
        return ChatResult(generations=[ChatGeneration(message=reply)])
