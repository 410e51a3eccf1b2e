"""The blocks of a .nettrace file: what kinds of event it has, the events that matter here, and stacks of addresses.

Format: src/TraceEvent/EventPipe/NetTraceFormat_v5.md of github.com/microsoft/perfview, versions 4 and 5. The file is a
list of objects, each a block of its type; an event's header says only what is not as in the event before it.
"""

import struct
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from traces.builder import TraceBuilder
from traces.errors import UnrecognisedTrace
from traces.formats.nettrace import NETPERF_STREAM, NETTRACE_STREAM

NULL, BEGIN, END = 1, 5, 6
MAX_TYPE_NAME = 256
READABLE = range(4, 6)
NETPERF_VERSION = 3
NETPERF_BEGIN = 4
TYPE = struct.Struct("<BBBiii")
"""How an object begins: marks of it, its type and that one's type; version, reader's version, length of a name."""
START = struct.Struct("<8hqqiiii")
"""When it was (year to millisecond), the clock then, its ticks a second; bytes of an address, process; two unread."""
IS_COMPRESSED = 1
PLAIN = struct.Struct("<iIIqqiiQ32xi")
"""An event's header that is not compressed."""
NETPERF = struct.Struct("<iIiq32xi")
"""An event's header in version 3: size, kind, thread, time, bytes of what it says, behind which its stack lies."""
LOW_31, LOW_32, LOW_64 = (1 << 31) - 1, (1 << 32) - 1, (1 << 64) - 1
NOBODY = -1


class Start(NamedTuple):
    """What the file says of itself: `clock` is the reading at `moment` (year, month, day of week, day, hour …)."""

    moment: tuple[int, ...]
    clock: int
    frequency: int
    address_bytes: int
    process: int


class Kind(NamedTuple):
    """What an event is: numbers of a provider."""

    provider: str
    number: int


@dataclass(slots=True)
class Contents:
    """`samples` are columns, one a row: time, thread, stack (-1: none) and the payload's first number. Stack `i` is
    `stack_size[i]` bytes at `stack_at[i]` of the file. `named` are other events' payloads by kind, `counted` the number
    of such of which only one part of the payload is looked at, by what that says."""

    start: Start
    time: "array[int]" = field(default_factory=lambda: array("Q"))
    thread: "array[int]" = field(default_factory=lambda: array("Q"))
    stack: "array[int]" = field(default_factory=lambda: array("q"))
    says: "array[int]" = field(default_factory=lambda: array("i"))
    stack_at: "array[int]" = field(default_factory=lambda: array("q"))
    stack_size: "array[int]" = field(default_factory=lambda: array("q"))
    named: dict[Kind, list[bytes]] = field(default_factory=dict)
    counted: dict[Kind, Counter[bytes]] = field(default_factory=dict)
    lost: int = 0


def read_blocks(
    data: memoryview, sample: Kind, requested: frozenset[Kind], counted: Mapping[Kind, slice], builder: TraceBuilder
) -> Contents:
    """Read all blocks; `counted` says which part of a payload matters. Raises DamagedTrace, UnrecognisedTrace (a
    version that is not read)."""
    try:
        return _Reader(data, sample, requested, counted, builder).read()
    except (IndexError, struct.error) as error:
        raise builder.damaged("a block in it is shorter than what it holds.") from error


