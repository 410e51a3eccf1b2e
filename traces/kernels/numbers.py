"""JSON arrays of numbers as columns. In C: numbers.c."""

import ctypes
from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Raw

from traces.kernels.library import REASONS, Buffer, NotReadable, Outcome, call, contiguous, kernels, raise_for, take
from traces.kernels.scaled import MISSING, scaled_number

Int64 = npt.NDArray[np.int64]
Offsets = Sequence[int] | Int64 | npt.NDArray[np.int32]
Slices = tuple[Offsets, Offsets]
"""Offsets and lengths of parts of a document."""
NOT_NUMBERS = "a list of numbers holds something else"


def scan_numbers(
    data: Buffer, slices: Slices, scale: int = 0, *, nested: bool = False, exact: bool = False
) -> tuple[Int64, Int64]:
    """The numbers of all arrays times 10**scale, exactly, rounded half away from zero; and where each array ends among
    them.

    With `nested` the slices are arrays of such arrays. Raises NotReadable for what is no such array, with `exact` also
    for a number with a fraction or an exponent.
    """
    library = kernels()
    if library is None:
        return scan_numbers_reference(data, slices, scale, nested=nested, exact=exact)
    source = np.frombuffer(data, np.uint8)
    offsets, lengths = (contiguous(column, np.int64) for column in slices)
    numbers = _NumbersStruct()
    try:
        flags = (scale, int(exact), int(nested))
        outcome = call(library.scan_numbers, source, len(source), offsets, lengths, len(offsets), *flags, numbers)
        if outcome == Outcome.UNUSUAL:
            raise NotReadable(NOT_NUMBERS, numbers.fault_at)
        raise_for(outcome, numbers.fault_at)
        items = take(library, numbers, "items", numbers.item_count, np.int64)
        return items, take(library, numbers, "ends", numbers.end_count, np.int64)
    finally:
        call(library.forget_numbers, numbers)


class _NumbersStruct(ctypes.Structure):
    _fields_ = (
        ("items", ctypes.c_void_p),
        ("ends", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("item_count", "end_count", "item_room", "end_room", "fault_at")),
    )


def scan_numbers_reference(
    data: Buffer, slices: Slices, scale: int = 0, *, nested: bool = False, exact: bool = False
) -> tuple[Int64, Int64]:
    """The same with msgspec, a number at a time."""
    view = memoryview(data)
    items: list[int] = []
    ends: list[int] = []
    for offset, length in zip(*(np.asarray(column).tolist() for column in slices), strict=True):
        for array in _arrays(bytes(view[offset : offset + length]), scale, offset, nested=nested, exact=exact):
            items.extend(array)
            ends.append(len(items))
    return np.array(items, np.int64), np.array(ends, np.int64)


def _arrays(part: bytes, scale: int, offset: int, *, nested: bool, exact: bool) -> list[list[int]]:
    fractions = any(sign in part for sign in (b".", b"e", b"E"))
    try:
        if not scale and not fractions:
            try:
                arrays = (
                    msgspec.json.decode(part, type=list[list[int]])
                    if nested
                    else [msgspec.json.decode(part, type=list[int])]
                )
                np.array([n for array in arrays for n in array], np.int64)
                return arrays
            except (msgspec.ValidationError, OverflowError):
                pass  # numbers beyond int64, or no numbers: below
        raw = msgspec.json.decode(part, type=list[list[Raw]]) if nested else [msgspec.json.decode(part, type=list[Raw])]
    except msgspec.ValidationError as error:
        raise NotReadable(NOT_NUMBERS, offset) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise NotReadable(REASONS[Outcome.MALFORMED], offset) from error
    arrays = [[scaled_number(bytes(number), scale) for number in array] for array in raw]
    if (exact and fractions) or any(MISSING in array for array in arrays):
        raise NotReadable(NOT_NUMBERS, offset)
    return arrays
