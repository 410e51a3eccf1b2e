"""What records.c does, with msgspec and a column at a time."""

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np
from msgspec import Raw

from traces.kernels.library import REASONS, Buffer, NotReadable, Outcome, address
from traces.kernels.numbers import NOT_NUMBERS, Int64, numbers_of_arrays
from traces.kernels.records import Column, Field, Kind, Table, column_names
from traces.kernels.scaled import MISSING, scaled, scaled_array, scaled_number

SPACE = b" \t\r\n"
BYTE = re.compile(r"byte (\d+)")
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|["\[\]{}]', re.DOTALL)
BAD_ESCAPE = re.compile(
    rb"[^\\](?:\\\\)*\\u(?:[0-9a-fA-F]{0,3}[^0-9a-fA-F]|[dD][89abAB][0-9a-fA-F]{2}(?:[^\\]|\\[^u]))", re.DOTALL
)
TEXT = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\\?\Z)', re.DOTALL)
BAD_WORD = re.compile(rb"t(?!\Z|r(?:\Z|u(?:\Z|e)))|f(?!\Z|a(?:\Z|l(?:\Z|s(?:\Z|e))))|n(?!\Z|u(?:\Z|l(?:\Z|l)))")
"""What is malformed, though msgspec calls it cut where the document ends soon after it: escapes, true, false, null."""
QUOTE = ord('"')
NO_TEXT = -1
BATCH = 4096
"""Records that are decoded at once: more would only take memory."""


def scan_records_reference(data: Buffer, fields: Sequence[Field], member: str) -> Table:
    """The same as `records.scan_records`."""
    document = _read(data, member)
    elements = document.elements or []
    records = [element for element in elements if _starts(element, b"{")]
    rows = _Rows(fields, document.base, len(records))
    rows.fill(records)
    return Table(
        len(records),
        len(elements) - len(records),
        document.elements is not None,
        document.unterminated,
        document.members,
        rows.columns(),
    )


def scan_slices_reference(
    data: Buffer, offsets: list[int], lengths: list[int], fields: Sequence[Field], *, arrays: bool
) -> tuple[Table, list[int]]:
    """The same as `records.scan_slices`."""
    source = np.frombuffer(data, np.uint8)
    records: list[Raw] = []
    ends: list[int] = []
    skipped = 0
    for offset, length in zip(offsets, lengths, strict=True):
        part = msgspec.json.decode(source.data[offset : offset + length], type=Raw) if length else Raw()
        if not length:
            raise NotReadable(REASONS[Outcome.TRUNCATED], offset)
        if not arrays:
            records.append(part if _starts(part, b"{") else Raw(b"{}"))
        elif _starts(part, b"["):
            try:
                elements = msgspec.json.decode(part, type=list[Raw])
            except msgspec.DecodeError as error:
                raise _unreadable(error, offset) from error
            found = [element for element in elements if _starts(element, b"{")]
            skipped += len(elements) - len(found)
            records += found
        ends.append(len(records))
    rows = _Rows(fields, address(source), len(records))
    rows.fill(records)
    return Table(len(records), skipped, found=True, unterminated=False, members={}, columns=rows.columns()), ends


@dataclass(frozen=True, slots=True)
class _Document:
    """`base` is the address of the bytes that elements and members are parts of."""

    elements: list[Raw] | None
    members: dict[str, tuple[int, int]]
    base: int
    last: str = ""
    unterminated: bool = False


def _read(data: Buffer, member: str) -> _Document:
    try:
        return _parse(data, member)
    except NotReadable:
        for repaired, array_last in _repairs(bytes(data)):
            try:
                found = _parse(repaired, member)
            except NotReadable:
                continue
            if not array_last or (found.elements is not None and found.last == member):
                return _Document(found.elements, found.members, found.base, unterminated=True)
        raise


