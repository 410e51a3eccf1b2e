"""What is asked of the records of a JSON array, and the columns that answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import msgspec
import numpy as np
import numpy.typing as npt

from traces.kernels.library import REASONS, NotReadable, Outcome

NONE = -1


class Kind(IntEnum):
    """What becomes of a member, as in fields.h."""

    TEXT = 0
    SCALED = 1
    SLICE = 2
    INTEGERS = 3
    RECORD = 4
    OBJECT = 5


@dataclass(frozen=True, slots=True)
class Field:
    """Member `key` of each record goes to `column`; of members with one name the last counts.

    TEXT interns its text (a string's inside, else the value as written; null is none). SCALED keeps a number times
    10**scale, exactly, rounded half away from zero; a string of just a number counts. SLICE says where the value lies,
    RECORD (no key) where the record does. INTEGERS collects an array of numbers. An OBJECT's members are found by
    fields one `level` up. A weak field shares a column and yields to what is there.
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
    index of a text takes 1, 2 or 4 bytes."""

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
    """A JSON string's inside as text."""
    plain = text.decode("utf-8", "replace")
    return msgspec.json.decode(f'"{plain}"', type=str) if "\\" in plain else plain


def member_name(key: bytes, offset: int) -> str:
    """The name of a document's member, given as it is written. Raises NotReadable for what is not UTF-8."""
    try:
        key.decode()
    except UnicodeDecodeError as error:
        raise NotReadable(REASONS[Outcome.MALFORMED], offset) from error
    return unescaped(key)


def column_names(fields: Sequence[Field]) -> list[str]:
    """The columns that fields make, in order."""
    return list(dict.fromkeys(each.column for each in fields if each.column))
