""".nettrace files as tests make them, by NetTraceFormat_v5.md of github.com/microsoft/perfview."""

import struct
from collections.abc import Sequence

from tests.traces.formats.protobuf_messages import varint

STREAM = b"Nettrace\x14\0\0\0!FastSerialization.1"
SAMPLER, RUNTIME = "Microsoft-DotNETCore-SampleProfiler", "Microsoft-Windows-DotNETRuntime"
RUNDOWN = "Microsoft-Windows-DotNETRuntimeRundown"
SAMPLE, LOADED, LISTED, MODULE, OTHER = 1, 2, 3, 4, 5
"""Numbers that `KINDS` gives to kinds of event."""
EXTERNAL, MANAGED = 1, 2
FREQUENCY = 10_000_000
"""Ticks a second: 100 ns each."""


def wide(text: str) -> bytes:
    return text.encode("utf-16-le") + b"\0\0"


def typed(name: str, reader: int = 4) -> bytes:
    return b"\5\5\1" + struct.pack("<iii", reader, reader, len(name)) + name.encode() + b"\6"


def started(
    reader: int = 4, year: int = 2026, clock: int = 0, frequency: int = FREQUENCY, address_bytes: int = 8
) -> bytes:
    moment = struct.pack("<8h", year, 11, 0, 22, 10, 30, 0, 250)
    return typed("Trace", reader) + moment + struct.pack("<qqiiii", clock, frequency, address_bytes, 40, 2, 1) + b"\6"


def block(name: str, content: bytes, at: int) -> bytes:
    """A block that begins at a place of the file."""
    head = typed(name, 2) + struct.pack("<i", len(content))
    return head + bytes(-(at + len(head)) % 4) + content + b"\6"


def described(number: int, provider: str, event: int) -> tuple[int, bytes]:
    """What a metadata block says of a kind."""
    return 0, struct.pack("<i", number) + wide(provider) + struct.pack("<i", event) + wide("") + bytes(20)


KINDS = (
    described(SAMPLE, SAMPLER, 0),
    described(LOADED, RUNTIME, 143),
    described(LISTED, RUNDOWN, 144),
    described(MODULE, RUNDOWN, 154),
    described(OTHER, RUNTIME, 80),
)


def method(start: int, size: int, namespace: str, name: str, signature: str, module: int = 9) -> bytes:
    head = struct.pack("<QQQIII", start, module, start, size, 6, 0)
    return head + wide(namespace) + wide(name) + wide(signature) + b"\0\0"


def module(path: str, number: int = 9) -> bytes:
    return struct.pack("<QQII", number, 1, 0, 0) + wide(path) + wide("") + b"\0\0"


def compressed(events: Sequence[tuple[int, bytes]]) -> bytes:
    """Kinds and payloads, without a thread."""
    rows = b"".join(b"\x81" + varint(kind) + b"\0" + varint(len(payload)) + payload for kind, payload in events)
    return struct.pack("<hhqq", 20, 1, 0, 0) + rows


def sampled(rows: Sequence[tuple[int, int, int, int]], first_number: int = 0) -> bytes:
    """Samples as the runtime writes them: time, thread, stack, whether it ran managed code."""
    out = struct.pack("<hhqq", 20, 1, 0, 0)
    before, last_thread, last_stack = 0, 0, 0
    for row, (time, thread, stack, says) in enumerate(rows):
        is_first = row == 0
        flags = (0x83 if is_first else 0) | (4 if thread != last_thread else 0) | (8 if stack != last_stack else 0)
        out += bytes([flags | 64])
        out += varint(SAMPLE) + varint(first_number) + varint(99) + varint(1) if is_first else b""
        out += (varint(thread) if flags & 4 else b"") + (varint(stack) if flags & 8 else b"") + varint(time - before)
        out += (varint(4) if is_first else b"") + struct.pack("<i", says)
        before, last_thread, last_stack = time, thread, stack
    return out


def plain(kind: int, time: int, thread: int, stack: int, payload: bytes) -> bytes:
    """An event whose header is not compressed."""
    head = struct.pack("<IIqqiiQ32xi", kind, 0, thread, thread, 0, stack, time, len(payload)) + payload
    return struct.pack("<i", len(head)) + head + bytes(-len(head) % 4)


def stacked(stacks: Sequence[Sequence[int]], first: int = 1, width: int = 8) -> bytes:
    """Stacks of addresses, innermost first, numbered from `first`."""
    out = struct.pack("<ii", first, len(stacks))
    for stack in stacks:
        data = b"".join(address.to_bytes(width, "little") for address in stack)
        out += struct.pack("<i", len(data)) + data
    return out


def recording(*blocks: tuple[str, bytes], start: bytes = started(), ended: bool = True) -> bytes:
    out = STREAM + start
    for name, content in blocks:
        out += block(name, content, len(out))
    return out + (b"\1" if ended else b"")
