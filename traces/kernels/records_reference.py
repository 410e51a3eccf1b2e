"""What records.c does, in Python: a record at a time, from left to right."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from traces.kernels.inputs import Buffer, ReadCounter, advance
from traces.kernels.json_reference import QUOTE, JsonReader
from traces.kernels.library import REASONS, NotReadable, Outcome
from traces.kernels.record_columns import NONE, Column, Field, Kind, Table, column_names, member_name, unescaped
from traces.kernels.scaled import MISSING, scaled


def scan_records_reference(
    data: Buffer, fields: Sequence[Field], member: str, counter: ReadCounter | None = None
) -> Table:
    """The same as `records.scan_records`."""
    document = _Document(JsonReader(data), fields, counter=counter)
    json = document.json
    at = json.skip_space(0)
    if json.byte(at) == ord("["):
        at = document.read_array(at, is_document=True)
    elif json.byte(at) == ord("{"):
        at = document.read_object(at, member)
    else:
        raise json.fault(at)
    if (at := json.skip_space(at)) < json.end:
        raise json.fault(at)
    rows = document.rows
    return Table(
        rows.count, rows.skipped, document.found, document.unterminated, document.members, rows.finished_columns()
    )


def scan_slices_reference(
    data: Buffer, offsets: list[int], lengths: list[int], fields: Sequence[Field], *, arrays: bool
) -> tuple[Table, list[int]]:
    """The same as `records.scan_slices`."""
    rows = _Rows(fields)
    ends = []
    for offset, length in zip(offsets, lengths, strict=True):
        if not 0 <= offset <= offset + length <= len(data):
            raise NotReadable(REASONS[Outcome.OUT_OF_RANGE], 0)
        document = _Document(JsonReader(data, offset + length), fields, rows)
        json = document.json
        at = json.skip_space(offset)
        if json.byte(at) == ord("[") and arrays:
            at = document.read_elements(at, is_document=False)
        elif json.byte(at) == ord("{") and not arrays:
            at = document.read_record(at)
        else:
            at = json.skip_value(at)
            if not arrays:
                rows.add({}, json)
        if document.unterminated or (at := json.skip_space(at)) < json.end:
            raise json.fault(json.end if document.unterminated else at)
        ends.append(rows.count)
    return Table(rows.count, rows.skipped, True, False, {}, rows.finished_columns()), ends  # noqa: FBT003


Place = tuple[int, int]
"""Where a value begins and ends."""


@dataclass(slots=True)
class _Cells:
    """One column so far."""

    kind: Kind
    values: "array[int]" = field(default_factory=lambda: array("q"))
    ids: "array[int]" = field(default_factory=lambda: array("i"))
    items: "array[int]" = field(default_factory=lambda: array("q"))
    texts: dict[bytes, int] = field(default_factory=dict)

    def add_row(self) -> None:
        """A row without a value."""
        if self.kind is not Kind.TEXT:
            self.values.append(MISSING if self.kind is Kind.SCALED else 0)
        if self.kind is not Kind.SCALED:
            self.ids.append(NONE if self.kind is Kind.TEXT else 0)

    def is_missing(self) -> bool:
        """Whether the last row has no value."""
        if self.kind is Kind.SCALED:
            return self.values[-1] == MISSING
        return self.ids[-1] == (NONE if self.kind is Kind.TEXT else 0)

    def put(self, place: Place, scale: int, json: JsonReader) -> None:
        """The value of the last row."""
        start, stop = place
        if self.kind is Kind.INTEGERS:
            numbers = list_of_numbers(json, start, scale)
            self.values[-1], self.ids[-1] = len(self.items), len(numbers)
            self.items.extend(numbers)
        elif self.kind in {Kind.SLICE, Kind.RECORD}:
            self.values[-1], self.ids[-1] = start, stop - start
        else:
            token = bytes(json.data[start:stop])
            text = token[1:-1] if token[0] == QUOTE else token
            if self.kind is Kind.SCALED:
                self.values[-1] = scaled(text, scale)
            elif token != b"null":
                self.ids[-1] = self.texts.setdefault(text, len(self.texts))

    def finished(self) -> Column:
        """The column, which grows no more."""
        values, items = (np.array(numbers, np.int64) for numbers in (self.values, self.items))
        return Column(values, np.array(self.ids, np.int32), items, tuple(self.texts))


class _Rows:
    """The columns of records: `count` so far. `skipped` elements of arrays were no objects."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self.count = self.skipped = 0
        kinds = {each.column: each.kind for each in fields if not each.weak and each.column}
        self._columns = {name: _Cells(kinds[name]) for name in column_names(fields)}
        self._record_columns = [each.column for each in fields if each.kind is Kind.RECORD]

    def add(self, places: dict[Field, Place], json: JsonReader) -> None:
        """A row of the values that a record has in some places."""
        for cells in self._columns.values():
            cells.add_row()
        for each in sorted(places, key=lambda each: each.weak):
            cells = self._columns[each.column]
            if not each.weak or cells.is_missing():
                cells.put(places[each], each.scale, json)
        self.count += 1

    def place_record(self, place: Place, json: JsonReader) -> None:
        """Where the last record lies."""
        for column in self._record_columns:
            self._columns[column].put(place, 0, json)

    def finished_columns(self) -> dict[str, Column]:
        return {name: cells.finished() for name, cells in self._columns.items()}


