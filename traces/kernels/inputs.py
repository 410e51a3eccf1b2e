"""What kernels are given: bytes, parts of them, and a counter of how much was read."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Buffer = bytes | bytearray | memoryview
Offsets = Sequence[int] | npt.NDArray[np.int64] | npt.NDArray[np.int32]
Slices = tuple[Offsets, Offsets]
"""Offsets and lengths of parts of a document."""
ReadCounter = memoryview
"""Of integers of 8 bytes; the first is how many bytes of a document were read."""


def advance(counter: ReadCounter | None, place: int) -> None:
    """All bytes before a place were read; a counter never goes back."""
    if counter is not None and place > counter[0]:
        counter[0] = place


def counted_in(counter: ReadCounter | None) -> npt.NDArray[np.int64]:
    """The number that a kernel advances; one that nobody sees without a counter."""
    return np.zeros(1, np.int64) if counter is None else np.frombuffer(counter, np.int64)
