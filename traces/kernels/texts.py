"""Texts one behind another, as kernels find them, without an object for each. In C: columns.c."""

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.kernels.library import call, contiguous, kernels, raise_for

CONTINUES = 0x80
"""The two highest bits of a byte that goes on a character of UTF-8 (RFC 3629)."""

BEYOND_ASCII = 0x80
"""The least byte that is not ASCII."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Text `i` is `arena[offsets[i]:offsets[i + 1]]`."""

    arena: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def pieces(self) -> tuple[bytes, ...]:
        """Each as bytes."""
        data, ends = self.arena.tobytes(), self.offsets.tolist()
        return tuple(data[at:end] for at, end in itertools.pairwise(ends))

    def decoded(self) -> list[str]:
        """Each as text; what is no UTF-8 is replaced."""
        return [piece.decode("utf-8", "replace") for piece in self.pieces()]

    @property
    def is_utf8(self) -> bool:
        """Whether each of them is."""
        if not len(self.arena) or self.arena.max() < BEYOND_ASCII:
            return True
        begins = self.offsets[:-1][self.offsets[:-1] < self.offsets[1:]]
        if ((self.arena[begins] & 0xC0) == CONTINUES).any():
            return False
        try:
            str(self.arena.data, "utf-8")
        except UnicodeDecodeError:
            return False
        return True


def joined(pieces: tuple[bytes, ...]) -> Texts:
    """Texts of some bytes."""
    return Texts(
        np.frombuffer(b"".join(pieces), np.uint8), _offsets(np.array([len(piece) for piece in pieces], np.int64))
    )


def picked(source: npt.NDArray[np.uint8], offset: npt.NDArray[np.int64], length: npt.NDArray[np.int32]) -> Texts:
    """Copies of some places of a source. Raises NotReadable for one outside of it."""
    library = kernels()
    if library is None:
        ends = zip(offset.tolist(), (offset + length).tolist(), strict=True)
        return joined(tuple(source.data[at:end].tobytes() for at, end in ends))
    offsets = _offsets(length)
    arena = np.empty(offsets[-1], np.uint8)
    places = contiguous(offset, np.int64), contiguous(length, np.int32)
    raise_for(call(library.join_texts, source, len(source), *places, len(length), arena), 0)
    return Texts(arena, offsets)


def _offsets(length: npt.NDArray[np.signedinteger]) -> npt.NDArray[np.int64]:
    offsets = np.zeros(len(length) + 1, np.int64)
    np.cumsum(length, out=offsets[1:])
    return offsets
