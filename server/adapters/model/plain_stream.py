"""Chunks of a chat/completions stream as the JSON they are."""

from typing import Any

from openai import AsyncOpenAI, AsyncStream


class PlainCompletions:
    """In the place of `client.chat.completions`. The SDK builds a checked object of every chunk, of which LangChain
    makes a dict again: about half of what a token costs. What is not a stream goes the usual way."""

    def __init__(self, client: AsyncOpenAI) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client.chat.completions, name)

    async def create(self, **payload: Any) -> Any:
        """A stream of dicts; raises what the SDK raises."""
        if not payload.get("stream"):
            return await self._client.chat.completions.create(**payload)
        return await self._client.post(
            "/chat/completions", body=payload, cast_to=object, stream=True, stream_cls=AsyncStream[object]
        )
