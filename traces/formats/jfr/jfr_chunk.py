"""The chunks of a Java Flight Recorder file: header, metadata, constant pools, events.

Format: https://github.com/openjdk/jdk, src/hotspot/share/jfr and jdk.jfr.internal.consumer (ChunkHeader, ConstantMap).
"""

import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from traces.formats.jfr import JFR_CHUNK
from traces.formats.jfr.jfr_types import BrokenChunk, Types, number, read_types
from traces.formats.jfr.jfr_v0 import ChunkV0, read_chunk_v0

MAGIC_V0 = JFR_CHUNK + b"\0\0"
"""Java 7 and 8 write version 0.9."""
HEADER = struct.Struct(">4sHHqqqqqqqI")
COMPRESSED = 1
METADATA, CONSTANTS = 0, 1
ORACLE = "com.oracle.jdk."


@dataclass(slots=True)
class Chunk:
    """One chunk, ready to be asked. `ticks` become nanoseconds since 1970 by `nanoseconds`."""

    data: bytes
    start: int
    end: int
    start_ns: int
    start_ticks: int
    ticks_a_second: int
    types: Types
    pools: dict[int, dict[int, Any]] = field(default_factory=dict)

    def nanoseconds(self, ticks: int) -> int:
        """A moment, from the clock that events are stamped with."""
        return self.start_ns + self.lasting(ticks - self.start_ticks)

    def lasting(self, ticks: int) -> int:
        """A duration in nanoseconds."""
        return ticks * 1_000_000_000 // self.ticks_a_second

    def follow(self, value: Any) -> Any:
        """What a reference means; None where the pools do not have it. Other values are themselves."""
        return self.pools.get(value[0], {}).get(value[1]) if isinstance(value, tuple) else value

    def events(self, requested: frozenset[str] | None) -> Iterator[tuple[str, dict[str, Any]]]:
        """The events of some types (None: all), with their fields, in the order of the file. Raises BrokenChunk."""
        written = {ident: _name_today(known.name) for ident, known in self.types.declared.items()}
        names = {ident: name for ident, name in written.items() if requested is None or name in requested}
        at = self.start + HEADER.size
        data = self.data
        while at < self.end:
            size, body = number(data, at)
            if size <= 0 or at + size > self.end:
                raise BrokenChunk("an event is longer than its chunk")
            ident, body = number(data, body)
            name = names.get(ident)
            if name is not None:
                yield name, self.types.reader(ident)(data, body)[0]
            at += size


def _name_today(name: str) -> str:
    """Java 9 and 10 call the events of the JDK `com.oracle.jdk.…`."""
    return f"jdk.{name.removeprefix(ORACLE)}" if name.startswith(ORACLE) else name


class BreaksOff(BrokenChunk):
    """What follows `kept` bytes of a file cannot be read, as its recorder or a copy was stopped."""

    def __init__(self, reason: str, kept: int) -> None:
        super().__init__(reason)
        self.kept = kept


def chunks(data: bytes) -> Iterator[Chunk | ChunkV0]:
    """Each chunk of a file, of today's format or of that of Java 7 and 8; of the last what there is. Raises BreaksOff
    behind it, BrokenChunk."""
    at = 0
    known: dict[bytes, Types] = {}  # chunks of one recording mostly declare the same
    while at < len(data):
        try:
            chunk = _old_chunk(data, at) if data[at : at + len(MAGIC_V0)] == MAGIC_V0 else _chunk(data, at, known)
        except BrokenChunk as error:
            cut = _unfinished(data, at)
            if cut is not None:
                yield cut
            raise BreaksOff(str(error), at if cut is None else cut.end) from error
        yield chunk
        at = chunk.end


