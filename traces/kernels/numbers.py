"""JSON arrays of numbers as columns. In C: numbers.c."""

import ctypes
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Raw

from traces.kernels.library import REASONS, Buffer, NotReadable, Outcome, call, contiguous, kernels, raise_for, take
from traces.kernels.scaled import scaled_array, scaled_numbers

Int64 = npt.NDArray[np.int64]
Offsets = Sequence[int] | Int64 | npt.NDArray[np.int32]
Slices = tuple[Offsets, Offsets]
"""Offsets and lengths of parts of a document."""
BATCH = 1024
"""Arrays that are read at once without the kernels: more would only take memory."""
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
    """The same with msgspec, some arrays at a time."""
    view = memoryview(data)
    items, ends = array("q"), [np.empty(0, np.int64)]
    for offset, length in zip(*(np.asarray(column).tolist() for column in slices), strict=True):
        part = view[offset : offset + length]
        try:
            for numbers, sizes in _nested(part, scale) if nested else [_plain(part, scale)]:
                ends.append(len(items) + np.cumsum(sizes))
                items.frombytes(numbers.tobytes())
        except msgspec.ValidationError as error:
            raise NotReadable(NOT_NUMBERS, offset) from error
        except (msgspec.DecodeError, RecursionError) as error:
            raise NotReadable(REASONS[Outcome.MALFORMED], offset) from error
        if exact and any(sign in bytes(part) for sign in (b".", b"e", b"E")):
            raise NotReadable(NOT_NUMBERS, offset)
    return np.frombuffer(items, np.int64), np.concatenate(ends)


def _plain(part: memoryview, scale: int) -> tuple[Int64, list[int]]:
    numbers = scaled_array(part, scale)
    return numbers, [len(numbers)]


def _nested(part: memoryview, scale: int) -> Iterator[tuple[Int64, list[int]]]:
    remaining = iter(msgspec.json.decode(part, type=list[Raw]))
    while batch := list(islice(remaining, BATCH)):
        yield numbers_of_arrays(batch, scale)


def numbers_of_arrays(arrays: Sequence[Raw], scale: int) -> tuple[Int64, list[int]]:
    """The numbers of some JSON arrays, times 10**scale, and how many each has. Raises ValidationError."""
    joined = b"[%b]" % b",".join(arrays)
    try:
        decoded = msgspec.json.decode(joined, type=list[list[float]])
    except msgspec.ValidationError:  # in one of them is a number beyond float64, or no number
        each = [scaled_array(array, scale) for array in arrays]
        return np.concatenate([np.empty(0, np.int64), *each]), [len(numbers) for numbers in each]
    values = list(chain.from_iterable(decoded))
    return scaled_numbers(values, scale, partial(_tokens, joined)), [len(array) for array in decoded]


def _tokens(arrays: bytes) -> list[Raw]:
    return list(chain.from_iterable(msgspec.json.decode(arrays, type=list[list[Raw]])))