class _Reader:
    def __init__(
        self,
        data: memoryview,
        sample: Kind,
        requested: frozenset[Kind],
        counted: Mapping[Kind, slice],
        builder: TraceBuilder,
    ) -> None:
        self._data, self._sample, self._builder = data, sample, builder
        self._requested, self._counted = requested | counted.keys(), counted
        self._kinds: dict[int, Kind] = {}
        self._numbers: dict[int, int] = {}  # of stacks between two sequence points
        self._resolved = 0
        self._last: dict[int, int] = {}  # the last event's number of each thread that wrote events
        self._is_netperf = data[: len(NETPERF_STREAM)] == NETPERF_STREAM
        self._begin = NETPERF_BEGIN if self._is_netperf else BEGIN

    def read(self) -> Contents:
        objects = self._objects()
        name, at, _ = next(objects, ("", 0, 0))
        if name != "Trace":
            raise self._builder.damaged(f"it does not begin with what it is, at byte {len(NETTRACE_STREAM)}.")
        *moment, clock, frequency, address_bytes, process, _, _ = START.unpack_from(self._data, at)
        if not 0 < frequency < 1 << 33 or address_bytes not in (4, 8):
            raise self._builder.damaged(f"its clock or its addresses are of no known kind, at byte {at}.")
        contents = self._contents = Contents(Start(tuple(moment), clock, frequency, address_bytes, process))
        for name, first, last in objects:
            if name == "StackBlock":
                self._read_stacks(first, last)
            elif name == "MetadataBlock":
                self._read_events(first, last, self._take_kind)
            elif name == "EventBlock" and self._is_netperf:
                self._read_netperf(first, last)
            elif name == "EventBlock":
                self._read_events(first, last, self._take_event)
            elif name == "SPBlock":  # from here on numbers of stacks mean others
                self._resolve()
                self._numbers.clear()
        if not self._is_netperf:  # there stacks have no numbers
            self._resolve()
        return contents

    def _objects(self) -> Iterator[tuple[str, int, int]]:
        """Type, first byte and end of each object's content, as far as the file goes."""
        data, at = self._data, len(NETPERF_STREAM if self._is_netperf else NETTRACE_STREAM)
        while at + TYPE.size <= len(data) and data[at] != NULL:
            name, at = self._type(at)
            size = START.size
            if name != "Trace" and at + 4 <= len(data):
                (size,) = struct.unpack_from("<i", data, at)
                at += 4
                at += -at % 4
            if size < 0:
                raise self._builder.damaged(f"the block at byte {at:,} is of negative size.")
            if at + size >= len(data):
                break
            if data[at + size] != END:
                raise self._builder.damaged(f"the block that should end at byte {at + size:,} does not.")
            yield name, at, at + size
            at += size + 1
        if at >= len(data) or data[at] != NULL:
            self._builder.warn("unfinished", "the recording was cut off: blocks at its end are missing")

    def _type(self, at: int) -> tuple[str, int]:
        """The name of the type of an object that begins somewhere, and where its content does."""
        *tags, version, reader, length = TYPE.unpack_from(self._data, at)
        last = at + TYPE.size + length
        if tags != [self._begin, self._begin, NULL] or not 0 < length <= MAX_TYPE_NAME:
            raise self._builder.damaged(f"no object begins at byte {at:,}.")
        name = bytes(self._data[at + TYPE.size : last]).decode("ascii", "replace")
        if name == "Trace" and self._is_netperf and version != NETPERF_VERSION:
            raise UnrecognisedTrace(
                f"{self._builder.name}: this .netperf of .NET Core 2 is of version {version}; 3 is read. "
                "Record it with .NET Core 3 or later."
            )
        if name == "Trace" and not self._is_netperf and reader not in READABLE:
            raise UnrecognisedTrace(
                f"{self._builder.name}: this .nettrace is of version {reader}, which is not read. "
                "Run `dotnet-trace convert --format Speedscope` on it and choose what that writes."
            )
        return name, last + 1

    def _read_stacks(self, at: int, last: int) -> None:
        number, count = struct.unpack_from("<ii", self._data, at)
        at += 8
        contents = self._contents
        for stack in range(number, number + count):
            (size,) = struct.unpack_from("<i", self._data, at)
            at += 4 + size
            if size < 0 or at > last:
                raise self._builder.damaged(f"the stack at byte {at - size:,} is longer than its block.")
            self._numbers[stack] = len(contents.stack_at)
            contents.stack_at.append(at - size)
            contents.stack_size.append(size)

    def _resolve(self) -> None:
        """Give the samples since the last sequence point the places of their stacks."""
        stack, numbers = self._contents.stack, self._numbers
        for row in range(self._resolved, len(stack)):
            stack[row] = numbers.get(stack[row], -1)
        self._resolved = len(stack)

    def _take_kind(self, _kind: int, payload: bytes) -> None:
        (number,) = struct.unpack_from("<i", payload)
        provider, at = utf16(payload, 4)
        self._kinds[number] = Kind(provider, struct.unpack_from("<i", payload, at)[0])

    def _take_event(self, kind: int, payload: bytes) -> None:
        known = self._kinds.get(kind)
        if known is not None and known in self._counted:
            part = payload[self._counted[known]].partition(b"\0\0\0")[0]
            self._contents.counted.setdefault(known, Counter())[part] += 1
        elif known in self._requested:
            self._contents.named.setdefault(known, []).append(payload)

    def _read_netperf(self, at: int, last: int) -> None:
        """Events of version 3: what they are is said by such of kind 0, and each has its own stack."""
        data, contents = self._data, self._contents
        while at + NETPERF.size <= last:
            size, kind, thread, time, payload_size = NETPERF.unpack_from(data, at)
            first = at + NETPERF.size
            behind = first + payload_size
            if size < 0 or payload_size < 0 or behind + 4 > last:
                raise IndexError
            payload = bytes(data[first:behind])
            if kind == 0:
                self._take_kind(0, payload)
            elif self._kinds.get(kind) == self._sample:
                (stack_size,) = struct.unpack_from("<i", data, behind)
                if not 0 <= stack_size <= last - behind - 4:
                    raise IndexError
                self._sampled(time, thread & LOW_32, len(contents.stack_at), payload)
                contents.stack_at.append(behind + 4)
                contents.stack_size.append(stack_size)
            else:
                self._take_event(kind, payload)
            at += 4 + size + -(4 + size) % 4

    def _read_events(self, at: int, last: int, take: Callable[[int, bytes], None]) -> None:
        header, flags = struct.unpack_from("<hh", self._data, at)
        block = bytes(self._data[at + header : last])
        if header < 0:
            raise self._builder.damaged(f"the block at byte {at:,} begins before itself.")
        (self._read_compressed if flags & IS_COMPRESSED else self._read_plain)(block, take)

    def _read_plain(self, block: bytes, take: Callable[[int, bytes], None]) -> None:
        at = 0
        while at < len(block):
            size, kind, _, thread, _, _, stack, time, payload_size = PLAIN.unpack_from(block, at)
            payload = block[at + PLAIN.size : at + PLAIN.size + payload_size]
            if payload_size < 0 or len(payload) < payload_size or size < 0:
                raise IndexError
            kind &= LOW_31
            if self._kinds.get(kind) == self._sample:
                self._sampled(time, thread & LOW_64, stack & LOW_31, payload)
            else:
                take(kind, payload)
            at += 4 + size + -size % 4

    def _sampled(self, time: int, thread: int, stack: int, payload: bytes) -> None:
        contents = self._contents
        contents.time.append(time)
        contents.thread.append(thread)
        contents.stack.append(stack)
        contents.says.append(int.from_bytes(payload[:4], "little") & LOW_31)

    def _read_compressed(self, block: bytes, take: Callable[[int, bytes], None]) -> None:  # noqa: C901 -- one loop
        """The fields whose flag is set are there; the others are as before."""
        at = kind = number = thread = stack = time = payload_size = 0
        writer = NOBODY
        end = len(block)
        sampled = {kind for kind, known in self._kinds.items() if known == self._sample}
        requested = {kind for kind, known in self._kinds.items() if known in self._requested}
        while at < end:
            flags = block[at]
            at += 1
            if flags & 1:
                kind, at = varint(block, at)
            if flags & 2:
                self._last[writer] = number
                skipped, at = varint(block, at)
                number = number + skipped & LOW_32
                writer, at = varint(block, at)
                _, at = varint(block, at)
                self._contents.lost += max(0, number - self._last.get(writer, number))
            if kind:
                number += 1
            if flags & 4:
                thread, at = varint(block, at)
            if flags & 8:
                stack, at = varint(block, at)
            since, at = varint(block, at)
            time += since
            at += (flags & 16) + ((flags & 32) >> 1)
            if flags & 128:
                payload_size, at = varint(block, at)
            first, at = at, at + payload_size
            if at > end:
                raise IndexError
            if kind in sampled:
                self._sampled(time & LOW_64, thread & LOW_64, stack & LOW_31, block[first:at])
            elif not kind or kind in requested:
                take(kind, block[first:at])
        self._last[writer] = number


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number in groups of seven bits, and what follows it. Raises IndexError."""
    number = shift = 0
    while (byte := data[at]) > 127:
        number |= (byte & 127) << shift
        shift += 7
        at += 1
        if shift > 63:
            raise IndexError
    return number | byte << shift, at + 1


def utf16(data: bytes, at: int) -> tuple[str, int]:
    """A text of 16-bit characters up to a zero, and what follows it. Raises IndexError."""
    end = data.find(b"\0\0", at)
    while end >= 0 and (end - at) % 2:
        end = data.find(b"\0\0", end + 1)
    if end < 0:
        raise IndexError
    return data[at:end].decode("utf-16-le", "replace"), end + 2
