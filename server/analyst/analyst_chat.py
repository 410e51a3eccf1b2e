"""The analyst as a LangChain chat model: it binds tools, streams text and asks for tool calls like any other."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable

from server.analyst.evidence import gathered_evidence
from server.analyst.plan import next_calls
from server.analyst.question import understood
from server.analyst.report import report

CHUNK_CHARACTERS = 48
"""A streamed piece: about what a provider sends in one flush."""


class AnalystChat(BaseChatModel):
    """Deterministic: the same conversation gives the same reply."""

    @property
    def _llm_type(self) -> str:
        return "flamechat-analyst"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=list(tools), **kwargs)

    def _chunks(self, messages: list[BaseMessage], tools: Sequence[dict[str, Any]]) -> Iterator[AIMessageChunk]:
        evidence = gathered_evidence(messages)
        question = understood(evidence.prompt, evidence.viewer, evidence.windows)
        calls = next_calls(question, evidence, frozenset(tool["function"]["name"] for tool in tools))
        for index, (name, arguments) in enumerate(calls):
            call_id = f"analyst_{len(evidence.results) + index}"
            yield AIMessageChunk(
                content="",
                tool_call_chunks=[tool_call_chunk(name=name, args=json.dumps(arguments), id=call_id, index=index)],
            )
        if not calls:
            text = report(question, evidence)
            for start in range(0, len(text), CHUNK_CHARACTERS):
                yield AIMessageChunk(content=text[start : start + CHUNK_CHARACTERS])
        yield AIMessageChunk(content="", response_metadata={"finish_reason": "tool_calls" if calls else "stop"})

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._chunks(messages, kwargs.get("tools", [])):
            yield ChatGenerationChunk(message=chunk)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        first, *rest = self._chunks(messages, kwargs.get("tools", []))
        message = first
        for chunk in rest:
            message += chunk
        return ChatResult(generations=[ChatGeneration(message=message)])
