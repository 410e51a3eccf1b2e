"""The texts of a trace while it is built, each kept once."""

from collections.abc import Sequence

import numpy as np

from traces.model import NONE, Int32, Strings


class StringArena:
    """Interns texts in order of their first use."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {}

    def index(self, text: str | None) -> int:
        """The number of a text from now on; -1 for None."""
        return NONE if text is None else self._index.setdefault(text, len(self._index))

    def indices(self, texts: Sequence[str | None]) -> Int32:
        """The numbers of some texts."""
        return np.array([self.index(text) for text in texts], np.int32)

    def columns(self) -> Strings:
        """All texts, in order of their numbers."""
        encoded = [text.encode("utf-8", "replace") for text in self._index]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(e) for e in encoded], out=offsets[1:])
        return Strings(np.frombuffer(b"".join(encoded), np.uint8), offsets)
