"""Traces of turns by the package's callback handler. A turn is one trace, whose id follows from the turn's, so that a
second attempt and a score find it.
"""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.runnables import RunnableConfig
from langfuse import Langfuse
from langfuse.langchain import CallbackHandler
from langfuse.model import TextPromptClient
from langfuse.types import TraceContext

from server.adapters.langfuse.connection import LangfuseConnection
from server.agent.model_call.debug_messages import masked
from server.agent.tracing import PROMPT_VERSION
from server.agent.turn import TurnInput

LinkedPrompt = Callable[[str], TextPromptClient | None]


class LangfuseTracing:
    """A `Tracing`. `linked` finds the Langfuse prompt of a version, None where the prompt came from elsewhere."""

    def __init__(self, connection: LangfuseConnection, linked: LinkedPrompt = lambda _: None) -> None:
        self._connection = connection
        self._linked = linked

    def __call__(self, turn: TurnInput) -> RunnableConfig:
        handler = TurnHandler(
            public_key=self._connection.public_key,
            trace_id=trace_id_of(turn.turn_id),
            with_contents=self._connection.with_contents,
            linked=self._linked,
        )
        return RunnableConfig(
            callbacks=[handler],
            run_name="turn",
            metadata={
                "langfuse_trace_name": "turn",
                "langfuse_session_id": turn.session_id,
                "langfuse_user_id": turn.caller.user_id,
                "turn_id": turn.turn_id,
                "attempt": str(turn.attempt),
                "plan": turn.plan_name,
                "trace_id": turn.trace.trace_id,
                "trace_format": turn.trace.format,
            },
        )


def trace_id_of(turn_id: str) -> str:
    """The Langfuse trace of a turn, of whatever attempt."""
    return Langfuse.create_trace_id(seed=turn_id)


class TurnHandler(CallbackHandler):
    """The package's handler, which here runs on the loop (a thread per event would cost more) and is not given what it
    shall not send: the graph's state never, messages and replies only with `with_contents`, of errors only the kind.
    """

    run_inline = True

    def __init__(self, *, public_key: str, trace_id: str, with_contents: bool, linked: LinkedPrompt) -> None:
        super().__init__(public_key=public_key, trace_context=TraceContext(trace_id=trace_id))
        self._with_contents = with_contents
        self._linked = linked

    def on_chain_start(self, serialized: dict[str, Any] | None, inputs: Any, **kwargs: Any) -> Any:
        return super().on_chain_start(serialized, None, **kwargs)

    def on_chain_end(self, outputs: Any, **kwargs: Any) -> Any:
        return super().on_chain_end({}, **kwargs)

    def on_chain_error(self, error: BaseException, **kwargs: Any) -> Any:
        return super().on_chain_error(kind_of(error), **kwargs)

    def on_chat_model_start(
        self,
        serialized: dict[str, Any] | None,
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        shown = [[_without_pictures(one) for one in batch] for batch in messages] if self._with_contents else [[]]
        parameters = kwargs.get("invocation_params") or {}
        kwargs["invocation_params"] = {name: value for name, value in parameters.items() if name != "tools"}
        super().on_chat_model_start(serialized, shown, run_id=run_id, metadata=metadata, **kwargs)
        prompt = self._linked(str((metadata or {}).get(PROMPT_VERSION, "")))
        generation = self._runs.get(run_id)
        if prompt is not None and generation is not None:
            generation.update(prompt=prompt)

    async def on_llm_new_token(self, token: str, *, run_id: UUID, **kwargs: Any) -> Any:  # type: ignore[override]
        """Only the first token is reported: the package notes its time and nothing else of tokens."""
        if run_id not in self._updated_completion_start_time_memo:
            super().on_llm_new_token(token, run_id=run_id, **kwargs)

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> Any:
        return super().on_llm_end(response if self._with_contents else _without_text(response), **kwargs)

    def on_llm_error(self, error: BaseException, **kwargs: Any) -> Any:
        kwargs.pop("response", None)
        return super().on_llm_error(kind_of(error), **kwargs)


def _without_pictures(message: BaseMessage) -> BaseMessage:
    """The package would upload pictures, before it masks anything."""
    return message.model_copy(update={"content": masked(message.content)})


def kind_of(error: BaseException) -> BaseException:
    """An error of the same name without its text, which may quote a trace; the graph's own signals stay."""
    code = getattr(error, "code", None)
    return RuntimeError(f"{type(error).__name__}{f': {code}' if isinstance(code, str) else ''}")


SHOWN = frozenset({"model_name", "model", "finish_reason", "status"})
"""Metadata of a reply that quotes none of its text."""


def _without_text(response: LLMResult) -> LLMResult:
    """The result with its usage and model, and without its text."""
    generation = response.generations[-1][-1]
    if not isinstance(generation, ChatGeneration) or not isinstance(generation.message, AIMessage):
        return LLMResult(generations=[[ChatGeneration(message=AIMessage(content=""))]])
    said = generation.message
    metadata = {name: value for name, value in said.response_metadata.items() if name in SHOWN}
    message = AIMessage(content="", usage_metadata=said.usage_metadata, response_metadata=metadata)
    return LLMResult(generations=[[ChatGeneration(message=message)]])
