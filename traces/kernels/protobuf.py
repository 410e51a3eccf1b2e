"""Protobuf messages as columns of fields. In C: protobuf.c; format: https://protobuf.dev/programming-guides/encoding/."""

import ctypes
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.kernels.inputs import Buffer
from traces.kernels.library import REASONS, NotReadable, Outcome, call, contiguous, kernels, raise_for, take

Int64 = npt.NDArray[np.int64]
VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
LARGEST_FIELD = 0x1FFFFFFF


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of some messages, one a row. `first` is a varint's value (as int64), or where the field's bytes begin;
    `last` where they end. Message `i` has rows `ends[i - 1]:ends[i]`."""

    number: npt.NDArray[np.int32]
    wire: npt.NDArray[np.uint8]
    first: Int64
    last: Int64
    ends: Int64

    @property
    def message(self) -> Int64:
        """The message of each row."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))


def scan_fields(data: Buffer, firsts: Sequence[int] | Int64, lasts: Sequence[int] | Int64) -> Fields:
    """The fields of the messages `data[firsts[i]:lasts[i]]`. Raises NotReadable."""
    library = kernels()
    if library is None:
        return scan_fields_reference(data, firsts, lasts)
    source = np.frombuffer(data, np.uint8)
    begins, stops = contiguous(firsts, np.int64), contiguous(lasts, np.int64)
    ends = np.empty(len(begins), np.int64)
    fields = _FieldsStruct()
    try:
        outcome = call(library.scan_fields, source, len(source), begins, stops, len(begins), ends, fields)
        raise_for(outcome, fields.fault_at)
        number = take(library, fields, "number", fields.count, np.int32)
        wire = take(library, fields, "wire", fields.count, np.uint8)
        first, last = (take(library, fields, name, fields.count, np.int64) for name in ("first", "last"))
        return Fields(number, wire, first, last, ends)
    finally:
        call(library.forget_fields, fields)


def scan_fields_reference(data: Buffer, firsts: Sequence[int] | Int64, lasts: Sequence[int] | Int64) -> Fields:
    """The same, a field at a time."""
    source = memoryview(data).cast("B")
    rows = array("q")
    ends = array("q")
    for first, last in zip(np.asarray(firsts).tolist(), np.asarray(lasts).tolist(), strict=True):
        if not 0 <= first <= last <= len(source):
            raise NotReadable(REASONS[Outcome.OUT_OF_RANGE], 0)
        at = first
        while at < last:
            start = at
            tag, at = _varint(source, at, last, start)
            wire = tag & 7
            if not 0 < tag >> 3 <= LARGEST_FIELD or wire not in (VARINT, FIXED64, LENGTH, FIXED32):
                raise NotReadable(REASONS[Outcome.MALFORMED], start)
            if wire == VARINT:
                value, at = _varint(source, at, last, start)
                rows.extend((tag >> 3, wire, value, 0))
                continue
            size = 8 if wire == FIXED64 else 4
            if wire == LENGTH:
                size, at = _varint(source, at, last, start)
            if not 0 <= size <= last - at:
                raise NotReadable(REASONS[Outcome.TRUNCATED], start)
            rows.extend((tag >> 3, wire, at, at + size))
            at += size
        ends.append(len(rows) // 4)
    table = np.frombuffer(rows, np.int64).reshape(-1, 4)
    return Fields(
        table[:, 0].astype(np.int32),
        table[:, 1].astype(np.uint8),
        table[:, 2].copy(),
        table[:, 3].copy(),
        np.array(ends, np.int64),
    )


def scan_varints(data: Buffer, fields: Fields, rows: Int64) -> tuple[Int64, Int64]:
    """The numbers of rows of `fields`, packed or one by one, and where those of each row end. Raises NotReadable."""
    library = kernels()
    if library is None:
        return scan_varints_reference(data, fields, rows)
    source = np.frombuffer(data, np.uint8)
    columns = (fields.wire[rows], fields.first[rows], fields.last[rows])
    ends = np.empty(len(rows), np.int64)
    varints = _VarintsStruct()
    try:
        outcome = call(library.scan_varints, source, len(source), *columns, len(rows), ends, varints)
        raise_for(outcome, varints.fault_at)
        return take(library, varints, "items", varints.count, np.int64), ends
    finally:
        call(library.forget_varints, varints)


def scan_varints_reference(data: Buffer, fields: Fields, rows: Int64) -> tuple[Int64, Int64]:
    """The same, a number at a time."""
    source = memoryview(data).cast("B")
    items, ends = array("q"), array("q")
    columns = (fields.wire, fields.first, fields.last)
    for wire, first, last in zip(*(column[rows].tolist() for column in columns), strict=True):
        if wire == VARINT:
            items.append(first)  # it is the number itself
        elif wire == LENGTH:
            at = first
            while at < last:
                value, at = _varint(source, at, last, at)
                items.append(value)
        else:
            raise NotReadable(REASONS[Outcome.MALFORMED], first)
        ends.append(len(items))
    return np.array(items, np.int64), np.array(ends, np.int64)


class _FieldsStruct(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("number", "wire", "first", "last")),
        *((name, ctypes.c_int64) for name in ("number_room", "wire_room", "first_room", "last_room")),
        *((name, ctypes.c_int64) for name in ("count", "fault_at")),
    )


class _VarintsStruct(ctypes.Structure):
    _fields_ = (("items", ctypes.c_void_p), *((name, ctypes.c_int64) for name in ("room", "count", "fault_at")))


def _varint(data: memoryview, at: int, end: int, start: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        if at >= end:
            raise NotReadable(REASONS[Outcome.TRUNCATED], start)
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            value &= 0xFFFFFFFFFFFFFFFF
            return value - (1 << 64) if value >> 63 else value, at
        shift += 7
    raise NotReadable(REASONS[Outcome.MALFORMED], start)
