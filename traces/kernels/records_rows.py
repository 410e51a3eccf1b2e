"""Records as columns: what each kind of member becomes, a batch at a time."""

import re
from array import array
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from msgspec import Raw

from traces.kernels.library import REASONS, NotReadable, Outcome
from traces.kernels.numbers import NOT_NUMBERS, Int64, numbers_of_arrays
from traces.kernels.records import Column, Field, Kind, column_names
from traces.kernels.records_typed import TypedRecords, Word, address_of
from traces.kernels.scaled import MISSING, scaled, scaled_array, scaled_number

BYTE = re.compile(r"byte (\d+)")
QUOTE = ord('"')
NO_TEXT = -1
BATCH = 4096
"""Records that are decoded at once: more would only take memory."""


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


class _Words(dict[Word, int]):
    """The index of each word among the texts of a column, which it grows."""

    def __init__(self, texts: dict[bytes, int]) -> None:
        super().__init__({None: NO_TEXT})
        self._texts = texts

    def __missing__(self, word: Word) -> int:
        index = self[word] = self._texts.setdefault(str(word).encode(), len(self._texts))
        return index


class Rows:
    """The columns of records: of at most `most`, `count` so far. `base` is the address of the bytes that they are parts
    of."""

    def __init__(self, fields: Sequence[Field], base: int, most: int) -> None:
        self._base = base
        self.count = 0
        names = column_names(fields)
        self._kinds = {each.column: each.kind for each in fields if not each.weak and each.column}
        self._values = {
            name: np.full(0 if kind is Kind.TEXT else most, MISSING if kind is Kind.SCALED else 0, np.int64)
            for name, kind in self._kinds.items()
        }
        self._ids = {
            name: np.full(0 if kind is Kind.SCALED else most, NO_TEXT if kind is Kind.TEXT else 0, np.int32)
            for name, kind in self._kinds.items()
        }
        self._items = {name: array("q") for name in names}
        self._texts: dict[str, dict[bytes, int]] = {name: {} for name in names}
        self._tokens: dict[str, dict[bytes, int]] = {name: {b"": NO_TEXT, b"null": NO_TEXT} for name in names}
        self._words = {name: _Words(texts) for name, texts in self._texts.items()}
        self._typed = TypedRecords(fields)
        self._record_columns = [each.column for each in fields if each.kind is Kind.RECORD]
        depth = 1 + max((each.level for each in fields), default=0)
        self._levels = [[each for each in fields if each.level == level and each.key] for level in range(depth)]
        self._decoders = [_decoder(level) for level in self._levels]

    def fill(self, records: list[Raw]) -> None:
        """The rows of records that may lie anywhere."""
        for first in range(0, len(records), BATCH):
            batch = records[first : first + BATCH]
            if self._typed.sliced or not self._fill_typed(b"[%b]" % b",".join(batch)):
                self._fill_raw(batch)

    def fill_array(self, elements: list[Raw], source: memoryview) -> None:
        """The rows of those elements of an array that are records; the array is a part of `source`."""
        for first in range(0, len(elements), BATCH):
            batch = elements[first : first + BATCH]
            begin, last = (address_of(element) - self._base for element in (batch[0], batch[-1]))
            if not self._fill_typed(b"".join((b"[", source[begin : last + len(batch[-1])], b"]")), begin - 1):
                self._fill_raw([element for element in batch if starts(element, b"{")])

    def _fill_typed(self, piece: bytes, offset: int = 0) -> bool:
        """The rows of a piece that lies at an offset, if it is a usual one."""
        typed = self._typed.read(piece) if self._typed.able else None
        if typed is None:
            return False
        rows = slice(self.count, self.count + typed.count)
        for column, words in typed.words.items():
            if words.count(None) < typed.count:
                known = self._words[column].__getitem__
                self._ids[column][rows] = np.fromiter(map(known, words), np.int32, typed.count)
        for column, tokens in typed.tokens.items():
            self._fill_texts(column, tokens, rows)
        for column, numbers in typed.numbers.items():
            self._values[column][rows] = numbers
        for column, (offsets, lengths) in typed.slices.items():
            self._values[column][rows] = np.where(lengths, offsets + offset, 0)
            self._ids[column][rows] = lengths
        for column, (items, sizes, said) in typed.lists.items():
            before = self._items[column]
            self._values[column][rows] = np.where(said, len(before) + np.cumsum(sizes) - sizes, 0)
            self._ids[column][rows] = sizes
            before.frombytes(items.tobytes())
        self.count = rows.stop
        return True

    def _fill_raw(self, batch: list[Raw]) -> None:
        rows = np.arange(self.count, self.count + len(batch))
        for name in self._record_columns:
            self._place(name, batch, rows)
        self._fill_level(batch, rows, 0)
        self.count += len(batch)

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
        self._ids[column][rows] = list(map(known.__getitem__, tokens))

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
        self._values[each.column][rows[said][found]] = numbers[found]

    def _place(self, column: str, values: list[Raw], rows: Int64) -> None:
        said = [place for place, value in enumerate(values) if value]
        self._values[column][rows[said]] = [address_of(values[place]) - self._base for place in said]
        self._ids[column][rows[said]] = [len(memoryview(values[place])) for place in said]

    def _fill_integers(self, each: Field, values: list[Raw], rows: Int64) -> None:
        firsts, counts, items = self._values[each.column], self._ids[each.column], self._items[each.column]
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

    def columns(self) -> dict[str, Column]:
        """The finished columns."""
        return {
            name: Column(
                self._values[name][: self.count],
                self._ids[name][: self.count],
                np.frombuffer(self._items[name], np.int64),
                tuple(self._texts[name]),
            )
            for name in self._kinds
        }


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
