"""The compiled kernels: found next to this file, loaded on first use, called without the interpreter's lock."""

import ctypes
import os
import weakref
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

SWITCH = "FLAMECHAT_KERNELS"
PATH = Path(__file__).with_name("kernels.so")
ABI = 23
"""Raised with every change of a C signature or struct; a library built from other sources is not used."""


class Outcome(IntEnum):
    """What a kernel returns, as in bytes.h."""

    OK = 0
    MALFORMED = 1
    TRUNCATED = 2
    TOO_DEEP = 3
    NO_MEMORY = 4
    UNUSUAL = 5
    OUT_OF_RANGE = 6


class NotReadable(Exception):
    """The bytes are not what the kernel reads; `position` is the first that is wrong, `reason` says why."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(f"{reason} (byte {position:,})")
        self.reason = reason
        self.position = position


REASONS = {
    Outcome.MALFORMED: "it is malformed",
    Outcome.TRUNCATED: "it is truncated",
    Outcome.TOO_DEEP: "it is nested too deeply",
    Outcome.UNUSUAL: "a list of numbers holds something else",
    Outcome.OUT_OF_RANGE: "a value is too large",
}


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether the compiled kernels are in use, and why not."""

    available: bool
    reason: str


@cache
def _loaded() -> tuple[ctypes.CDLL | None, str]:
    if not PATH.is_file():
        return (
            None,
            "they were not built when Flamechat was installed: no C compiler was found, nor could one be fetched",
        )
    try:
        library = ctypes.CDLL(str(PATH))
        version = library.kernels_abi
    except (OSError, AttributeError) as error:
        return None, f"{PATH.name} cannot be loaded: {error}"
    if version() != ABI:
        return None, f"{PATH.name} was built from other sources: install Flamechat again"
    return library, f"loaded from {PATH.name}"


def kernels() -> ctypes.CDLL | None:
    """The compiled kernels, or None when the reference has to do."""
    return None if os.environ.get(SWITCH) == "off" else _loaded()[0]


def kernels_available() -> Availability:
    """Whether the compiled kernels are in use, and the reason."""
    if os.environ.get(SWITCH) == "off":
        return Availability(available=False, reason=f"{SWITCH}=off")
    library, reason = _loaded()
    return Availability(available=library is not None, reason=reason)


def raise_for(outcome: int, position: int) -> None:
    """Nothing for OK. Raises MemoryError, or NotReadable for what the input's bytes are to blame for."""
    if outcome == Outcome.NO_MEMORY:
        raise MemoryError
    if outcome != Outcome.OK:
        raise NotReadable(REASONS[Outcome(outcome)], position)


def contiguous(array: npt.ArrayLike, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """A column as a kernel reads it."""
    return np.ascontiguousarray(array, dtype)


def call(function: Any, *arguments: Any) -> int:
    """Call a kernel: columns as pointers, integers as int64, structs by reference. Returns what it returns."""
    function.restype = ctypes.c_int64
    return int(function(*map(_argument, arguments)))


def _argument(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, ctypes.Structure):
        return ctypes.byref(value)
    if isinstance(value, float):
        return ctypes.c_double(value)
    return ctypes.c_int64(value) if isinstance(value, int) else value


def take(
    library: ctypes.CDLL, struct: ctypes.Structure, name: str, count: int, dtype: npt.DTypeLike
) -> npt.NDArray[Any]:
    """A column that a kernel allocated for a struct, without a copy; its last view frees it, no longer the kernel."""
    kind = np.dtype(dtype)
    pointer = getattr(struct, name)
    if not pointer or not count:
        return np.zeros(0, kind)
    block = (ctypes.c_char * (count * kind.itemsize)).from_address(pointer)
    weakref.finalize(block, library.release, ctypes.c_void_p(pointer)).atexit = False
    setattr(struct, name, None)
    return np.asarray(np.frombuffer(memoryview(block), kind))


class NamesStruct(ctypes.Structure):
    """`Names` of bytes.h."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("offset", "length", "hash", "slots")),
        *((name, ctypes.c_int64) for name in ("count", "offset_room", "length_room", "hash_room", "slot_count")),
    )

    def texts(self, source: npt.NDArray[np.uint8]) -> tuple[bytes, ...]:
        """The interned texts, in order of first appearance."""
        if not self.count:
            return ()
        offsets = np.frombuffer((ctypes.c_int64 * self.count).from_address(self.offset), np.int64)
        lengths = np.frombuffer((ctypes.c_int32 * self.count).from_address(self.length), np.int32)
        return tuple(texts_at(source, offsets, lengths))


def texts_at(
    source: npt.NDArray[np.uint8], offset: npt.NDArray[np.int64], length: npt.NDArray[np.int32]
) -> list[bytes]:
    """Copies of some places of a source."""
    view = source.data
    return [view[at:end].tobytes() for at, end in zip(offset.tolist(), (offset + length).tolist(), strict=True)]
