"""The vector of a question, from the embedder whose vectors are all there."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from server.errors import ServiceUnavailable, raised_at
from server.ports.embedder import Embedder
from server.ports.memories import Vector

PATIENCE_S = 0.3
"""For the vector of a question: it stands before an answer."""

log = structlog.get_logger(__name__)


async def asked_vector(
    embedders: Sequence[Embedder], is_complete: Callable[[str], Awaitable[bool]], query: str, *, patience_s: float
) -> Vector | None:
    """Of the first embedder that has all vectors, else of the last, so that an older one goes on while a newer is
    filled. None where words have to do: there is no embedder, it is slow, or it fails."""
    try:
        for embedder in embedders:
            if embedder is embedders[-1] or await is_complete(embedder.model):
                return (await asyncio.wait_for(embedder.embed([query]), patience_s))[0]
    except (TimeoutError, ServiceUnavailable) as error:
        log.warning("memory_searched_by_words", error=type(error).__name__, where=raised_at(error))
    return None
