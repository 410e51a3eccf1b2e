"""Records as columns: what each kind of member becomes, a batch at a time."""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice, pairwise
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Raw

from traces.kernels.growing import GrowingColumn
from traces.kernels.library import REASONS, NotReadable, Outcome
from traces.kernels.numbers import NOT_NUMBERS, Int64, numbers_of_arrays
from traces.kernels.records import Column, Field, Kind, column_names
from traces.kernels.records_typed import Parts, TypedColumns, TypedRecords, address_of
from traces.kernels.scaled import MISSING, scaled, scaled_array, scaled_number

BYTE = re.compile(r"byte (\d+)")
QUOTE = ord('"')
NO_TEXT = -1
LARGEST = 0x7FFF_FFFF
"""Of what is kept in 32 bits."""
PIECE = 1 << 18
"""Bytes that are decoded at once: of fewer, numpy takes longer to begin than to work; more only take memory."""
KEPT = 4 << 20
"""Once as much was freed, glibc keeps twice as much for the next piece (mallopt(3), M_MMAP_THRESHOLD). What a piece
takes would else go back to the system, and having pages again costs more than reading what they hold."""
FEW_ENDS = 3
"""Places that may be the end of an element are tried, until it is not clear what comes."""
FIRST_KEY = re.compile(rb'[ \t\r\n]*\{[ \t\r\n]*("[^"\\]{1,64}")')
BETWEEN = rb"\}[ \t\r\n]*(,)[ \t\r\n]*\{[ \t\r\n]*"


def unreadable(error: Exception, offset: int, end: int = 0) -> NotReadable:
    """What a decoder's error says of bytes that begin at `offset` and end at `end`."""
    if isinstance(error, RecursionError):
        return NotReadable(REASONS[Outcome.TOO_DEEP], offset)
    if isinstance(error, UnicodeDecodeError):
        return NotReadable(REASONS[Outcome.MALFORMED], offset)
    place = BYTE.search(str(error))
    if place is None:
        return NotReadable(REASONS[Outcome.TRUNCATED], end or offset)
    return NotReadable(REASONS[Outcome.MALFORMED], offset + int(place[1]))


def starts(part: Raw, bracket: bytes) -> bool:
    """Whether a value begins with a bracket."""
    return bool(part) and memoryview(part)[0] == ord(bracket)


