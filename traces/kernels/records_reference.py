"""What records.c does, with msgspec and a column at a time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from msgspec import Raw

from traces.kernels.library import REASONS, Buffer, NotReadable, Outcome, address
from traces.kernels.records import Field, Table
from traces.kernels.records_rows import BYTE, Rows, starts, unreadable
from traces.kernels.records_typed import address_of

SPACE = b" \t\r\n"
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|["\[\]{}]', re.DOTALL)
BAD_ESCAPE = re.compile(
    rb"[^\\](?:\\\\)*\\u(?:[0-9a-fA-F]{0,3}[^0-9a-fA-F]|[dD][89abAB][0-9a-fA-F]{2}(?:[^\\]|\\[^u]))", re.DOTALL
)
TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
BAD_WORD = re.compile(rb"t(?!\Z|r(?:\Z|u(?:\Z|e)))|f(?!\Z|a(?:\Z|l(?:\Z|s(?:\Z|e))))|n(?!\Z|u(?:\Z|l(?:\Z|l)))")
"""What is malformed, though msgspec calls it cut where the document ends soon after it: escapes, true, false, null."""


def scan_records_reference(data: Buffer, fields: Sequence[Field], member: str) -> Table:
    """The same as `records.scan_records`."""
    document = _read(data, member)
    elements = document.elements or []
    rows = Rows(fields, document.base, len(elements))
    rows.fill_array(elements, document.source)
    return Table(
        rows.count,
        len(elements) - rows.count,
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
            records.append(part if starts(part, b"{") else Raw(b"{}"))
        elif starts(part, b"["):
            try:
                elements = msgspec.json.decode(part, type=list[Raw])
            except msgspec.DecodeError as error:
                raise unreadable(error, offset) from error
            found = [element for element in elements if starts(element, b"{")]
            skipped += len(elements) - len(found)
            records += found
        ends.append(len(records))
    rows = Rows(fields, address(source), len(records))
    rows.fill(records)
    return Table(len(records), skipped, found=True, unterminated=False, members={}, columns=rows.columns()), ends


@dataclass(frozen=True, slots=True)
class _Document:
    """`source`, at address `base`, is what elements and members are parts of."""

    elements: list[Raw] | None
    members: dict[str, tuple[int, int]]
    source: memoryview
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
    source = np.frombuffer(data, np.uint8)
    base = address(source)
    try:
        if bytes(source[:4096]).lstrip(SPACE)[:1] == b"[":
            return _Document(msgspec.json.decode(data, type=list[Raw]), {}, source.data, base)
        parts = msgspec.json.decode(data, type=dict[str, Raw])
        places = {key: (address_of(part) - base, len(memoryview(part))) for key, part in parts.items()}
        last = max(places, key=lambda key: places[key][0], default="")
        wanted = parts.get(member)
        places.pop(member, None)
        elements = None
        if wanted is not None and starts(wanted, b"["):
            elements = msgspec.json.decode(wanted, type=list[Raw])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise unreadable(error, 0, len(source)) from error
    return _Document(elements, places, source.data, base, last)
