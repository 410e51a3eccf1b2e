"""Vectors of any endpoint that answers `/v1/embeddings`."""

from collections.abc import Sequence

import openai

from server.adapters.embedding.encoder_process import SERVICE, checked
from server.errors import ServiceUnavailable
from server.ports.embedder import MOST_TEXTS
from server.ports.memories import Vector

PATIENCE_S = 20.0
MOST_CHARACTERS = 8_000
"""Of one text: some 2,000 to 8,000 tokens, and 8,191 are what the usual models take."""


class OpenAIEmbedder:
    """An Embedder of one model of an endpoint."""

    def __init__(self, *, model: str, base_url: str | None, api_key: str | None) -> None:
        self._name = model
        self._client = openai.AsyncOpenAI(
            api_key=api_key or "none", base_url=base_url, timeout=PATIENCE_S, max_retries=1
        )

    @property
    def model(self) -> str:
        return self._name

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        vectors: list[Vector] = []
        for at in range(0, len(texts), MOST_TEXTS):
            part = [text[:MOST_CHARACTERS] or " " for text in texts[at : at + MOST_TEXTS]]
            try:
                reply = await self._client.embeddings.create(model=self._name, input=part, encoding_format="float")
            except (openai.OpenAIError, ValueError) as error:  # the second for a body that is no JSON
                raise ServiceUnavailable(
                    f"{self._name} gave no vectors ({type(error).__name__}).", service=SERVICE
                ) from error
            vectors += checked(self._name, _embeddings(self._name, reply), len(part))
        return vectors

    async def close(self) -> None:
        await self._client.close()


def _embeddings(model: str, reply: object) -> list[list[float]]:
    """The vectors of an answer, in the order of the texts. Raises ServiceUnavailable for what is none: the client does
    not look at what an endpoint sends."""
    try:
        rows = sorted(reply.data, key=lambda one: one.index)  # type: ignore[attr-defined]
        return [[float(value) for value in one.embedding] for one in rows]
    except (AttributeError, TypeError, ValueError) as error:
        raise ServiceUnavailable(f"{model} answered with what are no vectors.", service=SERVICE) from error
