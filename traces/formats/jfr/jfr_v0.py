"""Chunks of Java 7 and 8 (format 0.9): what `jfr_chunk.Chunk` gives of later ones, under the names of these.

Format: org.openjdk.jmc.flightrecorder, internal/parser/v0 of https://github.com/openjdk/jmc (ChunkMetadata,
EventParserManager, ReaderFactory). Numbers are big-endian and of fixed sizes; the metadata at the chunk's end declare
structures, events and pools of constants, and name the last checkpoint, each of which names the one before. A constant
counts for what was recorded until its checkpoint: keys are used again later.
"""

import struct
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from traces.formats.jfr.jfr_types import BrokenChunk
from traces.formats.jfr.jfr_v0_metadata import (
    STRUCTURE,
    STRUCTURES,
    Clock,
    Declarations,
    EventType,
    Field,
    read_declarations,
)

EVENTS_AT = 16
"""Behind magic, version and the place of the metadata."""
CHECKPOINT = 1
THREADS, STACKS = 7, 9
"""The pools that an event's thread and stack are in, whatever it declares besides."""
FIXED = (">?", ">b", ">B", ">h", ">H", ">i", ">I", ">q", ">Q", ">f", ">d")
FIRST_FLOAT = 9
UTF8, UTF16, ARRAY = 11, 12, 13
PLAIN = frozenset(range(7))
"""Numbers that are no reference to a pool: of bytes, of times, of addresses."""
PERCENTAGE = 11
MAX_NESTING = 20
Reader = Callable[[int, int], tuple[Any, int]]
"""Reads a value at a place, for what was recorded at a time; gives it and the place behind it."""
Reference = tuple[int, int, int]
"""Pool, key, and the time for which the key is asked."""


@dataclass(frozen=True, slots=True)
class Deferred:
    """Structures of fixed size that are read when they are asked for: a recording has millions of frames."""

    at: int
    count: int
    layout: struct.Struct
    fields: tuple[tuple[str, int | None], ...]
    """Name and, of a reference, its pool."""
    time: int


