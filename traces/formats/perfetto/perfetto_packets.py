"""The packets of a Perfetto trace as columns, with what their writers say once: names by number, defaults, clocks.

Format: https://github.com/google/perfetto, protos/perfetto/trace (trace_packet.proto, interned_data.proto,
clock_snapshot.proto). A writer (a sequence) numbers its names anew whenever it clears its state; between two clears a
number keeps its meaning, so that names are looked up by writer, clear and number.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from traces.kernels.library import REASONS, NotReadable, Outcome
from traces.kernels.protobuf import LENGTH, VARINT, Fields, scan_fields
from traces.model import NONE, Int64

REAL_TIME, BOOT_TIME = 1, 6
OWN_CLOCKS = range(64, 128)
"""Numbers of clocks that a writer defines for itself; others are the system's."""
CLEARED, NEEDS_STATE = 1, 2
MAX_PACKED = 256 << 20
PACKET, COMPRESSED = 1, 50
SNAPSHOT, TIME, SEQUENCE, EVENT, INTERNED, FLAGS = 6, 8, 10, 11, 12, 13
CLEARED_OLD, DROPPED, SYSTEM, CLOCK, DEFAULTS, DESCRIPTOR = 41, 42, 45, 58, 59, 60
TIME_ZONE = 7
CATEGORIES, NAMES = 1, 2
EVENT_TRACK = 11

Flags = npt.NDArray[np.bool_]
Table = dict[tuple[int, int], str]
"""Texts by state and number."""


@dataclass(frozen=True, slots=True)
class Packets:
    """`times` are nanoseconds (boot clock) where `timed`; `usable` packets have the state they need.

    `state` numbers a writer between two clears. `fields` are all packets' fields; `data` is what they point into.
    `real_time` is what the boot clock is behind the time since 1970, None where no snapshot says it.
    """

    data: bytes
    fields: Fields
    count: int
    times: Int64
    timed: Flags
    usable: Flags
    state: Int64
    names: Table
    categories: Table
    default_tracks: dict[int, int]
    real_time: int | None
    utc_offset_minutes: int | None

    def parts(self, number: int) -> tuple[Int64, Int64, Int64]:
        """The packets that hold an inner message, where it begins and where it ends."""
        return parts(self.fields, number)


@dataclass(slots=True)
class Clock:
    """A writer's own clock at a snapshot: ticks of `unit` ns; it may count from packet to packet."""

    ticks: int
    unit: int
    offset: int
    counts_on: bool


@dataclass(slots=True)
class Clocks:
    """Nanoseconds to add to a system's clock to be on the boot clock, from the first snapshot that holds both."""

    offsets: dict[int, int] = field(default_factory=lambda: {BOOT_TIME: 0})

    def snapshot(self, rows: list[dict[int, int]]) -> dict[int, Clock]:
        """Read one moment on several clocks; returns those of the writer."""
        system = {row.get(1, 0): row.get(2, 0) * (row.get(4) or 1) for row in rows if row.get(1, 0) not in OWN_CLOCKS}
        known = next((ident for ident in (BOOT_TIME, *system) if ident in system and ident in self.offsets), None)
        now = system[known] + self.offsets[known] if known is not None else next(iter(system.values()), 0)
        for ident, time in system.items():
            self.offsets.setdefault(ident, now - time)
        own = {row.get(1, 0): row for row in rows if row.get(1, 0) in OWN_CLOCKS}
        return {
            ident: Clock(row.get(2, 0), row.get(4) or 1, now - row.get(2, 0) * (row.get(4) or 1), bool(row.get(3)))
            for ident, row in own.items()
        }


