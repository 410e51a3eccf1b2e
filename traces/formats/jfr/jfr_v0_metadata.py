"""What a chunk of Java 7 or 8 declares: structures, events, pools of constants, its clock.

Format: ChunkMetadata, ProducerParser, DataStructureParser, EventTypeParser and ContentTypeParser of
org.openjdk.jmc.flightrecorder, internal/parser/v0 of https://github.com/openjdk/jmc.
"""

import struct
from dataclasses import dataclass, field

from traces.formats.jfr.jfr_types import BrokenChunk

STRUCTURE, STRUCTURES = 14, 15
MS_A_MINUTE = 60_000
EVENT_NAMES = {
    "vm/prof/execution_sample": "jdk.ExecutionSample",
    "java/object_alloc_in_new_TLAB": "jdk.ObjectAllocationInNewTLAB",
    "java/object_alloc_outside_TLAB": "jdk.ObjectAllocationOutsideTLAB",
    "java/monitor_enter": "jdk.JavaMonitorEnter",
    "java/monitor_wait": "jdk.JavaMonitorWait",
    "java/thread_park": "jdk.ThreadPark",
    "java/thread_sleep": "jdk.ThreadSleep",
    "java/file_read": "jdk.FileRead",
    "java/file_write": "jdk.FileWrite",
    "java/socket_read": "jdk.SocketRead",
    "java/socket_write": "jdk.SocketWrite",
    "java/exception_throw": "jdk.JavaExceptionThrow",
    "java/error_throw": "jdk.JavaErrorThrow",
    "vm/gc/collector/garbage_collection": "jdk.GarbageCollection",
    "vm/gc/phases/pause": "jdk.GCPhasePause",
    "vm/gc/phases/pause_level_1": "jdk.GCPhasePauseLevel1",
    "vm/gc/phases/pause_level_2": "jdk.GCPhasePauseLevel2",
    "vm/gc/phases/pause_level_3": "jdk.GCPhasePauseLevel3",
}
"""As today's recordings call the events."""
FIELD_NAMES = {"class": "type", "line": "lineNumber", "klass": "objectClass", "monitor_class": "monitorClass"}


@dataclass(frozen=True, slots=True)
class Field:
    """`inner` is an array's type or a structure's number, as the kind says."""

    name: str
    kind: int
    pool: int
    inner: int


@dataclass(frozen=True, slots=True)
class EventType:
    name: str
    has_start: bool
    has_thread: bool
    has_stack: bool
    structure: int


@dataclass(frozen=True, slots=True)
class Clock:
    """What the readers of later chunks have of the types."""

    utc_offset_minutes: int | None


@dataclass(slots=True)
class Declarations:
    """Structures by number, event types and pools by id (a pool's key type and structure), the clock, and where the
    last checkpoint is."""

    structures: list[list[Field]] = field(default_factory=list)
    event_types: dict[int, EventType] = field(default_factory=dict)
    pools: dict[int, tuple[int, int]] = field(default_factory=dict)
    start_ns: int = 0
    start_ticks: int = 0
    ticks_a_second: int = 1
    types: Clock = Clock(None)
    checkpoint: int = 0


class Cursor:
    """Reads the metadata from one place on."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    def number(self, layout: str = ">i") -> int:
        (value,) = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return int(value)

    def text(self) -> str:
        size = self.number(">H")
        if size > len(self._data) - self._at:
            raise BrokenChunk("a text is longer than its chunk")
        self._at += size
        return self._data[self._at - size : self._at].decode("utf-8", "replace")

    def count(self) -> int:
        """How many elements follow, each of at least one byte."""
        number = self.number()
        if not 0 <= number <= len(self._data) - self._at:
            raise BrokenChunk("a list in its metadata is longer than its chunk")
        return number


def read_declarations(data: bytes, metadata: int) -> Declarations:
    """What a chunk declares whose metadata are at a place of it. Raises BrokenChunk, struct.error, IndexError."""
    chunk = Declarations()
    read = Cursor(data, metadata + 8)
    for _ in range(read.count()):
        _read_producer(chunk, read)
    chunk.start_ns = read.number(">q") * 1_000_000
    read.number(">q")  # when it ended
    chunk.start_ticks, chunk.ticks_a_second = read.number(">q"), read.number(">q")
    if chunk.ticks_a_second <= 0:
        raise BrokenChunk("its clock does not go")
    chunk.checkpoint = read.number(">q")
    read.text()  # the locale
    chunk.types = Clock(read.number() // MS_A_MINUTE or None)
    return chunk


def _read_producer(chunk: Declarations, read: Cursor) -> None:
    read.number()
    for _ in range(3):  # name, description, address
        read.text()
    for _ in range(read.count()):
        read.text()
    base = len(chunk.structures)
    for _ in range(read.count()):
        chunk.structures.append([_read_field(read, base) for _ in range(read.count())])
    for _ in range(read.count()):
        ident = read.number()
        path = [read.text() for _ in range(3)][2]
        has_start, has_thread, has_stack, _ = (bool(read.number(">b")) for _ in range(4))
        structure = base + read.number()
        read.number()
        name = EVENT_NAMES.get(path, path)
        chunk.event_types[ident] = EventType(name, has_start, has_thread, has_stack, structure)
    for _ in range(read.count()):
        ident = read.number()
        read.text(), read.text()
        kind = read.number(">b")
        chunk.pools[ident] = kind, base + read.number()


def _read_field(read: Cursor, base: int) -> Field:
    name = read.text()
    read.text(), read.text()
    read.number(">b")
    kind, pool, inner = read.number(">b"), read.number(), read.number()
    read.number()
    return Field(FIELD_NAMES.get(name, name), kind, pool, base + inner if kind in (STRUCTURE, STRUCTURES) else inner)