@dataclass(slots=True)
class ChunkV0:
    """A chunk, ready to be asked, as `jfr_chunk.Chunk`."""

    data: bytes
    """From the chunk's first byte."""
    start: int
    end: int
    declared: Declarations
    metadata: int
    """Where in the chunk they are: events end there."""
    constants: dict[int, dict[int, tuple[list[int], list[Any]]]] = field(default_factory=dict)
    plans: dict[int, list[tuple[str, Reader]]] = field(default_factory=dict)

    @property
    def start_ns(self) -> int:
        return self.declared.start_ns

    @property
    def start_ticks(self) -> int:
        return self.declared.start_ticks

    @property
    def types(self) -> Clock:
        return self.declared.types

    def nanoseconds(self, ticks: int) -> int:
        """A moment, from the clock that events are stamped with."""
        return self.start_ns + self.lasting(ticks - self.start_ticks)

    def lasting(self, ticks: int) -> int:
        """A duration in nanoseconds."""
        return ticks * 1_000_000_000 // self.declared.ticks_a_second

    def follow(self, value: Any) -> Any:
        """What a reference means; None where the pools do not have it. Other values are themselves."""
        if isinstance(value, Deferred):
            return self._rows(value)
        if not isinstance(value, tuple):
            return value
        pool, key, time = value
        known = self.constants.get(pool, {}).get(key)
        if known is None:
            return None
        times, values = known
        return values[min(bisect_left(times, time), len(times) - 1)]

    def events(self, requested: frozenset[str] | None) -> Iterator[tuple[str, dict[str, Any]]]:
        """The events of some types (None: all), with their fields, in the order of the file. Raises BrokenChunk."""
        known = {
            ident: kind
            for ident, kind in self.declared.event_types.items()
            if requested is None or kind.name in requested
        }
        at = EVENTS_AT
        while at < self.metadata:
            size, ident = struct.unpack_from(">ii", self.data, at)
            if size < 8 or at + size > self.metadata:
                raise BrokenChunk("an event is longer than its chunk")
            kind = known.get(ident)
            if kind is not None:
                yield kind.name, self._event(kind, at + 8)
            at += size

    def _event(self, kind: EventType, at: int) -> dict[str, Any]:
        (ended,) = struct.unpack_from(">q", self.data, at)
        at += 8
        event: dict[str, Any] = {"startTime": ended}
        if kind.has_start:
            (event["startTime"],) = struct.unpack_from(">q", self.data, at)
            at += 8
            event["duration"] = max(0, ended - event["startTime"])
        if kind.has_thread:
            event["eventThread"] = self._reference(THREADS, struct.unpack_from(">i", self.data, at)[0], ended)
            at += 4
        if kind.has_stack:
            event["stackTrace"] = self._reference(STACKS, struct.unpack_from(">q", self.data, at)[0], ended)
            at += 8
        for name, read in self._plan(kind.structure):
            value, at = read(at, ended)
            event.setdefault(name, value)
        return event

    def _plan(self, structure: int) -> list[tuple[str, Reader]]:
        plan = self.plans.get(structure)
        if plan is None:
            plan = self.plans[structure] = [
                (known.name, self._reader(known)) for known in self.declared.structures[structure]
            ]
        return plan

    def _reference(self, pool: int, key: int, time: int) -> Reference:
        """The same for all times at which the key means the same, so that what it means is read once."""
        known = self.constants.get(pool, {}).get(key)
        return pool, key, known[0][min(bisect_left(known[0], time), len(known[0]) - 1)] if known else 0

    def _reader(self, declared: Field, depth: int = 0) -> Reader:
        if depth > MAX_NESTING:
            raise BrokenChunk("its structures are nested too deeply")
        if declared.kind == STRUCTURE:
            return self.structure(declared.inner, depth)
        if declared.kind == STRUCTURES:
            if all(0 <= inner.kind < len(FIXED) for inner in self.declared.structures[declared.inner]):
                return self._deferred(self.declared.structures[declared.inner])
            return self._array(self.structure(declared.inner, depth))
        if declared.kind == ARRAY:
            return self._array(self.primitive(declared.inner, declared.pool))
        return self.primitive(declared.kind, declared.pool)

    def _deferred(self, declared: list[Field]) -> Reader:
        layout = struct.Struct(">" + "".join(FIXED[known.kind][1] for known in declared))
        fields = tuple((known.name, known.pool if _refers(known.kind, known.pool) else None) for known in declared)
        data = self.data

        def rows(at: int, time: int) -> tuple[Deferred, int]:
            (count,) = struct.unpack_from(">i", data, at)
            end = at + 4 + count * layout.size
            if count < 0 or not at < end <= len(data) or not layout.size:
                raise BrokenChunk("an array is longer than its chunk")
            return Deferred(at + 4, count, layout, fields, time), end

        return rows

    def _rows(self, rows: Deferred) -> list[dict[str, Any]]:
        block = self.data[rows.at : rows.at + rows.count * rows.layout.size]
        return [
            {
                name: value if pool is None else (pool, value, rows.time)
                for (name, pool), value in zip(rows.fields, values, strict=True)
            }
            for values in rows.layout.iter_unpack(block)
        ]

    def primitive(self, kind: int, pool: int) -> Reader:
        data = self.data
        if kind in (UTF8, UTF16):
            return self.utf8 if kind == UTF8 else self._utf16
        if not 0 <= kind < len(FIXED):
            raise BrokenChunk("a field has an unknown type")
        layout = struct.Struct(FIXED[kind])
        refers = _refers(kind, pool)

        def fixed(at: int, time: int) -> tuple[Any, int]:
            (value,) = layout.unpack_from(data, at)
            return (pool, value, time) if refers else value, at + layout.size

        return fixed

    def utf8(self, at: int, _: int) -> tuple[str, int]:
        (size,) = struct.unpack_from(">H", self.data, at)
        return self._text(at + 2, size, "utf-8")

    def _utf16(self, at: int, _: int) -> tuple[str, int]:
        (size,) = struct.unpack_from(">i", self.data, at)
        return self._text(at + 4, 2 * size, "utf-16-be")

    def _text(self, at: int, size: int, encoding: str) -> tuple[str, int]:
        if not 0 <= size <= len(self.data) - at:
            raise BrokenChunk("a text is longer than its chunk")
        return self.data[at : at + size].decode(encoding, "replace"), at + size

    def _array(self, element: Reader) -> Reader:
        def array(at: int, time: int) -> tuple[list[Any], int]:
            (count,) = struct.unpack_from(">i", self.data, at)
            at += 4
            if not 0 <= count <= len(self.data) - at:
                raise BrokenChunk("an array is longer than its chunk")
            values = []
            for _ in range(count):
                value, at = element(at, time)
                values.append(value)
            return values, at

        return array

    def structure(self, number: int, depth: int = 0) -> Reader:
        readers = [(known.name, self._reader(known, depth + 1)) for known in self.declared.structures[number]]
        if not readers:
            raise BrokenChunk("a structure has no fields")

        def values_at(at: int, time: int) -> tuple[dict[str, Any], int]:
            values: dict[str, Any] = {}
            for name, read in readers:
                values[name], at = read(at, time)
            return values, at

        return values_at


