"""Any OpenAI-compatible endpoint, through LangChain's client."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import anyio
import openai
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import Field, SecretStr

from server.adapters.model.model_failures import model_failed
from server.adapters.model.patience import Patience
from server.adapters.model.plain_stream import PlainCompletions
from server.adapters.model.retry_pause import pause
from server.agent.model_call.chat_model import REFUSAL


class CompatibleChat(ChatOpenAI):
    """ChatOpenAI whose stream is asked for again while nothing has come, ends when the provider falls silent, and
    raises ModelFailed.
    """

    patience: Patience = Field(default_factory=Patience, exclude=True)

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        tries = 0
        while True:
            tries += 1
            came = False
            try:
                async with aclosing(super()._astream(*args, **kwargs)) as stream:  # type: ignore[type-var]
                    async for chunk in self.patience.in_time(stream):
                        came = True
                        yield chunk
                return
            except (openai.OpenAIError, TimeoutError, ValueError) as error:
                wait = None if came else pause(self.patience, error, tries)
                if wait is None:
                    raise model_failed(error, self.model_name, self.openai_api_base, began=came) from error
            await anyio.sleep(wait)

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        """LangChain drops `delta.refusal` of a chat/completions stream; here it is kept under REFUSAL."""
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        for choice in chunk.get("choices") or []:
            refusal = (choice.get("delta") or {}).get("refusal")
            if refusal and made is not None and isinstance(made.message, AIMessageChunk):
                made.message.additional_kwargs[REFUSAL] = refusal
        return made


def openai_chat(
    *,
    model: str,
    base_url: str | None,
    api_key: str | None,
    use_responses_api: bool | None = None,
    patience: Patience | None = None,
) -> CompatibleChat:
    """A streaming chat model. With a custom base URL chat/completions is the default: few such servers know the
    Responses API, and LangChain would choose it by the model's name. A local server needs no key: it gets a
    placeholder. OpenAI is asked to store nothing; others may not know the field.
    """
    patience = patience or Patience()
    longest = max(patience.first_s, patience.silence_s) + 5
    if use_responses_api is None and base_url is not None:
        use_responses_api = False
    chat = CompatibleChat(
        model=model,
        base_url=base_url,
        api_key=SecretStr(api_key or "none"),
        use_responses_api=use_responses_api,
        store=False if use_responses_api or base_url is None else None,
        stream_usage=True,
        # Connect, read, write, pool. The bounds in `patience` are met first: this one, between bytes, stays above them.
        # A tuple can be hashed, so that all models share one pool of connections.
        timeout=(patience.connect_s, longest, longest, patience.connect_s),
        stream_chunk_timeout=None,
        max_retries=0,
        patience=patience,
    )
    chat.async_client = PlainCompletions(chat.root_async_client)
    return chat