def _repairs(document: bytes) -> list[tuple[bytes, bool]]:
    """What a document that lacks only its end may be, with that end; and whether it ends the member's array."""
    text = document.rstrip(SPACE)
    if text.lstrip(SPACE)[:1] != b"[":
        whole = _without_comma(text)
        return [(whole + b"]}", True), (whole + b"}", False)] if whole else []
    whole = _without_comma(text)
    repairs = [(whole + b"]", False)] if whole else []
    inner = text.removesuffix(b"]").rstrip(SPACE)
    if inner.endswith(b",") and (whole := _without_comma(inner)):
        repairs.append((whole + b"]", False))
    cut = _start_of_broken_record(document)
    if cut is not None:
        before = text[:cut].rstrip(SPACE)
        whole = _without_comma(before)
        if whole and (before.endswith(b",") or before.lstrip(SPACE) == b"["):
            repairs.append((whole + b"]", False))
    return repairs


def _without_comma(text: bytes) -> bytes:
    """The text without a comma at its end; nothing where that comma would be wrong anyway."""
    if not text.endswith(b","):
        return text
    whole = text[:-1].rstrip(SPACE)
    return b"" if whole[-1:] in (b"[", b"{", b",") else whole


def _start_of_broken_record(text: bytes) -> int | None:
    depth = 0
    start = None
    for match in TOKEN.finditer(text):
        token = match[0]
        if token == b'"':
            break  # a text without an end
        if token in b"[{":
            depth += 1
            if depth == 2:
                start = match.start()
        elif token in b"]}":
            depth -= 1
            if depth == 1:
                start = None
    return start if start is not None and _breaks_off(text[start:]) else None


def _breaks_off(text: bytes) -> bool:
    """Whether this is the beginning of an object."""
    without_texts = TEXT.sub(b'"', text)
    if text[:1] != b"{" or BAD_ESCAPE.search(text) or BAD_WORD.search(without_texts):
        return False
    try:
        msgspec.json.decode(text, type=Raw)
    except RecursionError:
        return False
    except msgspec.DecodeError as error:
        place = BYTE.search(str(error))  # a number that ends after its "e" or "." is wrong at the very end
        return place is None or (int(place[1]) >= len(text) and without_texts[-1:] != b'"')
    return False


def _parse(data: Buffer, member: str) -> _Document:
    source = np.frombuffer(data, np.uint8)
    base = address(source)
    try:
        if bytes(source[:4096]).lstrip(SPACE)[:1] == b"[":
            return _Document(msgspec.json.decode(data, type=list[Raw]), {}, base)
        parts = msgspec.json.decode(data, type=dict[str, Raw])
        places = {key: (_address(part) - base, len(memoryview(part))) for key, part in parts.items()}
        last = max(places, key=lambda key: places[key][0], default="")
        wanted = parts.get(member)
        places.pop(member, None)
        elements = None
        if wanted is not None and _starts(wanted, b"["):
            elements = msgspec.json.decode(wanted, type=list[Raw])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _unreadable(error, 0, len(source)) from error
    return _Document(elements, places, base, last)


def _unreadable(error: Exception, offset: int, end: int = 0) -> NotReadable:
    if isinstance(error, RecursionError):
        return NotReadable(REASONS[Outcome.TOO_DEEP], offset)
    if isinstance(error, UnicodeDecodeError):
        return NotReadable(REASONS[Outcome.MALFORMED], offset)
    place = BYTE.search(str(error))
    if place is None:
        return NotReadable(REASONS[Outcome.TRUNCATED], end or offset)
    return NotReadable(REASONS[Outcome.MALFORMED], offset + int(place[1]))


def _starts(part: Raw, bracket: bytes) -> bool:
    return memoryview(part)[:1] == bracket


def _holds_numbers(array: Raw, scale: int) -> bool:
    try:
        scaled_array(array, scale)
    except msgspec.ValidationError:
        return False
    return True


def _address(part: Raw) -> int:
    return int(np.frombuffer(part, np.uint8).__array_interface__["data"][0])


