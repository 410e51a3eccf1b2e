"""JSON arrays of numbers as columns. In C: numbers.c, and stacks.c for the spelling that most files have."""

import ctypes
from array import array
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from traces.kernels.inputs import Buffer, Slices
from traces.kernels.json_reference import JsonReader
from traces.kernels.library import REASONS, NotReadable, Outcome, call, contiguous, kernels, raise_for, take
from traces.kernels.scaled import scaled

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
NARROW = np.iinfo(np.int32)


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
        raise_for(outcome, numbers.fault_at)
        items = take(library, numbers, "items", numbers.item_count, np.int64)
        return items, take(library, numbers, "ends", numbers.end_count, np.int64)
    finally:
        call(library.forget_numbers, numbers)


def scan_stacks(data: Buffer) -> tuple[Int32, Int64]:
    """What `scan_numbers` gives, nested and exact, of all of `data`; a number beyond 32 bits is the nearest of them.

    Raises NotReadable as it does.
    """
    library = kernels()
    if library is not None:
        source, stacks = np.frombuffer(data, np.uint8), _StacksStruct()
        try:
            outcome = call(library.scan_stacks, source, len(source), stacks)
            if outcome == Outcome.OK:
                items = take(library, stacks, "items", stacks.item_count, np.int32)
                return items, take(library, stacks, "ends", stacks.end_count, np.int64)
            if outcome != Outcome.UNUSUAL:
                raise_for(outcome, 0)
        finally:
            call(library.forget_stacks, stacks)
    wide, ends = scan_numbers(data, ([0], [len(data)]), nested=True, exact=True)
    return np.clip(wide, NARROW.min, NARROW.max).astype(np.int32), ends


class _StacksStruct(ctypes.Structure):
    _fields_ = (
        ("items", ctypes.c_void_p),
        ("ends", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("item_count", "end_count", "item_room", "end_room")),
    )


class _NumbersStruct(ctypes.Structure):
    _fields_ = (
        ("items", ctypes.c_void_p),
        ("ends", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("item_count", "end_count", "item_room", "end_room", "fault_at")),
    )


def scan_numbers_reference(
    data: Buffer, slices: Slices, scale: int = 0, *, nested: bool = False, exact: bool = False
) -> tuple[Int64, Int64]:
    """The same, a number at a time."""
    items, ends = array("q"), array("q")

    def read_number(at: int) -> int:
        if json.is_number(at):
            stop = json.skip_number(at)
            token = bytes(json.data[at:stop])
            if not (exact and set(token) & set(b".eE")):
                items.append(scaled(token, scale))
                return stop
        raise json.fault(at) if at >= json.end else NotReadable(REASONS[Outcome.UNUSUAL], at)

    def read_numbers(at: int, read_element: Callable[[int], int] = read_number) -> int:
        if json.byte(at) != ord("["):
            raise json.fault(at) if at >= json.end else NotReadable(REASONS[Outcome.UNUSUAL], at)
        at = json.read_array(at, read_element)
        if read_element is read_number:
            ends.append(len(items))
        return at

    for offset, length in zip(*(np.asarray(column).tolist() for column in slices), strict=True):
        if not 0 <= offset <= offset + length <= len(data):
            raise NotReadable(REASONS[Outcome.OUT_OF_RANGE], 0)
        json = JsonReader(data, offset + length)
        at = json.skip_space(offset)
        at = json.skip_space(read_numbers(at, read_numbers if nested else read_number))
        if at < json.end:
            raise json.fault(at)
    return np.array(items, np.int64), np.array(ends, np.int64)