class _Document:
    """A document, or a part of one, whose records become rows."""

    def __init__(
        self, json: JsonReader, fields: Sequence[Field], rows: _Rows | None = None, counter: ReadCounter | None = None
    ) -> None:
        self.json = json
        self._counter = counter
        self.rows = _Rows(fields) if rows is None else rows
        self.found = self.unterminated = False
        self.members: dict[str, Place] = {}
        """Offset and length of the other values of the document's object."""
        self._fields = fields
        self._by_key = {(each.level, each.key.encode()): each for each in fields if each.kind is not Kind.RECORD}

    def read_object(self, at: int, member: str) -> int:
        """The document's object: the array is its `member`, the last of that name. It may end with the document."""
        json = self.json
        at = json.skip_space(at + 1)
        if json.byte(at) == ord("}"):
            return at + 1
        while at < json.end:
            start = at + 1
            key, at = json.skip_key(at)
            if _spelled(key) == member.encode():
                self.rows, self.found = _Rows(self._fields), False
                at = self.read_array(at, is_document=False) if json.byte(at) == ord("[") else json.skip_value(at)
            else:
                stop = json.skip_value(at)
                self.members[member_name(key, start)] = (at, stop - at)
                at = stop
            at = json.skip_space(at)
            if json.byte(at) == ord("}"):
                return at + 1
            if at < json.end:
                at = json.skip_space(json.behind_comma(at))
        self.unterminated = True
        return at

    def read_array(self, at: int, *, is_document: bool) -> int:
        """The array of records, and none before it."""
        self.rows, self.found = _Rows(self._fields), True
        return self.read_elements(at, is_document=is_document)

    def read_elements(self, at: int, *, is_document: bool) -> int:
        """The elements of an array, which may end with the document; if it is the document, also inside a record, which
        is dropped, or with a comma before the bracket."""
        json = self.json
        at = json.skip_space(at + 1)
        if json.byte(at) == ord("]"):
            return at + 1
        while at < json.end:
            if json.byte(at) == ord("{"):
                try:
                    start, at = at, self.read_record(at)
                except NotReadable as error:
                    if not is_document or error.reason != REASONS[Outcome.TRUNCATED]:
                        raise
                    at = json.end  # the recorder died: what came before counts
                    break
                self.rows.place_record((start, at), json)
                advance(self._counter, at)
            else:
                at = json.skip_value(at)
                self.rows.skipped += 1
            at = json.skip_space(at)
            if json.byte(at) == ord("]"):
                return at + 1
            if at >= json.end:
                break
            comma, at = at, json.skip_space(json.behind_comma(at))
            if is_document and json.byte(at) == ord("]"):
                if json.skip_space(at + 1) < json.end:
                    raise json.fault(comma)
                self.unterminated = True
                return at + 1
        self.unterminated = True
        return at

    def read_record(self, at: int) -> int:
        """One object becomes a row."""
        places: dict[Field, Place] = {}
        at = self._read_members(at, 0, places)
        self.rows.add(places, self.json)
        return at

    def _read_members(self, at: int, level: int, places: dict[Field, Place]) -> int:
        """The requested members of an object and of those in it that are entered; of one name the last counts."""
        json = self.json
        at = json.skip_space(at + 1)
        if json.byte(at) == ord("}"):
            return at + 1
        while True:
            key, at = json.skip_key(at)
            found = self._by_key.get((level, _spelled(key)))
            start = at
            if found is not None and found.kind is Kind.OBJECT:
                for deeper in [each for each in places if each.level > level]:
                    del places[deeper]
                enters = json.byte(at) == ord("{")
                at = self._read_members(at, level + 1, places) if enters else json.skip_value(at)
            else:
                if found is not None and found.kind is Kind.INTEGERS:
                    list_of_numbers(json, at, found.scale)  # also of one that does not count
                at = json.skip_value(at)
                if found is not None:
                    places.pop(found, None)
                    places[found] = (start, at)
            at = json.skip_space(at)
            if json.byte(at) == ord("}"):
                return at + 1
            at = json.skip_space(json.behind_comma(at))


def list_of_numbers(json: JsonReader, at: int, scale: int) -> list[int]:
    """The numbers of an array, times 10**scale; none of another value. Raises NotReadable."""
    if json.byte(at) != ord("["):
        return []
    numbers: list[int] = []

    def read_number(element: int) -> int:
        if not json.is_number(element):
            json.skip_value(at)  # what is no JSON is that before anything else
            raise NotReadable(REASONS[Outcome.UNUSUAL], element)
        stop = json.skip_number(element)
        numbers.append(scaled(bytes(json.data[element:stop]), scale))
        return stop

    json.read_array(at, read_number)
    return numbers


def _spelled(key: bytes) -> bytes:
    """What a key says."""
    return unescaped(key).encode() if b"\\" in key else key