class _Rows:
    """The columns of a known number of records."""

    def __init__(self, fields: Sequence[Field], base: int, count: int) -> None:
        self._base = base
        names = column_names(fields)
        self._kinds = {each.column: each.kind for each in fields if not each.weak and each.column}
        self._values = {
            name: np.full(0 if kind is Kind.TEXT else count, MISSING if kind is Kind.SCALED else 0, np.int64)
            for name, kind in self._kinds.items()
        }
        self._ids = {
            name: np.full(0 if kind is Kind.SCALED else count, NO_TEXT if kind is Kind.TEXT else 0, np.int32)
            for name, kind in self._kinds.items()
        }
        self._items = {name: array("q") for name in names}
        self._texts: dict[str, dict[bytes, int]] = {name: {} for name in names}
        self._tokens: dict[str, dict[bytes, int]] = {name: {b"": NO_TEXT, b"null": NO_TEXT} for name in names}
        self._record_columns = [each.column for each in fields if each.kind is Kind.RECORD]
        depth = 1 + max((each.level for each in fields), default=0)
        self._levels = [[each for each in fields if each.level == level and each.key] for level in range(depth)]
        self._decoders = [_decoder(level) for level in self._levels]

    def fill(self, records: list[Raw]) -> None:
        """All rows."""
        for first in range(0, len(records), BATCH):
            batch = records[first : first + BATCH]
            rows = np.arange(first, first + len(batch))
            for name in self._record_columns:
                self._place(name, batch, rows)
            self._fill_level(batch, rows, 0)

    def _fill_level(self, parts: list[Raw], rows: Int64, level: int) -> None:
        decode = self._decoders[level].decode
        try:
            decoded = [decode(part) for part in parts]
        except (msgspec.DecodeError, RecursionError) as error:
            raise _unreadable(error, 0) from error
        fields = self._levels[level]
        weak = {each.column: index for index, each in enumerate(fields) if each.weak}
        for index, each in enumerate(fields):
            if each.weak:
                continue
            values = list(map(attrgetter(f"f{index}"), decoded))
            spare = list(map(attrgetter(f"f{weak[each.column]}"), decoded)) if each.column in weak else []
            if each.kind is Kind.OBJECT:
                inner = [place for place, part in enumerate(values) if _starts(part, b"{")]
                self._fill_level([values[place] for place in inner], rows[inner], level + 1)
            elif each.kind is Kind.TEXT:
                tokens = list(map(bytes, values))
                self._fill_texts(each, _first_text(tokens, map(bytes, spare)) if spare else tokens, rows)
            elif each.kind is Kind.SCALED:
                for candidates in (spare, values):
                    self._fill_numbers(each, candidates, rows)
            elif each.kind is Kind.SLICE:
                self._place(each.column, values, rows)
            else:
                self._fill_integers(each, values, rows)

    def _fill_texts(self, each: Field, tokens: list[bytes], rows: Int64) -> None:
        known, texts = self._tokens[each.column], self._texts[each.column]
        for token in dict.fromkeys(tokens):
            if token not in known:
                text = token[1:-1] if token[0] == QUOTE else token
                known[token] = texts.setdefault(text, len(texts))
        self._ids[each.column][rows] = list(map(known.__getitem__, tokens))

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
        self._values[column][rows[said]] = [_address(values[place]) - self._base for place in said]
        self._ids[column][rows[said]] = [len(memoryview(values[place])) for place in said]

    def _fill_integers(self, each: Field, values: list[Raw], rows: Int64) -> None:
        firsts, counts, items = self._values[each.column], self._ids[each.column], self._items[each.column]
        lists = [place for place, value in enumerate(values) if _starts(value, b"[")]
        try:
            numbers, sizes = numbers_of_arrays([values[place] for place in lists], each.scale)
        except msgspec.ValidationError as error:
            wrong = next(place for place in lists if not _holds_numbers(values[place], each.scale))
            raise NotReadable(NOT_NUMBERS, _address(values[wrong]) - self._base) from error
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
                self._values[name],
                self._ids[name],
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
