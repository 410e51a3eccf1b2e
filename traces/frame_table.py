"""The frames of a trace while it is built: each place in the code once, numbered as they are first met."""

from collections.abc import Sequence

import numpy as np

from traces.kernels.columns import counts_up, first_rows
from traces.kernels.texts import Texts
from traces.model import NONE, Frames, Int32, Int64
from traces.string_arena import StringArena

LAST_LINE = 2**31 - 1
"""Files may name places of any number of digits; none is beyond this."""
FrameKey = tuple[str, str | None, int, int, str | None]


class FrameTable:
    """Frames by name, file, line and column. Distinct names that a kernel found stay as they are, in front of all
    others: two million of them are no objects of their own."""

    def __init__(self) -> None:
        self._names: Texts | None = None
        self._first = 0
        """How many of the frames are `_names`."""
        self._rows: list[FrameKey] = []
        self._index: dict[FrameKey, int] = {}

    def __len__(self) -> int:
        return self._first + len(self._rows)

    def index(self, name: str, file: str | None, line: int | None, column: int | None, category: str | None) -> int:
        """The number of a frame; the first category stays."""
        if self._names is not None:
            self._take_names(self._names)
        key: FrameKey = (name, file, NONE if line is None else line, NONE if column is None else column, None)
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self._rows)
            self._rows.append(key if category is None else (*key[:4], category))
        return index

    def _take_names(self, names: Texts) -> None:
        """Names that stayed as they are become rows as all others."""
        self._index = {(known, None, NONE, NONE, None): i for i, known in enumerate(names.decoded())}
        self._names, self._rows, self._first = None, list(self._index), 0

    def indices(self, names: Texts | Sequence[tuple[str, str | None]]) -> Int32:
        """The numbers of frames that are only names, distinct as bytes, or have a name and a file each."""
        if not isinstance(names, Texts):
            return self._placed(names)
        if len(self) == 0 and names.is_utf8:
            self._names, self._first = names, len(names)
            return np.arange(len(names), dtype=np.int32)
        return np.array([self.index(name, None, None, None, None) for name in names.decoded()], np.int32)

    def _placed(self, places: Sequence[tuple[str, str | None]]) -> Int32:
        if self._names is not None:
            self._take_names(self._names)
        index = self._index
        keys: list[FrameKey] = [(name, file, NONE, NONE, None) for name, file in places]
        fresh = [key for key in dict.fromkeys(keys) if key not in index]
        index.update(zip(fresh, range(len(self._rows), len(self._rows) + len(fresh)), strict=True))
        self._rows += fresh
        return np.array([*map(index.__getitem__, keys)], np.int32)

    def name(self, frame: int) -> str:
        """A frame's name."""
        if self._names is not None:
            begin, end = self._names.offsets[frame : frame + 2]
            return self._names.arena[begin:end].tobytes().decode("utf-8")
        return self._rows[frame][0]

    def columns(self, used: Int32 | Int64, strings: StringArena) -> Frames:
        """Some of them, in this order."""
        if self._names is not None:
            nothing = np.full(len(used), NONE, np.int32)
            return Frames(strings.distinct(self._names, used), nothing, nothing, nothing, nothing)
        rows = [self._rows[i] for i in used.tolist()]
        return Frames(
            name=strings.indices([row[0] for row in rows]),
            file=strings.indices([row[1] for row in rows]),
            line=_places([row[2] for row in rows]),
            column=_places([row[3] for row in rows]),
            category=strings.indices([row[4] for row in rows]),
        )


def in_order_of_use(uses: Sequence[Int32], count: int) -> tuple[Int32 | Int64, Int32]:
    """Those of `count` frames that are used, by where they are first, and the place of each frame among them or -1."""
    if len(uses) == 1 and len(uses[0]) == count and counts_up(uses[0]):  # names that stand once
        return uses[0], uses[0]
    first = first_rows(uses[0] if len(uses) == 1 else np.concatenate(uses), count)
    used = np.flatnonzero(first != NONE)
    places = first[used]
    if (places[1:] < places[:-1]).any():
        used = used[np.argsort(places)]
    number = np.full(count, NONE, np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    return used, number


def _places(numbers: Sequence[int]) -> Int32:
    """Lines or columns; of what cannot be one, the nearest that can."""
    if numbers and (min(numbers) < NONE or max(numbers) > LAST_LINE):
        numbers = [max(NONE, min(number, LAST_LINE)) for number in numbers]
    return np.array(numbers, np.int32)
