"""perf.data files as tests make them, by perf.data-file-format.txt and perf_event.h of Linux."""

import struct
from collections.abc import Sequence

import zstandard

IP, TID, TIME, READ, CALLCHAIN, ID, CPU, PERIOD = (1 << bit for bit in (0, 1, 2, 4, 5, 6, 7, 8))
IDENTIFIER = 1 << 16
FIELDS = IP | TID | TIME | CALLCHAIN | PERIOD
SAYS_WHEN, IS_FREQUENCY = 1 << 18, 1 << 10
KERNEL_MODE, USER_MODE = 1, 2
KERNEL_MARK, USER_MARK = 2**64 - 128, 2**64 - 512
NOBODY = 2**32 - 1
PROGRAM, LIBRARY = 0x400000, 0x7F0000000000
"""Where `mapped()` puts them."""


def record(kind: int, content: bytes, misc: int = USER_MODE) -> bytes:
    content += bytes(-len(content) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(content)) + content


def text(name: str) -> bytes:
    data = name.encode() + b"\0"
    return data + bytes(-len(data) % 8)


def when(time: int, pid: int = 7, tid: int = 7) -> bytes:
    """What records that are no samples have at their end, where samples have FIELDS."""
    return struct.pack("<IIQ", pid, tid, time)


def comm(name: str, time: int = 0, pid: int = 7, tid: int | None = None, misc: int = 0) -> bytes:
    return record(3, struct.pack("<II", pid, tid or pid) + text(name) + when(time), misc)


def fork(pid: int, parent: int, time: int, tid: int | None = None) -> bytes:
    return record(7, struct.pack("<IIIIQ", pid, parent, tid or pid, parent, time) + when(time))


def mapping(file: str, start: int, size: int, offset: int = 0, time: int = 0, pid: int = 7, misc: int = 2) -> bytes:
    """As MMAP2 writes it."""
    head = struct.pack("<IIQQQ", pid, pid, start, size, offset)
    return record(10, head + bytes(24) + struct.pack("<II", 5, 2) + text(file) + when(time), misc)


def kernel(file: str, start: int, size: int, time: int = 0) -> bytes:
    """As MMAP writes it."""
    head = struct.pack("<IIQQQ", NOBODY, 0, start, size, start)
    return record(1, head + text(file) + when(time), misc=KERNEL_MODE)


def symbol(name: str, start: int, size: int, kind: int = 1, time: int = 0) -> bytes:
    return record(17, struct.pack("<QIHH", start, size, kind, 0) + text(name) + when(time), misc=0)


def sample(
    time: int, *chain: int, ip: int = 0, pid: int = 7, tid: int | None = None, period: int = 1_000, misc: int = 2
) -> bytes:
    """One with FIELDS; the stack is innermost first."""
    head = struct.pack("<QIIQQQ", ip or (chain or (0,))[-1], pid, tid or pid, time, period, len(chain))
    return record(9, head + struct.pack(f"<{len(chain)}Q", *chain), misc)


def mapped(pid: int = 7) -> bytes:
    """A process with a program and a library."""
    return (
        comm("prog", pid=pid)
        + mapping("/app/prog", PROGRAM, 0x1000, 0x1000, pid=pid)
        + mapping("/usr/lib/libwork.so.1", LIBRARY, 0x1000, pid=pid)
    )


def attribute(
    fields: int = FIELDS,
    kind: int = 1,
    config: int = 0,
    flags: int = SAYS_WHEN | IS_FREQUENCY,
    read_format: int = 0,
    period: int = 999,
    branches: int = 0,
) -> bytes:
    """A `perf_event_attr`; of cpu-clock, unless said otherwise."""
    known = struct.pack("<IIQQQQQIIQQQ", kind, 112, config, period, fields, read_format, flags, 0, 0, 0, 0, branches)
    return known + bytes(112 - len(known))


def recording(
    *records: bytes,
    attributes: Sequence[bytes] = (attribute(),),
    ids: Sequence[Sequence[int]] = ((),),
    names: Sequence[str] = (),
    finished: bool = True,
) -> bytes:
    """A file as `perf record -o` writes it, with the feature that names the events where `names` are given."""
    data = b"".join(records)
    numbers = b"".join(struct.pack(f"<{len(own)}Q", *own) for own in ids)
    attrs, place = b"", 104
    for attr, own in zip(attributes, ids, strict=True):
        attrs += attr + struct.pack("<QQ", place, 8 * len(own))
        place += 8 * len(own)
    start = place + len(attrs)
    head = b"PERFILE2" + struct.pack("<QQ", 104, len(attributes[0]) + 16 if attributes else 128)
    head += struct.pack("<QQQQ", place, len(attrs), start, len(data) if finished else 0) + bytes(16)
    flags = (1 << 3 | 1 << 12 if names else 0).to_bytes(32, "little")
    described = descriptions(attributes, ids, names)
    behind = start + len(data) + 32
    sections = struct.pack("<QQQQ", behind, 8, behind + 8, len(described)) + b"\4\0\0\0box\0" + described
    return head + flags + numbers + attrs + data + (sections if names else b"")


def descriptions(attributes: Sequence[bytes], ids: Sequence[Sequence[int]], names: Sequence[str]) -> bytes:
    """The feature that names the events."""
    described = struct.pack("<II", len(names), 112)
    for attr, own, name in zip(attributes, ids, names, strict=False):
        said = text(name)
        described += attr + struct.pack("<II", len(own), len(said)) + said + struct.pack(f"<{len(own)}Q", *own)
    return described


def piped(*records: bytes, attr: bytes = attribute(), names: Sequence[str] = ("cpu-clock:u",)) -> bytes:
    """What `perf record -o -` writes; its features need not be whole words."""
    feature = struct.pack("<Q", 12) + descriptions((attr,), ((5,),), names) + b"odd"
    head = struct.pack("<IHH", 80, 0, 8 + len(feature))
    event = record(64, attr + struct.pack("<Q", 5))
    return b"PERFILE2" + struct.pack("<Q", 16) + event + head + feature + b"".join(records)


def compressed(data: bytes, size: int, *, aligned: bool = False) -> bytes:
    """What `perf record -z` makes of records: one stream that is never ended, in pieces of `size`."""
    stream = zstandard.ZstdCompressor().compressobj()
    packed = stream.compress(data) + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    pieces = [packed[at : at + size] for at in range(0, len(packed), size)]
    if aligned:
        return b"".join(record(83, struct.pack("<Q", len(piece)) + piece) for piece in pieces)
    return b"".join(struct.pack("<IHH", 81, 0, 8 + len(piece)) + piece for piece in pieces)
