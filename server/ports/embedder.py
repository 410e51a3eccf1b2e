"""What turns texts into vectors of what they mean."""

from collections.abc import Sequence
from typing import Protocol

from server.ports.memories import Vector

MOST_TEXTS = 64
"""Of one call."""


class Embedder(Protocol):
    """One model."""

    @property
    def model(self) -> str:
        """Its name, as vectors are kept under it."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, in order, each of length 1; a text too long for the model is cut. Raises
        ServiceUnavailable where none could be made: its text says why."""
        ...

    async def close(self) -> None: ...