def _refers(kind: int, pool: int) -> bool:
    """Whether a number is a key of a pool of constants."""
    return pool not in PLAIN and pool != PERCENTAGE and 0 < kind < FIRST_FLOAT


def chunk_size_v0(data: bytes, at: int) -> int:
    """How many bytes a chunk has: up to the end of its metadata. Raises struct.error where it breaks off."""
    (metadata,) = struct.unpack_from(">q", data, at + 8)
    if not EVENTS_AT <= metadata <= len(data) - at - 4:
        raise BrokenChunk("it breaks off, or the recording was not finished")
    (size,) = struct.unpack_from(">i", data, at + metadata)
    if not 0 < size <= len(data) - at - metadata:
        raise BrokenChunk("it breaks off")
    return int(metadata + size)


def read_chunk_v0(data: bytes, at: int) -> ChunkV0:
    """The chunk at a place of a file. Raises BrokenChunk, IndexError, struct.error."""
    size = chunk_size_v0(data, at)
    content = data[at : at + size]
    (metadata,) = struct.unpack_from(">q", data, at + 8)
    chunk = ChunkV0(content, at, at + size, read_declarations(content, metadata), metadata)
    _read_constants(chunk, chunk.declared.checkpoint)
    return chunk


def _read_constants(chunk: ChunkV0, checkpoint: int) -> None:
    """Checkpoints name the one before them; what they hold counts up to their time."""
    seen: set[int] = set()
    readers: dict[int, tuple[Reader, Reader]] = {}
    at = checkpoint
    while at:
        if at in seen or not EVENTS_AT <= at < chunk.metadata:
            raise BrokenChunk("its constants are not where it says")
        seen.add(at)
        size, kind, time, before = struct.unpack_from(">iiqq", chunk.data, at)
        if kind != CHECKPOINT or not 0 < size <= chunk.metadata - at:
            raise BrokenChunk("its constants are not where it says")
        end, place = at + size, at + 24
        while place < end:
            pool, count = struct.unpack_from(">ii", chunk.data, place)
            place += 8
            if pool not in readers:
                key_type, structure = chunk.declared.pools[pool]
                readers[pool] = chunk.primitive(key_type, 0), chunk.structure(structure)
            read_key, read_value = readers[pool]
            known = chunk.constants.setdefault(pool, {})
            if not 0 <= count <= end - place:
                raise BrokenChunk("a list of constants is longer than its checkpoint")
            for _ in range(count):
                key, place = read_key(place, time)
                value, place = read_value(place, time)
                times, values = known.setdefault(key, ([], []))
                times.insert(0, time)
                values.insert(0, value)
        at = before