def read_packets(data: bytes) -> Packets:
    """All packets of a trace, those inside compressed ones too. Raises NotReadable."""
    data, fields, count = _all_packets(data)
    sequence = column(fields, count, SEQUENCE)
    flags = column(fields, count, FLAGS)
    cleared = (flags & CLEARED != 0) | (column(fields, count, CLEARED_OLD) != 0)
    dropped = column(fields, count, DROPPED) != 0
    state, first = _states(sequence, cleared | dropped)
    usable = (flags & NEEDS_STATE == 0) | cleared[first]
    names, categories = _interned(data, fields, state)
    tracks, clocks_of = _defaults(data, fields, state)
    clock = column(fields, count, CLOCK, NONE)
    unnamed = np.flatnonzero(clock < 0)
    clock[unnamed] = [clocks_of.get(s, BOOT_TIME) for s in state[unnamed].tolist()]
    clocks = Clocks()
    times, timed = _times(data, fields, sequence, clock, column(fields, count, TIME, NONE), clocks)
    behind = clocks.offsets.get(REAL_TIME)
    return Packets(
        data,
        fields,
        count,
        times,
        timed,
        usable,
        state,
        names,
        categories,
        tracks,
        None if behind is None else -behind,
        _utc_offset(data, fields),
    )


def column(fields: Fields, count: int, number: int, default: int = 0) -> Int64:
    """A number of each message, the last where it has several."""
    rows = np.flatnonzero((fields.number == number) & (fields.wire == VARINT))
    values = np.full(count, default, np.int64)
    values[fields.message[rows]] = fields.first[rows]
    return values


def parts(fields: Fields, number: int) -> tuple[Int64, Int64, Int64]:
    rows = np.flatnonzero((fields.number == number) & (fields.wire == LENGTH))
    return fields.message[rows].astype(np.int64), fields.first[rows], fields.last[rows]


def complete_size(data: bytes) -> int:
    """How many bytes of a trace, which may break off, are complete packets. Raises NotReadable."""
    try:
        scan_fields(data, [0], [len(data)])
    except NotReadable as error:
        if error.reason != REASONS[Outcome.TRUNCATED] or not error.position:
            raise
        return error.position
    return len(data)


def _all_packets(data: bytes) -> tuple[bytes, Fields, int]:
    top = scan_fields(data, [0], [len(data)])
    _, firsts, lasts = parts(top, PACKET)
    fields = scan_fields(data, firsts, lasts)
    packed = np.flatnonzero((fields.number == COMPRESSED) & (fields.wire == LENGTH))
    if not len(packed):
        return data, fields, len(firsts)
    rows = dict(zip(fields.message[packed].tolist(), packed.tolist(), strict=True))
    unpacked = b"".join(_unpacked(data, rows, fields, firsts, lasts))
    _, firsts, lasts = parts(scan_fields(unpacked, [0], [len(unpacked)]), PACKET)
    return unpacked, scan_fields(unpacked, firsts, lasts), len(firsts)


def _unpacked(data: bytes, packed: dict[int, int], fields: Fields, firsts: Int64, lasts: Int64) -> Iterator[bytes]:
    """Each packet as it stands in a trace; what a compressed one holds are complete packets."""
    room = MAX_PACKED
    for packet, (first, last) in enumerate(zip(firsts.tolist(), lasts.tolist(), strict=True)):
        row = packed.get(packet)
        if row is None:
            yield b"\n" + _length(last - first) + data[first:last]
            continue
        decompressor = zlib.decompressobj()
        try:
            inner = decompressor.decompress(data[int(fields.first[row]) : int(fields.last[row])], room)
        except zlib.error as error:
            raise NotReadable("a compressed part is damaged", first) from error
        if not decompressor.eof:
            raise NotReadable("a compressed part breaks off or is too large", first)
        room -= len(inner)
        yield inner


def _length(size: int) -> bytes:
    out = bytearray()
    while size > 127:
        out.append(size & 127 | 128)
        size >>= 7
    out.append(size)
    return bytes(out)


def _states(sequence: Int64, begins: Flags) -> tuple[Int64, Int64]:
    """Each packet's writer between two beginnings, as one number, and the first packet of the same number."""
    order = np.argsort(sequence, kind="stable")
    new = begins[order] | (np.diff(sequence[order], prepend=NONE) != 0)
    number = np.cumsum(new) - 1
    state, first = np.empty(len(order), np.int64), np.empty(len(order), np.int64)
    state[order] = number
    first[order] = order[np.flatnonzero(new)][number]
    return state, first


