"""MOJO: what Austin 4 writes, byte by byte as its description says."""

import random
from itertools import chain

import pytest

from tests.traces.stacks_of_traces import read, stacks, warnings
from traces.errors import DamagedTrace, EmptyTrace, TraceError


def number(value: int) -> bytes:
    """Six bits and the sign first, then seven bits a byte."""
    left = abs(value)
    out = [left & 0x3F | (0x40 if value < 0 else 0)]
    left >>= 6
    while left:
        out[-1] |= 0x80
        out.append(left & 0x7F)
        left >>= 7
    return bytes(out)


def text(value: str) -> bytes:
    return value.encode() + b"\0"


def event(kind: int, *parts: int | str) -> bytes:
    return bytes([kind]) + b"".join(number(p) if isinstance(p, int) else text(p) for p in parts)


START = event(1, "mode", "wall")
DESCRIBE = b"".join(
    [
        event(11, 5, "/app/main.py"),
        event(11, 6, "run"),
        event(11, 7, "/usr/lib/libc.so"),
        event(11, 8, "read"),
        event(3, 100, 5, 6, 30, 30, 1, 9),
        event(3, 101, 5, 6, 12, 12, 1, 9),
        event(3, 102, 7, 8, 0, 0, 0, 0),
    ]
)


def mojo(*events: bytes, version: int = 3) -> bytes:
    return b"MOJ" + number(version) + b"".join(events)


def stack(pid: int = 40, thread: str = "0x7f") -> bytes:
    return event(2, pid, 0, thread)


def test_stacks_refer_to_frames_that_were_described_once() -> None:
    trace = read(
        mojo(
            START,
            stack(),
            DESCRIBE,
            *(event(5, 100), event(5, 102), event(9, 300)),
            *(stack(thread="worker"), event(5, 101), event(9, 1_000_000)),
            *(stack(), event(5, 101), event(7), event(9, 20)),
        )
    )
    assert (trace.format, [(p.name, p.pid, p.tid) for p in trace.profiles]) == (
        "austin-mojo",
        [("pid 40, thread 0x7f", "40", "0x7f"), ("pid 40, thread worker", "40", "worker")],
    )
    assert stacks(trace, 0) == [("run;read", 300_000), ("run;(garbage collector)", 20_000)]
    assert stacks(trace, 1) == [("run", 1_000_000_000)]
    assert (trace.frame_file(0), trace.frame_line(0)) == ("/app/main.py", 12)


def test_a_repeated_stack_loses_its_native_top_and_grows() -> None:
    again = (stack(), event(5, 101), event(13), event(9, 2))
    trace = read(mojo(stack(), DESCRIBE, event(5, 100), event(5, 102), event(9, 1), *again))
    assert stacks(trace) == [("run;read", 1_000), ("run;run", 2_000)]


def test_full_mode_measures_time_and_memory() -> None:
    trace = read(
        mojo(
            event(1, "mode", "full"),
            *(stack(), DESCRIBE, event(5, 100), event(9, 5), event(10, 64)),
            *(stack(), event(5, 102), event(8), event(9, 7), event(10, -32)),
        )
    )
    assert stacks(trace) == [("run", 5_000), ("read", 7_000)]
    assert stacks(trace, value="CPU time") == [("run", 5_000), ("read", 0)]
    assert [w for _, w in stacks(trace, value="allocated")] == [64.0, 0.0]
    assert [w for _, w in stacks(trace, value="freed")] == [0.0, 32.0]


def test_tasks_of_asyncio_are_no_part_of_a_samples_stack() -> None:
    task = event(14, 1, 0, 2) + event(5, 102) + event(5, 102) + event(15, 1, 2) + event(16, 1)
    trace = read(mojo(stack(), DESCRIBE, event(5, 100), task, event(4), event(9, 5), version=4))
    assert stacks(trace) == [("run", 5_000)]
    assert warnings(trace) == {"invalid_frames": 1}


def test_the_first_version_has_no_columns_and_no_interpreter() -> None:
    frame = event(11, 5, "a.py") + event(11, 6, "f") + event(3, 1, 5, 6, 9)
    assert stacks(read(mojo(event(2, 40, "t"), frame, event(5, 1), event(9, 5), version=1))) == [("f", 5_000)]


def test_a_file_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    data = mojo(stack(), DESCRIBE, event(5, 100), event(9, 5), stack(), event(5, 100), event(9, 1_000_000))
    trace = read(data[:-1])
    assert stacks(trace)[0] == ("run", 5_000)
    assert warnings(trace) == {"cut": 1}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (mojo(event(11, 5, "early")), "before the first"),
        (mojo(stack(), event(5, 9)), "frame that was not"),
        (mojo(stack(), event(3, 1, 77, 77, 1, 1, 1, 1)), "text that was not"),
        (mojo(stack(), event(99)), "not known"),
        (mojo(stack(), bytes([9]) + b"\xff" * 40), "too long|range"),
        (mojo(stack(), event(9, -5)), "negative"),
    ],
)
def test_what_austin_never_writes_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(DamagedTrace, match=reason):
        read(data)


def test_a_file_without_samples_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read(mojo(START))


def test_mutated_files_are_read_or_refused() -> None:
    samples = ((stack(), event(5, 100), event(5, 102), event(9, t)) for t in range(40))
    data = mojo(START, stack(), DESCRIBE, *chain.from_iterable(samples))
    chance = random.Random(7)
    for _ in range(400):
        mutated = bytearray(data)
        for _ in range(chance.randrange(1, 4)):
            mutated[chance.randrange(4, len(mutated))] = chance.randrange(256)
        try:
            read(bytes(mutated[: chance.randrange(5, len(mutated))]))
        except TraceError:
            continue


def test_samples_that_austin_could_not_take_are_counted() -> None:
    for said, expected in (("12/3456", {"lost": 12}), ("none", {}), ("0/9", {})):
        trace = read(mojo(stack(), DESCRIBE, event(5, 100), event(9, 5), event(1, "errors", said)))
        assert {warning.code: warning.count for warning in trace.warnings} == expected
