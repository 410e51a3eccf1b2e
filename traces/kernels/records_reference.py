"""What records.c does, with msgspec and a column at a time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
from msgspec import Raw

from traces.kernels.library import Buffer, NotReadable
from traces.kernels.records import Field, Table
from traces.kernels.records_rows import BYTE, Rows, starts, unreadable
from traces.kernels.records_typed import address_of

SPACE = b" \t\r\n"
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|["\[\]{}]', re.DOTALL)
OPENING = rb'[ \t\r\n]*(?:\{[ \t\r\n]*"%b"[ \t\r\n]*:[ \t\r\n]*)?\['
LITTLE = 4
"""What lies behind the array is copied: of a whole document it may be one part in so many."""
BAD_ESCAPE = re.compile(
    rb"[^\\](?:\\\\)*\\u(?:[0-9a-fA-F]{0,3}[^0-9a-fA-F]|[dD][89abAB][0-9a-fA-F]{2}(?:[^\\]|\\[^u]))", re.DOTALL
)
TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
BAD_WORD = re.compile(rb"t(?!\Z|r(?:\Z|u(?:\Z|e)))|f(?!\Z|a(?:\Z|l(?:\Z|s(?:\Z|e))))|n(?!\Z|u(?:\Z|l(?:\Z|l)))")
"""What is malformed, though msgspec calls it cut where the document ends soon after it: escapes, true, false, null."""


def scan_records_reference(data: Buffer, fields: Sequence[Field], member: str) -> Table:
    """The same as `records.scan_records`."""
    table = _scan_as_usual(memoryview(data), fields, member)
    if table is not None:
        return table
    document = _read(data, member)
    rows = Rows(fields)
    if document.array is not None:
        rows.fill_array(document.source, document.array[0] + 1, sum(document.array) - 1)
    columns, found = rows.columns(), document.array is not None
    return Table(rows.count, rows.skipped, found, document.unterminated, document.members, columns)


def _scan_as_usual(data: memoryview, fields: Sequence[Field], member: str) -> Table | None:
    """The columns of a document that begins with the array and has little behind it; None of another or a broken one.

    It is read once: what is left where the array's end is near becomes a document that begins as the whole one does.
    """
    opening = re.match(OPENING % re.escape(member.encode()), data)
    if opening is None:
        return None
    rows = Rows(fields)
    at = rows.fill_beginning(data, opening.end())
    if (len(data) - at) * LITTLE > len(data):
        return None
    rest = b"".join((opening[0], data[at:]))
    moved = at - opening.end()
    try:
        end = _parse(rest, member)
        if end.array is None or end.array[0] != opening.end() - 1:
            return None
        rows.fill_array(end.source, opening.end(), sum(end.array) - 1, moved)
    except NotReadable:
        return None
    members = {key: (offset + moved, size) for key, (offset, size) in end.members.items()}
    return Table(rows.count, rows.skipped, found=True, unterminated=False, members=members, columns=rows.columns())


def scan_slices_reference(
    data: Buffer, offsets: list[int], lengths: list[int], fields: Sequence[Field], *, arrays: bool
) -> tuple[Table, list[int]]:
    """The same as `records.scan_slices`."""
    rows = Rows(fields)
    ends = rows.fill_parts(memoryview(data), offsets, lengths, arrays=arrays)
    return Table(rows.count, rows.skipped, found=True, unterminated=False, members={}, columns=rows.columns()), ends


@dataclass(frozen=True, slots=True)
class _Document:
    """Offset and length of the array and of the other members in `source`."""

    array: tuple[int, int] | None
    members: dict[str, tuple[int, int]]
    source: memoryview
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
            if not array_last or (found.array is not None and found.last == member):
                return replace(found, unterminated=True)
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
    source = memoryview(data)
    base = address_of(source)
    try:
        if bytes(source[:4096]).lstrip(SPACE)[:1] == b"[":
            return _Document(_place(msgspec.json.decode(data, type=Raw), base), {}, source)
        parts = msgspec.json.decode(data, type=dict[str, Raw])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise unreadable(error, 0, len(source)) from error
    places = {key: _place(part, base) for key, part in parts.items()}
    last = max(places, key=lambda key: places[key][0], default="")
    wanted = places.pop(member, None)
    array = wanted if wanted is not None and starts(parts[member], b"[") else None
    return _Document(array, places, source, last)


def _place(part: Raw, base: int) -> tuple[int, int]:
    return address_of(part) - base, len(memoryview(part))