def _interned(data: bytes, fields: Fields, state: Int64) -> tuple[Table, Table]:
    """Names and categories by state and number."""
    packets, firsts, lasts = parts(fields, INTERNED)
    entries = scan_fields(data, firsts, lasts)
    tables: tuple[Table, Table] = ({}, {})
    for table, number in zip(tables, (NAMES, CATEGORIES), strict=True):
        of, begins, ends = parts(entries, number)
        inner = scan_fields(data, begins, ends)
        idents = column(inner, len(begins), 1)
        entry, start, stop = parts(inner, 2)
        keys = zip(state[packets[of[entry]]].tolist(), idents[entry].tolist(), strict=True)
        for key, first, last in zip(keys, start.tolist(), stop.tolist(), strict=True):
            table[key] = data[first:last].decode("utf-8", "replace")
    return tables


def _defaults(data: bytes, fields: Fields, state: Int64) -> tuple[dict[int, int], dict[int, int]]:
    """The track and the clock of packets that name none, by state."""
    packets, firsts, lasts = parts(fields, DEFAULTS)
    said = scan_fields(data, firsts, lasts)
    clocks = column(said, len(firsts), CLOCK, NONE)
    of, begins, ends = parts(said, EVENT)
    tracks = column(scan_fields(data, begins, ends), len(begins), EVENT_TRACK)
    return (
        dict(zip(state[packets[of]].tolist(), tracks.tolist(), strict=True)),
        {s: c for s, c in zip(state[packets].tolist(), clocks.tolist(), strict=True) if c >= 0},
    )


def _utc_offset(data: bytes, fields: Fields) -> int | None:
    """How many minutes clocks were ahead of UTC, as the system said; negative numbers fill 64 bits."""
    _, firsts, lasts = parts(fields, SYSTEM)
    said = scan_fields(data, firsts, lasts)
    rows = np.flatnonzero((said.number == TIME_ZONE) & (said.wire == VARINT))
    return int(said.first[rows[0]]) if len(rows) else None


def _times(
    data: bytes, fields: Fields, sequence: Int64, clock: Int64, said: Int64, clocks: Clocks
) -> tuple[Int64, Flags]:
    """Each packet's time on the boot clock, and whether it has one; what the snapshots say goes into `clocks`."""
    snapshots: dict[int, list[tuple[int, dict[int, Clock]]]] = {}
    packets, firsts, lasts = parts(fields, SNAPSHOT)
    for packet, first, last in zip(packets.tolist(), firsts.tolist(), lasts.tolist(), strict=True):
        _, begins, ends = parts(scan_fields(data, [first], [last]), 1)
        inner = scan_fields(data, begins, ends)
        columns = {number: column(inner, len(begins), number).tolist() for number in (1, 2, 3, 4)}
        rows = [{number: values[row] for number, values in columns.items()} for row in range(len(begins))]
        snapshots.setdefault(int(sequence[packet]), []).append((packet, clocks.snapshot(rows)))
    own = (clock >= OWN_CLOCKS.start) & (clock < OWN_CLOCKS.stop)
    timed = (said >= 0) & ~own
    times = said.copy()
    for ident in np.unique(clock[timed]).tolist():
        times[timed & (clock == ident)] += clocks.offsets.get(ident, 0)
    with_own = np.flatnonzero(own & (said != NONE))
    order = with_own[np.lexsort((with_own, clock[with_own], sequence[with_own]))]
    groups = np.flatnonzero(np.diff(sequence[order], prepend=NONE) | np.diff(clock[order], prepend=NONE))
    for members in np.split(order, groups[1:]) if len(order) else ():
        ident = int(clock[members[0]])
        taken = [(at, its[ident]) for at, its in snapshots.get(int(sequence[members[0]]), ()) if ident in its]
        bounds = np.searchsorted(members, [packet for packet, _ in taken]).tolist()
        for (_, base), begin, end in zip(taken, bounds, [*bounds, len(members)][1:], strict=True):
            part = members[begin:end]
            ticks = base.ticks + np.cumsum(said[part]) if base.counts_on else said[part]
            times[part] = ticks * base.unit + base.offset
            timed[part] = True
    return times, timed