class Rows:
    """The columns of records: `count` so far. `skipped` elements of arrays were no records."""

    def __init__(self, fields: Sequence[Field]) -> None:
        np.empty(KEPT, np.uint8)  # and gone
        self.count = self.skipped = 0
        self._base = 0  # the address of the document, if it lay where those parts of it do that are being read
        self._batch = 0  # how many records those are
        names = column_names(fields)
        self._kinds = {each.column: each.kind for each in fields if not each.weak and each.column}
        self._values = {name: GrowingColumn("q", self._no_value(name)) for name in names}
        self._ids = {name: GrowingColumn("b", self._no_id(name)) for name in names}
        self._items = {name: array("q") for name in names}
        self._texts: dict[str, dict[bytes, int]] = {name: {} for name in names}
        self._tokens: dict[str, dict[bytes, int]] = {name: {b"": NO_TEXT, b"null": NO_TEXT} for name in names}
        self._typed = TypedRecords(fields, self._texts)
        self._record_columns = [each.column for each in fields if each.kind is Kind.RECORD]
        depth = 1 + max((each.level for each in fields), default=0)
        self._levels = [[each for each in fields if each.level == level and each.key] for level in range(depth)]
        self._decoders = [_decoder(level) for level in self._levels]

    def fill_array(self, document: memoryview, at: int, stop: int, moved: int = 0) -> None:
        """The rows of an array's elements, known to be JSON, that are records; from one place of a document to another,
        which are `moved` so much in the whole one. Raises NotReadable."""
        while at < stop:
            following = self._fill_piece(document, at, _ends_of_elements(document, at, stop), moved)
            if following is None:
                raise NotReadable(REASONS[Outcome.TOO_DEEP], at + moved)
            at = following

    def fill_beginning(self, document: memoryview, at: int) -> int:
        """The rows of the elements from a place on, of an array of which no more is known. Returns where it is not
        clear what comes: near the array's end, or before."""
        while True:
            ends = islice(_ends_of_elements(document, at, len(document)), FEW_ENDS)
            following = self._fill_piece(document, at, (found for found in ends if found[0] < len(document)), 0)
            if following is None:
                return at
            at = following

    def _fill_piece(self, document: memoryview, at: int, ends: Iterable[tuple[int, int]], moved: int) -> int | None:
        """The rows of the elements up to the first of some places that is the end of one; where the next begins."""
        for end, following in ends:
            piece = b"".join((b"[", document[at:end], b"]"))
            try:
                self._fill(Parts([piece], [at - 1 + moved], arrays=True))
            except NotReadable:
                for column in (*self._values.values(), *self._ids.values()):
                    column.forget(self.count)
                continue
            return following
        return None

    def fill_parts(self, document: memoryview, offsets: list[int], lengths: list[int], *, arrays: bool) -> list[int]:
        """The rows of parts of a document, each one record or, with `arrays`, an array of elements. Returns how many
        records there are up to the end of each. Raises NotReadable."""
        if not offsets:
            return []
        sizes: list[int] = []
        bounds = np.flatnonzero(np.diff(np.cumsum(lengths) // PIECE)) + 1
        for first, stop in pairwise([0, *bounds.tolist(), len(offsets)]):
            places = offsets[first:stop]
            values = [
                document[offset : offset + size] for offset, size in zip(places, lengths[first:stop], strict=True)
            ]
            if not all(values):
                raise NotReadable(REASONS[Outcome.TRUNCATED], places[0])
            sizes += self._fill(Parts(values, places, arrays=arrays))
        return list(accumulate(sizes))

    def _fill(self, parts: Parts) -> list[int]:
        """How many records each of some parts has, whose rows are filled."""
        typed = self._typed.read(parts) if self._typed.able else None
        if typed is not None:
            self._fill_typed(typed)
            return typed.sizes
        records, sizes, skipped = _records_of(parts)
        self._base = address_of(parts.values[0]) - parts.offsets[0]
        self._batch = len(records)
        if records:
            rows = np.arange(len(records))
            for name in self._record_columns:
                self._place(name, records, rows)
            self._fill_level(records, rows, 0)
        self.count += len(records)
        self.skipped += skipped
        return sizes

    def _fill_typed(self, typed: TypedColumns) -> None:
        self._batch = typed.count
        for column, words in typed.words.items():
            self._ids_of(column).add(self.count, words)
        for column, tokens in typed.tokens.items():
            self._fill_texts(column, tokens, slice(None))
        for column, numbers in typed.numbers.items():
            self._values[column].add(self.count, numbers)
        for column, (offsets, lengths) in typed.slices.items():
            self._values[column].add(self.count, offsets)
            self._ids_of(column).add(self.count, lengths)
        for column, (items, sizes, said) in typed.lists.items():
            before = self._items[column]
            self._values[column].add(self.count, np.where(said, len(before) + np.cumsum(sizes) - sizes, 0))
            self._ids_of(column).add(self.count, sizes)
            before.frombytes(items.tobytes())
        self.count += typed.count

    def _fill_level(self, parts: list[Raw], rows: Int64, level: int) -> None:
        decode = self._decoders[level].decode
        try:
            decoded = [decode(part) for part in parts]
        except (msgspec.DecodeError, RecursionError) as error:
            raise unreadable(error, 0) from error
        fields = self._levels[level]
        weak = {each.column: index for index, each in enumerate(fields) if each.weak}
        for index, each in enumerate(fields):
            if each.weak:
                continue
            values = list(map(attrgetter(f"f{index}"), decoded))
            spare = list(map(attrgetter(f"f{weak[each.column]}"), decoded)) if each.column in weak else []
            if each.kind is Kind.OBJECT:
                inner = [place for place, part in enumerate(values) if starts(part, b"{")]
                self._fill_level([values[place] for place in inner], rows[inner], level + 1)
            elif each.kind is Kind.TEXT:
                tokens = list(map(bytes, values))
                self._fill_texts(each.column, _first_text(tokens, map(bytes, spare)) if spare else tokens, rows)
            elif each.kind is Kind.SCALED:
                for candidates in (spare, values):
                    self._fill_numbers(each, candidates, rows)
            elif each.kind is Kind.SLICE:
                self._place(each.column, values, rows)
            else:
                self._fill_integers(each, values, rows)

    def _fill_texts(self, column: str, tokens: Sequence[bytes], rows: Int64 | slice) -> None:
        known, texts = self._tokens[column], self._texts[column]
        for token in dict.fromkeys(tokens):
            if token not in known:
                text = token[1:-1] if token[0] == QUOTE else token
                known[token] = texts.setdefault(text, len(texts))
        self._ids_here(column)[rows] = list(map(known.__getitem__, tokens))

    def _fill_numbers(self, each: Field, values: list[Raw], rows: Int64) -> None:
        said = [place for place, value in enumerate(values) if value]
        tokens = [bytes(values[place]) for place in said]
        try:
            numbers = scaled_array(b"[%b]" % b",".join(tokens), each.scale)
        except msgspec.ValidationError:  # among them are texts, which may hold a number, or something else
            numbers = np.array(
                [
                    scaled(token[1:-1], each.scale) if token[0] == QUOTE else scaled_number(token, each.scale)
                    for token in tokens
                ],
                np.int64,
            )
        found = numbers != MISSING
        self._values_here(each.column)[rows[said][found]] = numbers[found]

    def _place(self, column: str, values: list[Raw], rows: Int64) -> None:
        said = [place for place, value in enumerate(values) if value]
        self._values_here(column)[rows[said]] = [address_of(values[place]) - self._base for place in said]
        self._ids_here(column)[rows[said]] = [len(memoryview(values[place])) for place in said]

    def _fill_integers(self, each: Field, values: list[Raw], rows: Int64) -> None:
        firsts, counts, items = self._values_here(each.column), self._ids_here(each.column), self._items[each.column]
        lists = [place for place, value in enumerate(values) if starts(value, b"[")]
        try:
            numbers, sizes = numbers_of_arrays([values[place] for place in lists], each.scale)
        except msgspec.ValidationError as error:
            wrong = next(place for place in lists if not _holds_numbers(values[place], each.scale))
            raise NotReadable(NOT_NUMBERS, address_of(values[wrong]) - self._base) from error
        size = np.zeros(len(rows), np.int32)
        size[lists] = sizes
        said = [place for place, value in enumerate(values) if value]
        firsts[rows[said]] = len(items) + (np.cumsum(size) - size)[said]
        counts[rows] = size
        items.frombytes(numbers.tobytes())

    def _values_here(self, column: str) -> Int64:
        """A column's numbers, offsets or first items in the rows that are being filled."""
        return self._values[column].here(self.count, self._batch)

    def _ids_here(self, column: str) -> npt.NDArray[np.int32]:
        """A column's texts, lengths or item counts in the rows that are being filled."""
        return self._ids_of(column).here(self.count, self._batch)

    def _ids_of(self, column: str) -> GrowingColumn:
        """As narrow as the texts that are known ask for; lengths and counts take what there is."""
        ids = self._ids[column]
        ids.hold(len(self._texts[column]) if self._kinds[column] is Kind.TEXT else LARGEST)
        return ids

    def _no_value(self, column: str) -> int:
        return MISSING if self._kinds[column] is Kind.SCALED else 0

    def _no_id(self, column: str) -> int:
        return NO_TEXT if self._kinds[column] is Kind.TEXT else 0

    def columns(self) -> dict[str, Column]:
        """The finished columns."""
        columns = {}
        for name, kind in self._kinds.items():
            values, ids = (0 if kind is without else self.count for without in (Kind.TEXT, Kind.SCALED))
            columns[name] = Column(
                self._values[name].whole(values),
                self._ids_of(name).whole(ids),
                np.frombuffer(self._items[name], np.int64),
                tuple(self._texts[name]),
            )
        return columns


def _ends_of_elements(document: memoryview, at: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where a piece of an array's elements that begins at some place may end, and the next one begin: ever later, last
    the array's own end. What looks like the border of two elements may be inside of one."""
    key = FIRST_KEY.match(document, at, stop)
    alike = BETWEEN + re.escape(key[1]) if key else BETWEEN
    size = PIECE
    while at + size < stop:
        found = re.compile(alike).search(document, at + size, at + 2 * size)
        found = found or re.compile(BETWEEN).search(document, at + size, stop)
        if found is None:
            break
        yield found.start() + 1, found.end(1)
        size = 2 * (found.start() - at)
    yield stop, stop


def _records_of(parts: Parts) -> tuple[list[Raw], list[int], int]:
    """The records of some parts, how many each part has, and how many elements are none. Raises NotReadable."""
    records: list[Raw] = []
    sizes: list[int] = []
    skipped = 0
    for value, offset in zip(parts.values, parts.offsets, strict=True):
        try:
            part = msgspec.json.decode(value, type=Raw)
            elements = msgspec.json.decode(value, type=list[Raw]) if parts.arrays and starts(part, b"[") else []
        except (msgspec.DecodeError, RecursionError) as error:
            raise unreadable(error, offset, offset + len(value)) from error
        found = [element for element in elements if starts(element, b"{")]
        if not parts.arrays:
            found = [part if starts(part, b"{") else Raw(b"{}")]
        records += found
        sizes.append(len(found))
        skipped += len(elements) - len(found) if parts.arrays else 0
    return records, sizes, skipped


def _first_text(tokens: list[bytes], spare: Iterable[bytes]) -> list[bytes]:
    return [other if token in (b"", b"null") else token for token, other in zip(tokens, spare, strict=True)]


def _decoder(fields: list[Field]) -> msgspec.json.Decoder[Any]:
    """A record as the bytes of its wanted members, empty where there is none."""
    names = [f"f{index}" for index in range(len(fields))]
    keys = {name: each.key for name, each in zip(names, fields, strict=True)}
    kind = msgspec.defstruct("Record", [(name, Raw, Raw(b"")) for name in names], rename=keys, gc=False)
    return msgspec.json.Decoder(kind)


def _holds_numbers(array: Raw, scale: int) -> bool:
    try:
        scaled_array(array, scale)
    except msgspec.ValidationError:
        return False
    return True
