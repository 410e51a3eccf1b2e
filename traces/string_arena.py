"""The texts of a trace while it is built, each kept once."""

from collections.abc import Sequence

import numpy as np

from traces.kernels.columns import counts_up
from traces.kernels.texts import Texts, picked
from traces.model import NONE, Int32, Int64, Strings


class StringArena:
    """Interns texts in order of their first use."""

    def __init__(self) -> None:
        self._first: Texts | None = None
        self._index: dict[str, int] = {}

    def index(self, text: str | None) -> int:
        """The number of a text from now on; -1 for None."""
        if text is None:
            return NONE
        index = self._interned()
        return index.setdefault(text, len(index))

    def indices(self, texts: Sequence[str | None]) -> Int32:
        """The numbers of some texts."""
        several = dict.fromkeys(texts)
        has_none = several.pop(None, self) is None
        if not several:
            return np.full(len(texts), NONE, np.int32)
        index = self._interned()
        fresh = [text for text in several if text is not None and text not in index]
        index.update(zip(fresh, range(len(index), len(index) + len(fresh)), strict=True))
        if has_none:
            return np.array([NONE if text is None else index[text] for text in texts], np.int32)
        return np.array([*map(index.__getitem__, texts)], np.int32)  # type: ignore[arg-type]

    def _interned(self) -> dict[str, int]:
        """The number of each text so far."""
        if self._first is not None:
            self._index = {known: i for i, known in enumerate(self._first.decoded())}
            self._first = None
        return self._index

    def distinct(self, texts: Texts, used: Int32 | Int64) -> Int32:
        """The numbers of some of distinct texts. The first that are interned stay as they are until another comes."""
        is_all = len(used) == len(texts) and counts_up(used)
        if not is_all:
            texts = picked(texts.arena, texts.offsets[used], np.diff(texts.offsets)[used].astype(np.int32))
        if self._first is not None or self._index:
            return self.indices(texts.decoded())
        self._first = texts
        return used.astype(np.int32, copy=False) if is_all else np.arange(len(texts), dtype=np.int32)

    def columns(self) -> Strings:
        """All texts, in order of their numbers."""
        if self._first is not None:
            return Strings(self._first.arena, self._first.offsets)
        joined = "".join(self._index)
        encoded = self._index if joined.isascii() else [text.encode("utf-8", "replace") for text in self._index]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum(list(map(len, encoded)), out=offsets[1:])
        return Strings(np.frombuffer(joined.encode("utf-8", "replace"), np.uint8), offsets)
