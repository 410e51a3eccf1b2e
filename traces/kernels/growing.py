"""Columns that grow without the kernels, a batch of rows at a time."""

from array import array
from typing import Any

import numpy as np
import numpy.typing as npt


class GrowingColumn:
    """Whole numbers, a row each; rows that nobody fills say `missing`.

    One array that grows where it lies: of pieces that are joined at the end the system would get nothing back.
    """

    def __init__(self, typecode: str, missing: int) -> None:
        self._rows = array(typecode)
        self._missing = missing
        self._first = 0
        self._batch: npt.NDArray[Any] | None = None

    def add(self, first: int, batch: npt.NDArray[Any]) -> None:
        """The rows from `first` on, behind all that are there."""
        self._keep()
        self._first, self._batch = first, batch

    def here(self, first: int, count: int) -> npt.NDArray[Any]:
        """The rows from `first` on, to be filled: those of the last call where it was for the same."""
        if self._batch is None or self._first < first or len(self._batch) < count:  # of no rows
            self.add(first, np.full(count, self._missing, np.int64))
        assert self._batch is not None
        return self._batch

    def forget(self, first: int) -> None:
        """Let go of the rows from `first` on, which could not be read."""
        if self._first >= first:
            self._batch = None

    def hold(self, largest: int) -> None:
        """Be wide enough for numbers up to this."""
        if largest > np.iinfo(self._rows.typecode).max:
            typecode = np.min_scalar_type(-largest - 1).char
            self._rows = array(typecode, np.frombuffer(self._rows, self._rows.typecode).astype(typecode).tobytes())

    def whole(self, count: int) -> npt.NDArray[Any]:
        """All rows; what says nothing at all takes no memory."""
        self._keep()
        if not self._rows:
            return np.broadcast_to(np.array(self._missing, self._rows.typecode), count)
        self._fill_up(count)
        return np.frombuffer(self._rows, self._rows.typecode)

    def _keep(self) -> None:
        if self._batch is not None:
            self._fill_up(self._first)
            self._rows.frombytes(self._batch.astype(self._rows.typecode, copy=False).tobytes())
            self._batch = None

    def _fill_up(self, count: int) -> None:
        if count > len(self._rows):
            self._rows.frombytes(np.full(count - len(self._rows), self._missing, self._rows.typecode).tobytes())
