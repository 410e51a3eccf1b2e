"""The records of a perf.data: what events were recorded, and where each record lies.

Format: tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of Linux. A file has a
header with sections, or, written to a pipe, records alone. Records are 8-byte words: kind, flags and size, then fields.
"""

import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from traces.builder import TraceBuilder
from traces.compression import read_zstd_stream
from traces.formats.perf import PERF_HEADER_BYTES, PERF_PIPE_HEADER_BYTES
from traces.model import Int32, Int64

SECTION = struct.Struct("<QQ")
RECORD = struct.Struct("<IHH")
ATTR, TRACING_DATA, AUXTRACE, FEATURE, COMPRESSED, COMPRESSED_ALIGNED = 64, 66, 71, 80, 81, 83
EVENT_DESCRIPTIONS = 12
"""The feature that names the events."""
IS_FREQUENCY, SAYS_WHEN = 1 << 10, 1 << 18
"""Bits of an attribute: the period is a rate; records that are no samples say when they were made, too."""
CALL_STACK = 1 << 11
HARDWARE = ("cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", "bus-cycles")
SOFTWARE = (
    *("cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults", "major-faults"),
    *("alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches"),
)

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Event:
    """An event that was recorded: `perf_event_attr`, its name and the numbers of its counters. `period` is what a
    sample stands for where that was fixed."""

    name: str
    fields: int
    read_format: int
    says_when: bool
    period: int | None
    keeps_branches: bool
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Records:
    """All records in the file's order: `at` is the first of its words, `size` the number of them."""

    words: Words
    at: Int64
    kind: Int64
    misc: Int32
    size: Int64
    events: tuple[Event, ...]

    def of_kind(self, *kinds: int) -> Int64:
        """The rows of some kinds of record."""
        return np.flatnonzero(np.isin(self.kind, kinds))

    def content(self, row: int) -> bytes:
        """A record behind its first word."""
        return self.words[self.at[row] + 1 : self.at[row] + self.size[row]].tobytes()


def read_records(data: memoryview, builder: TraceBuilder) -> Records:
    """Read the header and find the records. Raises DamagedTrace, TraceTooLarge."""
    in_pipe = SECTION.unpack_from(data)[1] == PERF_PIPE_HEADER_BYTES
    no_events: list[Event] = []
    events, start, end = (no_events, PERF_PIPE_HEADER_BYTES, None) if in_pipe else _header(data, builder)
    words, at = _found(data, start, end, builder)
    head = words[at]
    records = Records(
        words,
        at,
        (head & np.uint64(0xFFFFFFFF)).astype(np.int64),
        (head >> np.uint64(32) & np.uint64(0xFFFF)).astype(np.int32),
        (head >> np.uint64(48)).astype(np.int64) + 7 >> 3,
        tuple(events),
    )
    return replace(records, events=tuple(_events_in_records(records, builder))) if in_pipe else records


def _header(data: memoryview, builder: TraceBuilder) -> tuple[list[Event], int, int | None]:
    """The events, and where the records begin and end (None: wherever the file does)."""
    if len(data) < PERF_HEADER_BYTES:
        raise builder.damaged(f"it ends within its header, at byte {len(data)}.")
    attr_size = SECTION.unpack_from(data, 8)[1]
    (attrs, attrs_size), (start, size) = SECTION.unpack_from(data, 24), SECTION.unpack_from(data, 40)
    if not 64 + SECTION.size <= attr_size <= 4_096 or attrs_size % attr_size or attrs + attrs_size > len(data):
        raise builder.damaged(f"its list of events, at byte {attrs:,}, is not where the header says.")
    if start > len(data):
        raise builder.damaged(f"it ends at byte {len(data):,}, before its records, which begin at byte {start:,}.")
    events = []
    for at in range(attrs, attrs + attrs_size, attr_size):
        ids, ids_size = SECTION.unpack_from(data, at + attr_size - SECTION.size)
        if ids + ids_size > len(data):
            raise builder.damaged(f"the numbers of an event, at byte {ids:,}, lie beyond its end.")
        events.append(_event(data[at : at + attr_size - SECTION.size], data[ids : ids + ids_size]))
    if size == 0:
        builder.warn("unfinished", "the recording was cut off: what perf writes at its end is missing")
        return events, start, None
    if start + size > len(data):
        builder.warn("unterminated", "the list of records breaks off; what came before was read")
        return events, start, None
    names = _names(_feature(data, start + size))
    return [replace(event, name=names.of(event, row)) for row, event in enumerate(events)], start, start + size