def _unfinished(data: bytes, at: int) -> Chunk | None:
    """A chunk of which the end was not written, or its header: since Java 14 what events mean is written every second,
    between them. None where nothing of that is there."""
    if len(data) - at < HEADER.size:
        return None
    magic, major, _, _, _, _, start_ns, _, start_ticks, frequency, features = HEADER.unpack_from(data, at)
    if magic != JFR_CHUNK or major not in (1, 2) or frequency <= 0 or not features & COMPRESSED:
        return None
    metadata, constants, end = _descriptions(data, at + HEADER.size)
    if metadata is None:
        return None
    try:
        chunk = Chunk(data, at, end, start_ns, start_ticks, frequency, _types(data, metadata, {}))
        for place in constants:
            _read_checkpoint(chunk, place)
    except (IndexError, BrokenChunk):
        return None
    return chunk


def _descriptions(data: bytes, at: int) -> tuple[int | None, list[int], int]:
    """Where, among events from a place on, the last metadata and all constants stand, and where the last event ends."""
    metadata, constants = None, list[int]()
    with suppress(IndexError):  # it breaks off within an event's size
        while at < len(data):
            size, body = number(data, at)
            if size <= 0 or at + size > len(data):
                break
            kind, _ = number(data, body)
            if kind == METADATA:
                metadata = at
            elif kind == CONSTANTS:
                constants.append(at)
            at += size
    return metadata, constants, at


def _old_chunk(data: bytes, at: int) -> ChunkV0:
    try:
        return read_chunk_v0(data, at)
    except (struct.error, IndexError) as error:
        raise BrokenChunk("it breaks off") from error


def _chunk(data: bytes, at: int, known: dict[bytes, Types]) -> Chunk:
    if len(data) - at < HEADER.size:
        raise BrokenChunk("it breaks off")
    magic, major, _, size, constants, metadata, start_ns, _, start_ticks, frequency, features = HEADER.unpack_from(
        data, at
    )
    if magic != JFR_CHUNK or major not in (1, 2):
        raise BrokenChunk("a chunk does not begin as it should, or is of an unknown version")
    if not HEADER.size < size <= len(data) - at:
        raise BrokenChunk("it breaks off, or the recording was not finished")
    if not features & COMPRESSED:
        raise BrokenChunk("its numbers are not compressed, which is not read")
    if frequency <= 0 or not (0 < metadata < size and 0 <= constants < size):
        raise BrokenChunk("a chunk's header points outside of it")
    try:
        types = _types(data, at + metadata, known)
        chunk = Chunk(data, at, at + size, start_ns, start_ticks, frequency, types)
        _read_constants(chunk, constants)
    except IndexError as error:
        raise BrokenChunk("it breaks off") from error
    return chunk


def _types(data: bytes, start: int, known: dict[bytes, Types]) -> Types:
    size, at = number(data, start)
    kind, at = number(data, at)
    if kind != METADATA:
        raise BrokenChunk("its metadata are not where its header says")
    for _ in range(3):  # when, how long, number of the metadata
        _, at = number(data, at)
    body = data[at : start + max(0, size)]
    if body not in known:
        known[body] = read_types(body)
    return known[body]


def _read_constants(chunk: Chunk, offset: int) -> None:
    """Constants are written as they come up, in checkpoints that say where the one before them is."""
    seen: set[int] = set()
    while True:
        at = chunk.start + offset
        if at in seen or not chunk.start < at < chunk.end:
            raise BrokenChunk("its constants are not where it says")
        seen.add(at)
        back = _read_checkpoint(chunk, at)
        if back == 0:
            return
        offset += back


def _read_checkpoint(chunk: Chunk, at: int) -> int:
    """Add its constants to the pools; returns how far from it the one before is, 0 of the first."""
    data = chunk.data
    _, at = number(data, at)
    kind, at = number(data, at)
    if kind != CONSTANTS:
        raise BrokenChunk("its constants are not where it says")
    for _ in range(2):  # when, how long
        _, at = number(data, at)
    back, at = number(data, at)
    pools, at = number(data, at + 1)  # one byte says what kind of checkpoint it is
    for _ in range(pools):
        ident, at = number(data, at)
        count, at = number(data, at)
        pool = chunk.pools.setdefault(ident, {})
        read = chunk.types.reader(ident)
        for _ in range(count):
            key, at = number(data, at)
            value, at = read(data, at)
            pool.setdefault(key, value)
    return back
