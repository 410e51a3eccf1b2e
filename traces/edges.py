"""Who called whom, as files of call graphs have it: sums of a caller and a callee, which no call tree keeps exactly."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]
UNKNOWN = -1
"""In place of a number that the file does not have."""
EVERYONE = -1
"""The caller of the rows that hold a function's sums over all its callers."""
MAX_ROWS = 1 << 18
"""Rows of a profile up to which all its values have edges; beyond them only the value that is seen first."""

EDGE_TYPES = ("i4", "i4", "i4", "i4", "i8", "i8", "f8", "f8")
"""Of the columns, in their order."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Rows in order of `profile`, then of `value` (the profile's), in whose unit `self_value` and `total_value` are.

    `calls` is how often `caller` called `callee` (frames) directly, `primitive` how many of these calls were not inside
    another one of the same kind; `self_value` is what the callee cost itself in them, `total_value` with what it
    called. -1 is unknown. A row of caller -1 is a function with all its callers: the sum of the others only where it is
    not recursive, and without a total where the file counts a call inside a call again.
    """

    profile: Int32
    value: Int32
    caller: Int32
    callee: Int32
    calls: Int64
    primitive: Int64
    self_value: Float64
    total_value: Float64

    def __len__(self) -> int:
        return len(self.profile)

    @classmethod
    def joined(cls, batches: Sequence["Edges"]) -> Self:
        """All rows; batches come in order of their profiles and values."""
        columns = [[getattr(batch, field.name) for batch in batches] for field in fields(Edges)]
        return cls(*(np.concatenate(parts) for parts in columns))

    def numbered(self, number: Int32) -> "Edges":
        """The same, of frames that have these numbers."""
        caller = np.where(self.caller >= 0, number[self.caller], np.int32(EVERYONE))
        return replace(self, caller=caller, callee=number[self.callee])

    def rows_of(self, profile: int, value: int) -> slice:
        """The rows of one value of a profile."""
        low, high = np.searchsorted(self.profile, [profile, profile + 1]).tolist()
        first, last = np.searchsorted(self.value[low:high], [value, value + 1]).tolist()
        return slice(low + first, low + last)

    def without(self, profiles: Collection[int]) -> "Edges":
        """The rows of the other profiles."""
        kept = ~np.isin(self.profile, list(profiles))
        return Edges(*(getattr(self, field.name)[kept] for field in fields(Edges)))


def no_edges() -> Edges:
    """The table of a file that has none."""
    return Edges(*(np.zeros(0, kind) for kind in EDGE_TYPES))
