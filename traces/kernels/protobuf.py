"""Protobuf messages as columns of fields. In C: protobuf.c; format: https://protobuf.dev/programming-guides/encoding/."""

import ctypes
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.kernels.library import REASONS, Buffer, NotReadable, Outcome, call, contiguous, kernels, raise_for, take

Int64 = npt.NDArray[np.int64]
VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
LARGEST_FIELD = 0x1FFFFFFF
BATCH = 4096
"""Rows whose numbers are read at once: more would only take memory."""


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
    source = bytes(data)
    rows = array("q")
    ends: list[int] = []
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
    """The same in numpy, some rows at a time."""
    source = np.frombuffer(data, np.uint8)
    items, ends = array("q"), []
    for piece in np.split(rows, range(BATCH, len(rows), BATCH)):
        numbers, counts = _varints(source, fields, piece)
        ends.append(len(items) + np.cumsum(counts))
        items.frombytes(numbers.tobytes())
    return np.frombuffer(items, np.int64), np.concatenate(ends)


def _varints(source: npt.NDArray[np.uint8], fields: Fields, rows: Int64) -> tuple[Int64, Int64]:
    """The numbers of some rows, and how many each has: as many rounds as the longest number has bytes."""
    wire, first, last = fields.wire[rows], fields.first[rows], fields.last[rows]
    packed = wire == LENGTH
    if not (packed | (wire == VARINT)).all():
        raise NotReadable(REASONS[Outcome.MALFORMED], 0)
    sizes = np.where(packed, last - first, 0)
    row_of_byte = np.repeat(np.arange(len(rows)), sizes)
    payload = source[np.arange(sizes.sum()) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)]
    stops = np.flatnonzero(payload < 128) + 1
    starts = np.concatenate(([0], stops[:-1])).astype(np.int64)[: len(stops)]
    lengths = stops - starts
    unended = len(payload) and (not len(stops) or stops[-1] != len(payload))
    if unended or (row_of_byte[starts] != row_of_byte[stops - 1]).any():
        raise NotReadable(REASONS[Outcome.TRUNCATED], 0)
    if len(lengths) and lengths.max() > 10:
        raise NotReadable(REASONS[Outcome.MALFORMED], 0)
    values = np.zeros(len(stops), np.uint64)
    for byte in range(int(lengths.max()) if len(lengths) else 0):
        has = lengths > byte
        values[has] |= (payload[starts[has] + byte] & 127).astype(np.uint64) << np.uint64(7 * byte)
    counts = np.where(packed, np.bincount(row_of_byte[starts], minlength=len(rows)), 1)
    items = np.empty(counts.sum(), np.int64)
    single = np.zeros(len(items), np.bool_)
    single[(np.cumsum(counts) - 1)[~packed]] = True
    items[~single] = values.view(np.int64)
    items[single] = first[~packed]
    return items, counts


class _FieldsStruct(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("number", "wire", "first", "last")),
        *((name, ctypes.c_int64) for name in ("number_room", "wire_room", "first_room", "last_room")),
        *((name, ctypes.c_int64) for name in ("count", "fault_at")),
    )


class _VarintsStruct(ctypes.Structure):
    _fields_ = (
        ("items", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("room", "count", "fault_at")),
    )


def _varint(data: bytes, at: int, end: int, start: int) -> tuple[int, int]:
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