def _event(attr: memoryview, ids: memoryview) -> Event:
    kind, _, config, period, fields, read_format, flags = struct.unpack_from("<IIQQQQQ", attr)
    (branches,) = struct.unpack_from("<Q", attr, 72) if len(attr) >= 80 else (0,)
    known = HARDWARE if kind == 0 else SOFTWARE if kind == 1 else ()
    return Event(
        known[config] if config < len(known) else f"event {kind}:{config:x}",
        fields,
        read_format,
        bool(flags & SAYS_WHEN),
        None if flags & IS_FREQUENCY or period >> 61 else period,
        bool(branches & CALL_STACK),
        tuple(np.frombuffer(ids[: len(ids) // 8 * 8], "<u8").tolist()),
    )


def _feature(data: memoryview, at: int) -> bytes:
    """What names the events: sections are listed behind the records, one for each bit that is set."""
    flags = int.from_bytes(data[72:104], "little")
    if not flags >> EVENT_DESCRIPTIONS & 1:
        return b""
    at += SECTION.size * (flags & (1 << EVENT_DESCRIPTIONS) - 1).bit_count()
    if at + SECTION.size > len(data):
        return b""
    start, size = SECTION.unpack_from(data, at)
    return bytes(data[start : start + size])


class _Names(NamedTuple):
    """What events are called, by their place and by their numbers."""

    by_place: list[str]
    by_ids: dict[tuple[int, ...], str]

    def of(self, event: Event, row: int) -> str:
        by_place = self.by_place[row] if row < len(self.by_place) else ""
        return (self.by_ids.get(event.ids, by_place) if event.ids else by_place) or event.name


def _names(description: bytes) -> _Names:
    """Those behind damage are missed by nothing but their names."""
    names = _Names([], {})
    try:
        count, attr_size = struct.unpack_from("<II", description)
        at = 8
        while len(names.by_place) < count:
            ids, length = struct.unpack_from("<II", description, at + attr_size)
            at += attr_size + 8
            name = description[at : at + length].partition(b"\0")[0].decode("utf-8", "replace")
            at += length
            numbers = struct.unpack_from(f"<{ids}Q", description, at)
            names.by_place.append(name)
            names.by_ids.setdefault(numbers, name)
            at += 8 * ids
    except struct.error:
        return names
    return names


def _events_in_records(records: Records, builder: TraceBuilder) -> Iterator[Event]:
    """The events of a recording that went through a pipe."""
    names = _names(b"")
    for row in records.of_kind(FEATURE).tolist():
        content = records.content(row)
        if content[:8] == EVENT_DESCRIPTIONS.to_bytes(8, "little"):
            names = _names(content[8:])
    for number, row in enumerate(records.of_kind(ATTR).tolist()):
        content = records.content(row)
        size = int.from_bytes(content[4:8], "little")
        if not 64 <= size <= len(content):
            raise builder.damaged(f"its event {number} does not say what it is.")
        event = _event(memoryview(content)[:size], memoryview(content)[size:])
        yield replace(event, name=names.of(event, number))


def _found(data: memoryview, start: int, end: int | None, builder: TraceBuilder) -> tuple[Words, Int64]:
    """All records as words, and the first word of each. Compressed ones and those of a pipe's header need not be full
    words: then all is copied."""
    places, packed = _walked(data, start, end, builder)
    at = np.frombuffer(places, np.int64) - start
    if not len(packed) and not (at % 8).any():
        return np.frombuffer(data[start : start + ((end or len(data)) - start) // 8 * 8], "<u8"), at // 8
    copied, kept = bytearray(), array("q")
    skipped = set(packed)
    for place in places:
        if place not in skipped:
            kept.append(len(copied))
            copied += data[place : place + RECORD.unpack_from(data, place)[2]]
            copied += bytes(-len(copied) % 8)
    pieces = b"".join(_packed(data, place, builder) for place in packed)
    unpacked = read_zstd_stream(memoryview(pieces), builder.name) if pieces else memoryview(b"")
    inner, nested = _walked(unpacked, 0, None, builder)
    at = np.concatenate((np.frombuffer(kept, np.int64), np.frombuffer(inner, np.int64) + len(copied)))
    if nested or (at % 8).any():
        raise builder.damaged("its compressed records hold what no recorder compresses.")
    copied += unpacked[: len(unpacked) // 8 * 8]
    return np.frombuffer(copied, "<u8"), at // 8


def _packed(data: memoryview, place: int, builder: TraceBuilder) -> memoryview:
    kind, _, size = RECORD.unpack_from(data, place)
    if kind == COMPRESSED:
        return data[place + 8 : place + size]
    said = int.from_bytes(data[place + 8 : place + 16], "little")
    if size < 16 + said:
        raise builder.damaged(f"the compressed record at byte {place:,} is shorter than it says.")
    return data[place + 16 : place + 16 + said]


def _walked(data: memoryview, at: int, end: int | None, builder: TraceBuilder) -> tuple["array[int]", list[int]]:
    """Where each record begins, and which of them are compressed ones."""
    places, packed = array("q"), []
    unpack, keep = RECORD.unpack_from, places.append
    last = len(data) if end is None else end
    while at + 8 <= last:
        kind, _, size = unpack(data, at)
        if size < 8 or at + size > last:
            break
        keep(at)
        if kind >= ATTR:
            if kind in (COMPRESSED, COMPRESSED_ALIGNED):
                packed.append(at)
            elif kind in (TRACING_DATA, AUXTRACE):  # what follows is no part of the record
                at += int.from_bytes(data[at + 8 : at + (12 if kind == TRACING_DATA else 16)], "little") + 7 & ~7
        at += size
    if end is not None and at != end:
        raise builder.damaged(f"the record at byte {min(at, end):,} is not whole.")
    if at < last:
        builder.warn("cut_record", "a record at the end that is not whole was dropped")
    return places, packed
