"""Vectors made from words: two texts are near when they share some. The twin of every Embedder."""

import math
import re
import zlib
from collections.abc import Sequence

from server.errors import ServiceUnavailable
from server.ports.memories import Vector

_WORD = re.compile(r"\w+")


class WordEmbedder:
    """`same` are groups of words that mean one thing; `fails` makes the next calls fail."""

    def __init__(self, model: str = "words", *, dimensions: int = 384, same: Sequence[Sequence[str]] = ()) -> None:
        self._model = model
        self._dimensions = dimensions
        self._one = {word: group[0] for group in same for word in group}
        self.fails = False
        self.asked = 0

    @property
    def model(self) -> str:
        return self._model

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        if self.fails:
            raise ServiceUnavailable(f"{self._model} gave no vectors.", service="embeddings")
        self.asked += len(texts)
        return [Vector(model=self._model, values=self._values(text)) for text in texts]

    async def close(self) -> None:
        self.fails = True

    def _values(self, text: str) -> tuple[float, ...]:
        values = [0.0] * self._dimensions
        values[0] = 0.1
        for word in _WORD.findall(text.casefold()):
            values[zlib.crc32(self._one.get(word, word).encode()) % self._dimensions] += 1.0
        norm = math.sqrt(sum(value * value for value in values))
        return tuple(value / norm for value in values)
