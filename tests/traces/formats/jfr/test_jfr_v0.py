"""Chunks of Java 7 and 8, written here by the format's rules."""

import struct

import pytest

from traces.errors import DamagedTrace
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace

BOOLEAN, BYTE, INTEGER, LONG, UTF8, STRUCTURES = 0, 1, 5, 7, 11, 15
THREAD, STACK, CLASS, METHOD, TEXT = 7, 9, 10, 32, 33
SAMPLE, ENTER = 100, 101
Declared = tuple[str, int, int, int]
"""Name, type, pool, structure."""
STRUCTURES_OF_A_JVM: list[list[Declared]] = [
    [("name", UTF8, 0, 0)],
    [("method", INTEGER, METHOD, 0), ("line", INTEGER, 0, 0), ("type", BYTE, 0, 0)],
    [("truncated", BOOLEAN, 0, 0), ("frames", STRUCTURES, 0, 1)],
    [("class", INTEGER, CLASS, 0), ("name", INTEGER, TEXT, 0)],
    [("name", INTEGER, TEXT, 0)],
    [("utf8", UTF8, 0, 0)],
    [("sampledThread", INTEGER, THREAD, 0), ("stackTrace", LONG, STACK, 0)],
    [("klass", INTEGER, CLASS, 0)],
]
EVENTS = [
    (SAMPLE, "vm/prof/execution_sample", (0, 0, 0, 1), 6),
    (ENTER, "java/monitor_enter", (1, 1, 1, 0), 7),
]
POOLS = {THREAD: (INTEGER, 0), STACK: (LONG, 2), METHOD: (INTEGER, 3), CLASS: (INTEGER, 4), TEXT: (INTEGER, 5)}


def text(value: str) -> bytes:
    return struct.pack(">H", len(value.encode())) + value.encode()


def listed(*parts: bytes) -> bytes:
    return struct.pack(">i", len(parts)) + b"".join(parts)


def sized(body: bytes) -> bytes:
    return struct.pack(">i", len(body) + 4) + body


def metadata(checkpoint: int) -> bytes:
    structures = [
        listed(*(text(field[0]) + text("") * 2 + struct.pack(">bbiii", 0, *field[1:], 0) for field in fields))
        for fields in STRUCTURES_OF_A_JVM
    ]
    events = [
        struct.pack(">i", ident) + text("") * 2 + text(path) + struct.pack(">bbbbii", *has, structure, 0)
        for ident, path, has, structure in EVENTS
    ]
    pools = [struct.pack(">i", pool) + text("") * 2 + struct.pack(">bi", *kinds) for pool, kinds in POOLS.items()]
    producer = struct.pack(">i", 1) + text("HotSpot") + text("") * 2 + listed() + listed(*structures)
    producer += listed(*events) + listed(*pools)
    clock = struct.pack(">qqqqq", 1_400_000_000_000, 1_400_000_001_000, 1_000, 1_000_000, checkpoint)
    return sized(struct.pack(">i", 0) + listed(producer) + clock + text("en") + struct.pack(">i", 7_200_000))


def constants(time: int, before: int, **renamed: str) -> bytes:
    names = {1: "app/Main", 2: "main", 3: renamed.get("draw", "draw")}
    texts = [struct.pack(">i", key) + text(name) for key, name in names.items()]
    frame = struct.Struct(">iib")
    pools = [
        struct.pack(">ii", THREAD, 1) + struct.pack(">i", 5) + text("worker"),
        struct.pack(">ii", TEXT, len(names)) + b"".join(texts),
        struct.pack(">ii", CLASS, 1) + struct.pack(">ii", 4, 1),
        struct.pack(">ii", METHOD, 2) + struct.pack(">iii", 6, 4, 2) + struct.pack(">iii", 7, 4, 3),
        struct.pack(">ii", STACK, 1) + struct.pack(">q?i", 8, False, 2) + frame.pack(7, 12, 1) + frame.pack(6, 3, 1),
    ]
    return sized(struct.pack(">iqq", 1, time, before) + b"".join(pools))


def sample(time: int) -> bytes:
    return sized(struct.pack(">iqiq", SAMPLE, time, 5, 8))


def enter(began: int, ended: int) -> bytes:
    return sized(struct.pack(">iqqiqi", ENTER, ended, began, 5, 8, 4))


def chunk(*parts: bytes) -> bytes:
    """Events, with checkpoints among them: `last` is where the last of these is."""
    body = b"".join(parts)
    at, last = 16, 0
    for part in parts:
        last = at if part[4:8] == struct.pack(">i", 1) else last
        at += len(part)
    return b"FLR\0" + struct.pack(">HHq", 0, 9, 16 + len(body)) + body + metadata(last)


def read(data: bytes) -> Trace:
    trace = read_trace(data, name="recording")
    check(trace)
    return trace


def names(trace: Trace, profile: int) -> list[str]:
    tree = trace.profiles[profile].tree
    return [trace.frame_name(frame) for frame in tree.frame.tolist()]


def test_samples_locks_and_clock_of_java_8_are_read() -> None:
    trace = read(chunk(sample(2_000), enter(3_000, 3_400), constants(9_000, 0)))
    assert [p.name for p in trace.profiles] == ["Without native calls", "Waits for locks", "Waits of worker"]
    assert names(trace, 0) == ["app.Main:main", "app.Main:draw"]
    assert names(trace, 2) == ["app.Main:main", "app.Main:draw", "(lock: app.Main)"]
    waits = trace.profiles[2]
    assert waits.samples is not None
    assert (waits.samples.time.tolist(), waits.samples.weights[0].tolist()) == ([2_000_000], [400_000])
    assert (trace.recorded_at_ns, trace.utc_offset_minutes) == (1_400_000_000_000_000_000, 120)


def test_a_key_means_what_the_next_checkpoint_says() -> None:
    first = constants(2_500, 0, draw="paint")
    before = 16 + len(sample(2_000))
    trace = read(chunk(sample(2_000), first, sample(3_000), constants(9_000, before)))
    assert sorted(names(trace, 0)) == ["app.Main:draw", "app.Main:main", "app.Main:paint"]


def test_chunks_follow_each_other() -> None:
    one = chunk(sample(2_000), constants(9_000, 0))
    assert len(read(one + one).profiles[0].samples or ()) == 2


@pytest.mark.parametrize("cut", [12, 40, -1, -60, -300])
def test_what_breaks_off_is_refused(cut: int) -> None:
    with pytest.raises(DamagedTrace):
        read(chunk(sample(2_000), constants(9_000, 0))[:cut])
