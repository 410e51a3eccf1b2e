"""A JSON array of objects as columns: trace events, V8 nodes, speedscope events. In C: records.c."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from traces.kernels.library import (
    REASONS,
    Buffer,
    NamesStruct,
    NotReadable,
    Outcome,
    call,
    contiguous,
    kernels,
    raise_for,
    take,
)
from traces.kernels.numbers import Slices
from traces.kernels.scaled import MISSING

MAX_FIELDS = 24
NONE = -1


class Kind(IntEnum):
    """What becomes of a member, as in records.c."""

    TEXT = 0
    SCALED = 1
    SLICE = 2
    INTEGERS = 3
    RECORD = 4
    OBJECT = 5


@dataclass(frozen=True, slots=True)
class Field:
    """Member `key` of each record goes to `column`.

    TEXT interns its text (a string's inside, else the value as written). SCALED keeps a number times 10**scale,
    exactly, rounded half away from zero; a string of just a number counts. SLICE says where the value lies, RECORD
    (no key) where the record does. INTEGERS collects an array of numbers. An OBJECT's members are found by fields one
    `level` up. A weak field shares a column and yields to what is there.
    """

    column: str
    key: str
    kind: Kind
    scale: int = 0
    level: int = 0
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """`values`: numbers, offsets or first items; `ids`: index of the text, lengths or item counts; others empty. The
    index of a text takes the bytes that their number asks for."""

    values: npt.NDArray[np.int64]
    ids: npt.NDArray[np.signedinteger]
    items: npt.NDArray[np.int64]
    texts: tuple[bytes, ...]


@dataclass(frozen=True)
class Table:
    """`skipped` elements were no objects. Without the array `found` is false. `unterminated`: the document broke off; a
    record that was not complete is not counted. `members` are the document's other values: offset and length."""

    count: int
    skipped: int
    found: bool
    unterminated: bool
    members: dict[str, tuple[int, int]]
    columns: dict[str, Column] = field(repr=False)

    @cached_property
    def _decoded(self) -> dict[str, tuple[str, ...]]:
        return {}

    def numbers(self, column: str) -> npt.NDArray[np.int64]:
        return self.columns[column].values

    def taken(self, column: str) -> npt.NDArray[np.int64]:
        """The same, for the caller alone: the table has the column no more."""
        return self.columns.pop(column).values

    def ids(self, column: str) -> npt.NDArray[np.signedinteger]:
        """The text of each record, as an index into `texts`; -1 is none. As narrow as they are kept: convert before
        reckoning with them."""
        return self.columns[column].ids

    def ids_at(self, column: str, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """The same of some records."""
        return self.columns[column].ids[rows].astype(np.int32)

    def texts(self, column: str) -> tuple[str, ...]:
        """The distinct texts of a column, unescaped, in order of first appearance."""
        known = self._decoded.get(column)
        if known is None:
            known = self._decoded[column] = tuple(unescaped(text) for text in self.columns[column].texts)
        return known

    def slices(self, column: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Offset and length of each value in the document; length 0 is none."""
        return self.columns[column].values, self.columns[column].ids


def unescaped(text: bytes) -> str:
    """What a JSON string's inside says."""
    plain = text.decode("utf-8", "replace")
    return msgspec.json.decode(f'"{plain}"', type=str) if "\\" in plain else plain


def scan_records(data: Buffer, fields: Sequence[Field], member: str) -> Table:
    """The columns of the array that is the document, or the document's `member`.

    The array may lack its bracket at the end of the document. Raises NotReadable with the place where it is no JSON.
    """
    library = kernels()
    if library is not None:
        table = _scan_in_c(library, data, fields, member.encode())
        if table is not None:
            return table
    from traces.kernels.records_reference import scan_records_reference  # noqa: PLC0415 - imported by its own reference

    return scan_records_reference(data, fields, member)


def scan_slices(
    data: Buffer, slices: Slices, fields: Sequence[Field], *, arrays: bool
) -> tuple[Table, npt.NDArray[np.int64]]:
    """The same for parts of a document, each one record or, with `arrays`, an array of records; and how many records
    there are up to the end of each part.

    What is no object is a record without members; what is no array has none. Raises NotReadable.
    """
    library = kernels()
    offsets, lengths = (contiguous(column, np.int64) for column in slices)
    if library is not None:
        found = _scan_slices_in_c(library, data, (offsets, lengths), fields, arrays=arrays)
        if found is not None:
            return found
    from traces.kernels.records_reference import scan_slices_reference  # noqa: PLC0415 - imported by its own reference

    table, ends = scan_slices_reference(data, offsets.tolist(), lengths.tolist(), fields, arrays=arrays)
    return table, np.array(ends, np.int64)


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


def _wanted(fields: Sequence[Field]) -> ctypes.Array[_FieldStruct]:
    names = column_names(fields)
    wanted = (_FieldStruct * len(fields))()
    for struct, each in zip(wanted, fields, strict=True):
        key = each.key.encode()
        struct.key[: len(key)] = key
        struct.key_length, struct.kind, struct.level, struct.scale = len(key), each.kind, each.level, each.scale
        # An object has no column: it may not claim the kind of another's.
        struct.column, struct.weak = names.index(each.column) if each.column else 0, each.weak
    return wanted


def _scan_in_c(library: ctypes.CDLL, data: Buffer, fields: Sequence[Field], member: bytes) -> Table | None:
    """None when the document has something that only the reference reads."""
    source = np.frombuffer(data, np.uint8)
    records = _RecordsStruct()
    wanted = _wanted(fields)
    sizes = (len(fields), len(column_names(fields)))
    try:
        outcome = call(library.scan_records, source, len(source), member, len(member), wanted, *sizes, records)
        if outcome == Outcome.UNUSUAL:
            return None
        raise_for(outcome, records.fault_at)
        return _table(library, records, fields, source)
    finally:
        call(library.forget_records, records)


def _scan_slices_in_c(
    library: ctypes.CDLL, data: Buffer, slices: Slices, fields: Sequence[Field], *, arrays: bool
) -> tuple[Table, npt.NDArray[np.int64]] | None:
    source = np.frombuffer(data, np.uint8)
    records = _RecordsStruct()
    wanted = _wanted(fields)
    ends = np.empty(len(slices[0]), np.int64)
    sizes = (len(fields), len(column_names(fields)))
    inputs = (source, len(source), *slices, len(ends), int(arrays))
    try:
        outcome = call(library.scan_slices, *inputs, wanted, *sizes, ends, records)
        if outcome == Outcome.UNUSUAL:
            return None
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
        try:
            members[key.decode()] = (m.value_offset, m.value_length)
        except UnicodeDecodeError as error:
            raise NotReadable(REASONS[Outcome.MALFORMED], m.key_offset) from error
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
    whole = np.full(count, missing, column.dtype) if missing else np.zeros(count, column.dtype)
    whole[: len(column)] = column
    return whole


def column_names(fields: Sequence[Field]) -> list[str]:
    """The columns that fields make, in order."""
    return list(dict.fromkeys(each.column for each in fields if each.column))
