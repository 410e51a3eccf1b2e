"""Any OpenAI-compatible endpoint, through LangChain's client."""

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import anyio
import openai
from langchain_core.callbacks import AsyncCallbackManager
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config
from langchain_openai import ChatOpenAI
from pydantic import Field, PrivateAttr, SecretStr

from server.adapters.model.joined_chunks import join_chunks
from server.adapters.model.model_failures import model_failed
from server.adapters.model.patience import Patience, StillReading
from server.adapters.model.plain_stream import PlainCompletions
from server.adapters.model.response_failed import response_failed
from server.adapters.model.retry_pause import pause
from server.adapters.model.stream_pace import StreamPace
from server.agent.model_call.chat_model import READING, REASONING, REFUSAL, REQUEST_FAILED, REQUEST_REPEATED

ENCRYPTED = "reasoning.encrypted_content"
"""What the Responses API is asked to include: it keeps nothing itself (`store: false`)."""

ALIVE_S = 5.0
"""For an endpoint to say that it is there: it lists its models."""

BEGINNINGS = 256
"""Prompts' beginnings that are remembered as read."""


class CompatibleChat(ChatOpenAI):
    """ChatOpenAI whose stream is asked for again while nothing has come, which it reports, ends when the provider falls
    silent, and raises ModelFailed.
    """

    patience: Patience = Field(default_factory=Patience, exclude=True)
    is_compatible: bool = Field(default=False, exclude=True)
    """Whether it is another server than OpenAI's, which may know `max_tokens` alone."""
    reports_reading: bool = Field(default=False, exclude=True)
    """Whether it says how much of a prompt it has read, when it is asked to (llama.cpp)."""
    reasons: bool = Field(default=False, exclude=True)
    """Whether the Responses API is asked for the model's reasoning, sealed, to send it again with results of tools."""

    async def astream(
        self,
        input: LanguageModelInput,  # noqa: A002 - LangChain's name
        config: RunnableConfig | None = None,
        *,
        stop: list[str] | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[AIMessageChunk]:
        """As LangChain's, which keeps every chunk until the end for those who watch: where nobody does, none is."""
        config = ensure_config(config)
        if AsyncCallbackManager.configure(config.get("callbacks"), self.callbacks, self.verbose).handlers:
            async for message in super().astream(input, config, stop=stop, **kwargs):
                yield message
            return
        async with aclosing(self._astream(self._convert_input(input).to_messages(), stop=stop, **kwargs)) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                assert isinstance(chunk.message, AIMessageChunk)
                if chunk.generation_info:
                    chunk.message.response_metadata = chunk.generation_info | chunk.message.response_metadata
                yield chunk.message

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        tries = 0
        beginning = _beginning(args[0] if args else kwargs["messages"])
        while True:
            tries += 1
            came = is_named = False
            was_read = beginning in self._read
            try:
                async with aclosing(super()._astream(*args, **kwargs)) as stream:  # type: ignore[type-var]
                    async for chunk in self.patience.in_time(stream, was_read=was_read, tokens_read=_tokens_read):
                        if not came and _says_something(chunk):
                            came = True
                            self._read[beginning] = None
                            self._read = dict(list(self._read.items())[-BEGINNINGS:])
                        if is_named:
                            chunk.message.response_metadata.pop("id", None)  # LangChain joins those of all chunks
                        is_named = is_named or "id" in chunk.message.response_metadata
                        yield chunk
                return
            except (openai.OpenAIError, TimeoutError, ValueError) as failure:
                error = response_failed(failure)
                wait = None if came else pause(self.patience, error, tries)
                if wait is None:
                    if isinstance(error, TimeoutError) and not came and self.is_compatible:
                        error = await self._still_reading(self.patience.before_first(was_read=was_read)) or error
                    raise model_failed(error, self.model_name, self.openai_api_base, began=came) from failure
                failed = model_failed(error, self.model_name, self.openai_api_base, began=False)
            yield _notice({REQUEST_FAILED: failed.code})
            await anyio.sleep(wait)
            yield _notice({REQUEST_REPEATED: failed.code})

    async def _still_reading(self, seconds: float) -> StillReading | None:
        """What is said of an endpoint from which nothing came, and which answers another question; None: it is gone."""
        try:
            await self.root_async_client.with_options(timeout=ALIVE_S, max_retries=0).models.list()
        except openai.APIStatusError:
            pass
        except (openai.OpenAIError, ValueError):
            return None
        return StillReading(
            f"The model is there, but has not begun its answer within {seconds:g} s: it may still be reading the "
            "question. Ask a narrower question or another model. Whoever runs this server can give it more time "
            "(FLAMECHAT_MODEL_READING_SECONDS) or less to read (FLAMECHAT_MODEL_CONTEXT)."
        )

    _read: dict[str, None] = PrivateAttr(default_factory=dict)

    def _get_request_payload(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """OpenAI's reasoning models refuse `max_tokens`, for which LangChain writes its new name everywhere; servers
        that know only the old one would answer without a bound.
        """
        messages, *others = args
        payload: dict[str, Any] = super()._get_request_payload(
            [self._with_reasoning(one) for one in self._convert_input(messages).to_messages()], *others, **kwargs
        )
        if self.reasons and "input" in payload:
            payload["include"] = [ENCRYPTED]
        if self.is_compatible and "max_completion_tokens" in payload:
            payload["max_tokens"] = payload.pop("max_completion_tokens")
        if self.reports_reading and payload.get("stream") and "messages" in payload:
            payload["return_progress"] = True
        return payload

    def _with_reasoning(self, message: BaseMessage) -> BaseMessage:
        """A message of this model with the reasoning items that came before it; chat/completions leaves them out."""
        kept = message.additional_kwargs.get(REASONING)
        if not kept or kept["model"] != self.model_name or not self.reasons:
            return message
        text = [{"type": "text", "text": message.text}] if message.text else []
        return message.model_copy(update={"content": [*kept["items"], *text]})

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        """LangChain drops `delta.refusal` of a chat/completions stream; here it is kept under REFUSAL."""
        if stand := _reading(chunk.get("prompt_progress")):
            return _notice({READING: stand})
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        for choice in chunk.get("choices") or []:
            refusal = (choice.get("delta") or {}).get("refusal")
            if refusal and made is not None and isinstance(made.message, AIMessageChunk):
                made.message.additional_kwargs[REFUSAL] = refusal
        if made is not None and chunk.get("id"):
            made.message.response_metadata["id"] = chunk["id"]  # of a stream that breaks, too
        return made


def _notice(of_request: dict[str, str]) -> ChatGenerationChunk:
    """For whoever counts requests; it is no part of the reply."""
    return ChatGenerationChunk(message=AIMessageChunk(content="", additional_kwargs=of_request))


def _reading(progress: object) -> str | None:
    """`1200/4870` of llama.cpp's `prompt_progress`; None of what is none, or once all of it is read."""
    if not isinstance(progress, dict):
        return None
    read, of = progress.get("processed"), progress.get("total")
    is_part = isinstance(read, int) and isinstance(of, int) and 0 <= read <= of
    return f"{read}/{of}" if is_part else None


def _tokens_read(chunk: ChatGenerationChunk) -> int | None:
    """How much of the prompt was read, by a chunk that says so."""
    stand = chunk.message.additional_kwargs.get(READING)
    return int(stand.partition("/")[0]) if stand else None


def _beginning(messages: Sequence[BaseMessage]) -> str:
    """What names the part of a prompt that an endpoint keeps from request to request: its first message."""
    return hashlib.sha256(str(messages[0].content).encode("utf-8", "replace")).hexdigest() if messages else ""


def _says_something(chunk: ChatGenerationChunk) -> bool:
    """Whether it is part of a reply, and not the notice that one is coming."""
    message = chunk.message
    return READING not in message.additional_kwargs and bool(
        message.content or message.additional_kwargs or getattr(message, "tool_call_chunks", None)
    )


def openai_chat(
    *,
    model: str,
    base_url: str | None,
    api_key: str | None,
    use_responses_api: bool | None = None,
    patience: Patience | None = None,
    answer_tokens: int | None = None,
    reasons: bool = False,
    reasoning_effort: str | None = None,
    verbosity: str | None = None,
    reports_reading: bool = False,
    pace: StreamPace | None = None,
) -> CompatibleChat:
    """A streaming chat model. With a custom base URL chat/completions is the default: few such servers know the
    Responses API, and LangChain would choose it by the model's name. A local server needs no key: it gets a
    placeholder. OpenAI is asked to store nothing; others may not know the field. `pace` is that of all models' streams.
    """
    patience = patience or Patience()
    longest = max(patience.before_first(was_read=False), patience.silence_s) + 5
    if use_responses_api is None and base_url is not None:
        use_responses_api = False
    chat = CompatibleChat(
        model=model,
        base_url=base_url,
        api_key=SecretStr(api_key or "none"),
        use_responses_api=use_responses_api,
        store=False if use_responses_api or base_url is None else None,
        stream_usage=True,
        max_tokens=answer_tokens,
        reasoning_effort=reasoning_effort,
        verbosity=verbosity,
        reasons=reasons,
        # Connect, read, write, pool. The bounds in `patience` are met first: this one, between bytes, stays above them.
        # A tuple can be hashed, so that all models share one pool of connections.
        timeout=(patience.connect_s, longest, longest, patience.connect_s),
        stream_chunk_timeout=None,
        max_retries=0,
        patience=patience,
        is_compatible=base_url is not None,
        reports_reading=reports_reading,
    )
    join_chunks(chat.root_async_client._client)  # noqa: SLF001 - LangChain makes it, and makes it once
    chat.async_client = PlainCompletions(chat.root_async_client, pace or StreamPace())
    return chat
