"""A JSON array of objects as columns: trace events, V8 nodes, speedscope events. In C: records.c."""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from traces.kernels.inputs import Buffer, ReadCounter, Slices, counted_in
from traces.kernels.library import NamesStruct, call, contiguous, kernels, raise_for, take
from traces.kernels.record_columns import NONE, Column, Field, Kind, Table, column_names, member_name
from traces.kernels.records_reference import scan_records_reference, scan_slices_reference
from traces.kernels.scaled import MISSING

MAX_FIELDS = 24
MAX_KEY_BYTES = 24
"""As in fields.h."""


def scan_records(data: Buffer, fields: Sequence[Field], member: str, counter: ReadCounter | None = None) -> Table:
    """The columns of the array that is the document, or the document's `member`.

    `counter` is advanced record by record. The array may lack its bracket at the end of the document. Raises
    NotReadable with the place where it is no JSON.
    """
    library = kernels()
    if library is None:
        return scan_records_reference(data, fields, member, counter)
    return _scan_in_c(library, data, fields, member.encode(), counted_in(counter))


def scan_slices(
    data: Buffer, slices: Slices, fields: Sequence[Field], *, arrays: bool
) -> tuple[Table, npt.NDArray[np.int64]]:
    """The same for parts of a document, each one record or, with `arrays`, an array of records; and how many records
    there are up to the end of each part.

    What is no object is a record without members; what is no array has none. Raises NotReadable.
    """
    library = kernels()
    offsets, lengths = (contiguous(column, np.int64) for column in slices)
    if library is None:
        table, ends = scan_slices_reference(data, offsets.tolist(), lengths.tolist(), fields, arrays=arrays)
        return table, np.array(ends, np.int64)
    return _scan_slices_in_c(library, data, (offsets, lengths), fields, arrays=arrays)


class _FieldStruct(ctypes.Structure):
    _fields_ = (
        ("key", ctypes.c_uint8 * 24),
        *((name, ctypes.c_int32) for name in ("key_length", "kind", "level", "scale", "column", "weak")),
    )


class _ColumnStruct(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("values", "ids", "items")),
        *((name, ctypes.c_int64) for name in ("filled", "room", "id_width", "item_count", "item_room")),
        ("known", ctypes.c_void_p),
        ("names", NamesStruct),
    )


class _MemberStruct(ctypes.Structure):
    _fields_ = (
        ("key_offset", ctypes.c_int64),
        ("value_offset", ctypes.c_int64),
        ("key_length", ctypes.c_int32),
        ("value_length", ctypes.c_int64),
    )


class _RecordsStruct(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("count", "skipped", "fault_at")),
        *((name, ctypes.c_int32) for name in ("found", "unterminated")),
        ("members", ctypes.POINTER(_MemberStruct)),
        *((name, ctypes.c_int64) for name in ("member_count", "member_room")),
        ("columns", _ColumnStruct * MAX_FIELDS),
    )


def _structs(fields: Sequence[Field]) -> ctypes.Array[_FieldStruct]:
    names = column_names(fields)
    structs = (_FieldStruct * len(fields))()
    for struct, each in zip(structs, fields, strict=True):
        key = each.key.encode()
        struct.key[: len(key)] = key
        struct.key_length, struct.kind, struct.level, struct.scale = len(key), each.kind, each.level, each.scale
        # An object has no column: it may not claim the kind of another's.
        struct.column, struct.weak = names.index(each.column) if each.column else 0, each.weak
    return structs


def _scan_in_c(
    library: ctypes.CDLL, data: Buffer, fields: Sequence[Field], member: bytes, read: npt.NDArray[np.int64]
) -> Table:
    assert len(member) <= MAX_KEY_BYTES
    source = np.frombuffer(data, np.uint8)
    records = _RecordsStruct()
    structs = _structs(fields)
    sizes = (len(fields), len(column_names(fields)))
    try:
        outcome = call(library.scan_records, source, len(source), member, len(member), structs, *sizes, read, records)
        raise_for(outcome, records.fault_at)
        return _table(library, records, fields, source)
    finally:
        call(library.forget_records, records)


def _scan_slices_in_c(
    library: ctypes.CDLL, data: Buffer, slices: Slices, fields: Sequence[Field], *, arrays: bool
) -> tuple[Table, npt.NDArray[np.int64]]:
    source = np.frombuffer(data, np.uint8)
    records = _RecordsStruct()
    structs = _structs(fields)
    ends = np.empty(len(slices[0]), np.int64)
    sizes = (len(fields), len(column_names(fields)))
    inputs = (source, len(source), *slices, len(ends), int(arrays))
    try:
        outcome = call(library.scan_slices, *inputs, structs, *sizes, ends, records)
        raise_for(outcome, records.fault_at)
        records.found = 1
        return _table(library, records, fields, source), ends
    finally:
        call(library.forget_records, records)


def _table(
    library: ctypes.CDLL, records: _RecordsStruct, fields: Sequence[Field], source: npt.NDArray[np.uint8]
) -> Table:
    members = {}
    for m in records.members[: records.member_count]:
        key = source[m.key_offset : m.key_offset + m.key_length].tobytes()
        members[member_name(key, m.key_offset)] = (m.value_offset, m.value_length)
    columns = _columns(library, records, fields, source)
    return Table(records.count, records.skipped, bool(records.found), bool(records.unterminated), members, columns)


def _columns(
    library: ctypes.CDLL, records: _RecordsStruct, fields: Sequence[Field], source: npt.NDArray[np.uint8]
) -> dict[str, Column]:
    kinds = {each.column: each.kind for each in fields if not each.weak and each.column}
    columns = {}
    for name, struct in zip(column_names(fields), records.columns, strict=False):
        kind, filled = kinds[name], struct.filled
        values = take(library, struct, "values", 0 if kind is Kind.TEXT else filled, np.int64)
        ids = take(library, struct, "ids", 0 if kind is Kind.SCALED else filled, f"i{struct.id_width or 4}")
        if kind is not Kind.TEXT:
            values = _filled_up(values, records.count, MISSING if kind is Kind.SCALED else 0)
        if kind is not Kind.SCALED:
            ids = _filled_up(ids, records.count, NONE if kind is Kind.TEXT else 0)
        items = take(library, struct, "items", struct.item_count, np.int64)
        columns[name] = Column(values, ids, items, struct.names.texts(source))
    return columns


def _filled_up(column: npt.NDArray[Any], count: int, missing: int) -> npt.NDArray[Any]:
    """A column with rows that say nothing behind those of the kernel; what is all zeros takes no memory."""
    if len(column) == count:
        return column
    if not len(column):
        return np.broadcast_to(column.dtype.type(missing), count)
    padded = np.full(count, missing, column.dtype) if missing else np.zeros(count, column.dtype)
    padded[: len(column)] = column
    return padded
