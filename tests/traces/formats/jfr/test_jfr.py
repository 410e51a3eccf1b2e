"""Java Flight Recorder files: one written here by the format's rules, and recordings of real machines."""

import struct
from pathlib import Path
from typing import Any

import pytest

from traces.errors import DamagedTrace, EmptyTrace
from traces.formats.jfr.jfr_types import number
from traces.invariants import check
from traces.model import Profile, Trace
from traces.reader import read_trace
from traces.values import Counts, Waits

LONG, BOOLEAN, STRING, SYMBOL, CLASS, METHOD, KIND, FRAME, STACK, SAMPLE, NATIVE, ALLOCATION, PARK = range(20, 33)
TYPES: dict[int, tuple[str, list[tuple[str, int, str]]]] = {
    LONG: ("long", []),
    BOOLEAN: ("boolean", []),
    STRING: ("java.lang.String", []),
    SYMBOL: ("jdk.types.Symbol", [("string", STRING, "")]),
    CLASS: ("java.lang.Class", [("name", SYMBOL, "pool")]),
    METHOD: ("jdk.types.Method", [("type", CLASS, "pool"), ("name", SYMBOL, "pool")]),
    KIND: ("jdk.types.FrameType", [("description", STRING, "")]),
    FRAME: ("jdk.types.StackFrame", [("method", METHOD, "pool"), ("lineNumber", LONG, ""), ("type", KIND, "pool")]),
    STACK: ("jdk.types.StackTrace", [("truncated", BOOLEAN, ""), ("frames", FRAME, "array")]),
    SAMPLE: ("jdk.ExecutionSample", [("startTime", LONG, ""), ("stackTrace", STACK, "pool")]),
    NATIVE: ("jdk.NativeMethodSample", [("startTime", LONG, ""), ("stackTrace", STACK, "pool")]),
    ALLOCATION: (
        "jdk.ObjectAllocationSample",
        [("startTime", LONG, ""), ("stackTrace", STACK, "pool"), ("weight", LONG, "")],
    ),
    PARK: ("jdk.ThreadPark", [("startTime", LONG, ""), ("duration", LONG, ""), ("stackTrace", STACK, "pool")]),
}
DRAW, MAIN, POLL = 1, 2, 3


def leb(value: int) -> bytes:
    out = bytearray()
    value &= (1 << 64) - 1
    for _ in range(8):
        if value < 128:
            out.append(value)
            return bytes(out)
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(value: str) -> bytes:
    return b"\x03" + leb(len(value.encode())) + value.encode()


def event(kind: int, *values: int | bytes) -> bytes:
    body = leb(kind) + b"".join(v if isinstance(v, bytes) else leb(v) for v in values)
    return leb(len(body) + 1) + body  # below 128 bytes; longer ones are padded below


def long_event(kind: int, body: bytes) -> bytes:
    body = leb(kind) + body
    size = len(body) + 4
    return bytes((size & 127 | 128, size >> 7 & 127 | 128, size >> 14 & 127 | 128, size >> 21)) + body


Element = tuple[str, dict[str, str], list[Any]]
"""Name, attributes and children."""


def element(name: str, attributes: dict[str, str], children: list[Element], strings: list[str]) -> bytes:
    def index(value: str) -> bytes:
        if value not in strings:
            strings.append(value)
        return leb(strings.index(value))

    out = index(name) + leb(len(attributes)) + b"".join(index(k) + index(v) for k, v in attributes.items())
    return out + leb(len(children)) + b"".join(element(*child, strings) for child in children)


def metadata(types: dict[int, Any], region: dict[str, str]) -> bytes:
    classes = []
    for ident, (name, fields) in types.items():
        inner: list[Element] = []
        for field, kind, how in fields:
            more = {"pool": {"constantPool": "true"}, "array": {"dimension": "1"}}.get(how, {})
            inner.append(("field", {"name": field, "class": str(kind), **more}, [("annotation", {"class": "1"}, [])]))
        classes.append(("class", {"id": str(ident), "name": name}, inner))
    strings: list[str] = []
    root = element("root", {}, [("metadata", {}, classes), ("region", region, [])], strings)
    return long_event(0, leb(5) + leb(0) + leb(1) + leb(len(strings)) + b"".join(map(text, strings)) + root)


def frame(method: int, kind: int = 1) -> bytes:
    return leb(method) + leb(12) + leb(kind)


def stack(*frames: bytes, truncated: bool = False) -> bytes:
    return bytes([truncated]) + leb(len(frames)) + b"".join(frames)


def pools() -> dict[int, dict[int, bytes]]:
    symbols = {1: "app/Main", 2: "draw", 3: "main", 4: "", 5: "epoll_wait"}
    return {
        SYMBOL: {key: text(value) if value else b"\x01" for key, value in symbols.items()},
        CLASS: {1: leb(1), 2: leb(4)},
        METHOD: {DRAW: leb(1) + leb(2), MAIN: leb(1) + leb(3), POLL: leb(2) + leb(5)},
        KIND: {1: text("JIT compiled"), 2: text("Native")},
        STACK: {
            1: stack(frame(DRAW), frame(MAIN)),
            2: stack(frame(MAIN), truncated=True),
            3: stack(frame(POLL, 2), frame(MAIN)),
        },
    }


def checkpoint(constants: dict[int, dict[int, bytes]], back: int) -> bytes:
    body = leb(0) + leb(0) + leb(back) + b"\0" + leb(len(constants))
    for kind, entries in constants.items():
        body += leb(kind) + leb(len(entries)) + b"".join(leb(key) + value for key, value in entries.items())
    return long_event(1, body)


def chunk(*events: bytes, constants: dict[int, dict[int, bytes]] | None = None, **changes: Any) -> bytes:
    """A whole file of one chunk; ticks are microseconds. The stacks stand in an earlier checkpoint than the rest."""
    constants = constants or pools()
    later = {kind: entries for kind, entries in constants.items() if kind != STACK}
    body = b"".join(events)
    first = 68 + len(body)
    body += checkpoint({STACK: constants[STACK]}, 0)
    second = 68 + len(body)
    body += checkpoint(later, changes.pop("back", first - second))
    described = 68 + len(body)
    body += metadata(changes.pop("types", TYPES), changes.pop("region", {}))
    header = {
        "magic": b"FLR\0",
        "major": 2,
        "size": 68 + len(body),
        "constants": second,
        "metadata": described,
        "ticks": 1_000_000,
        "flags": 1,
    }
    header.update(changes)
    return (
        struct.pack(
            ">4sHHqqqqqqqI",
            header["magic"],
            header["major"],
            1,
            header["size"],
            header["constants"],
            header["metadata"],
            1_700_000_000_000_000_000,
            9,
            1_000,
            header["ticks"],
            header["flags"],
        )
        + body
    )


def read(data: bytes) -> Trace:
    trace = read_trace(data, name="recording")
    check(trace)
    return trace


def stacks(trace: Trace, profile: Profile) -> list[tuple[str, float]]:
    assert profile.samples is not None
    paths: list[str] = []
    for name, parent in zip(profile.tree.frame.tolist(), profile.tree.parent.tolist(), strict=True):
        paths.append(trace.frame_names[name] if parent < 0 else f"{paths[parent]};{trace.frame_names[name]}")
    weights = profile.samples.weights[0].tolist()
    return [(paths[leaf], weight) for leaf, weight in zip(profile.samples.leaf.tolist(), weights, strict=True)]


SAMPLES = (event(SAMPLE, 3_000, 1), event(NATIVE, 2_000, 3), event(SAMPLE, 1_500, 2), event(SAMPLE, 4_000, 99))


def test_samples_of_java_code_come_without_and_with_those_of_native_code() -> None:
    trace = read(chunk(*SAMPLES))
    without, with_native = trace.profiles
    assert (trace.format, trace.default_profile, without.name) == ("jfr", 0, "Without native calls")
    assert stacks(trace, without) == [("app.Main:main", 1.0), ("app.Main:main;app.Main:draw", 1.0)]
    assert [path for path, _ in stacks(trace, with_native)] == [
        "app.Main:main",
        "app.Main:main;epoll_wait",
        "app.Main:main;app.Main:draw",
    ]
    assert with_native.samples is not None
    assert with_native.samples.time.tolist() == [500_000, 1_000_000, 2_000_000]
    assert {(w.code, w.count) for w in trace.warnings} == {("truncated_stacks", 1), ("no_stack", 1)}


def test_allocations_and_waits_are_profiles_of_their_own() -> None:
    trace = read(chunk(event(ALLOCATION, 1_000, 1, 4_096), event(PARK, 1_000, 250, 3), event(SAMPLE, 1_000, 1)))
    assert [p.name for p in trace.profiles] == ["Without native calls", "Allocations", "Parked threads"]
    assert stacks(trace, trace.profiles[1]) == [("app.Main:main;app.Main:draw", 4096.0)]
    assert stacks(trace, trace.profiles[2]) == [("app.Main:main;epoll_wait", 250_000)]


def test_chunks_follow_each_other_each_with_constants_of_its_own() -> None:
    other = pools()
    other[SYMBOL][2] = text("sort")
    trace = read(chunk(*SAMPLES) + chunk(*SAMPLES, constants=other))
    assert [path for path, _ in stacks(trace, trace.profiles[0])] == [
        "app.Main:main",
        "app.Main:main",
        "app.Main:main;app.Main:draw",
        "app.Main:main;app.Main:sort",
    ]


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ({"locale": "de", "gmtOffset": "3600000"}, 60),
        ({"gmtOffset": "-12600000"}, -210),
        ({"gmtOffset": "0"}, 0),
        ({"gmtOffset": "99999999"}, None),
        ({"gmtOffset": "here"}, None),
        ({}, None),
    ],
)
def test_the_zone_of_the_machine_is_known(region: dict[str, str], expected: int | None) -> None:
    trace = read(chunk(event(SAMPLE, 1_000, 1), region=region))
    assert (trace.recorded_at_ns, trace.utc_offset_minutes) == (1_700_000_000_000_000_000, expected)


def test_texts_are_read_in_every_encoding() -> None:
    constants = pools()
    constants[STRING] = {7: b"\x05" + leb(2) + "né".encode("latin-1")}
    wide = "é😀".encode("utf-16-be")
    units = struct.unpack(f">{len(wide) // 2}H", wide)
    constants[SYMBOL][2] = b"\x04" + leb(len(units)) + b"".join(map(leb, units))
    constants[SYMBOL][3] = b"\x02" + leb(7)
    trace = read(chunk(*SAMPLES, constants=constants))
    assert set(trace.frame_names) == {"app.Main:né", "app.Main:é😀", "epoll_wait"}


def test_a_recording_of_a_real_machine_says_what_the_jdks_own_tool_says(fixtures: Path) -> None:
    trace = read((fixtures / "invoices.jfr.gz").read_bytes())
    profile = trace.profiles[0]
    own: dict[str, int] = {}
    for node, name in enumerate(profile.tree.frame.tolist()):
        own[trace.frame_names[name]] = own.get(trace.frame_names[name], 0) + profile.tree.self_values[0][node].item()
    # jfr print --events ExecutionSample --stack-depth 1: 659 samples, 185 of them in sameCustomer.
    assert sum(own.values()) == 659
    assert own["Invoices:sameCustomer"] == 185


def test_a_recording_without_samples_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read(chunk())


RECURSIVE = {**TYPES, FRAME: ("jdk.types.StackFrame", [("inner", FRAME, "")])}
DOUBLING: dict[int, tuple[str, list[tuple[str, int, str]]]] = {
    **TYPES,
    FRAME: ("jdk.types.StackFrame", [("inner", 100, "")]),
    **{ident: (f"t{ident}", [("a", ident + 1, ""), ("b", ident + 1, "")]) for ident in range(100, 160)},
    160: ("nothing", []),
}
"""Two to the power of sixty values without a byte."""
HOLLOW = {**TYPES, FRAME: ("jdk.types.StackFrame", [])}


@pytest.mark.parametrize(
    "data",
    [
        chunk(*SAMPLES)[:-9],
        chunk(*SAMPLES)[:50],
        chunk(*SAMPLES, major=9),
        chunk(*SAMPLES, flags=0),
        chunk(*SAMPLES, ticks=0),
        chunk(b"\0" * 8),
        chunk(b"\xff\xff\x03" + leb(SAMPLE)),
        chunk(*SAMPLES, types=RECURSIVE),
        chunk(*SAMPLES, types=DOUBLING),
        chunk(*SAMPLES, types=HOLLOW),
        chunk(*SAMPLES, types={SAMPLE: TYPES[SAMPLE]}),
        chunk(*SAMPLES, types={**TYPES, SYMBOL: ("jdk.types.Symbol", [("string", 999, "")])}),
        chunk(*SAMPLES, types={**TYPES, STACK: ("jdk.types.StackTrace", [("frames", LONG, "")])}),
    ],
)
def test_a_broken_chunk_is_refused(data: bytes) -> None:
    with pytest.raises(DamagedTrace, match="jfr"):
        read(data)


COMPLETE = chunk(*SAMPLES)


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (COMPLETE + b"FLR\0", len(COMPLETE)),
        (
            COMPLETE + b"something else that follows, long enough to hold the header of a chunk of its own",
            len(COMPLETE),
        ),
        (COMPLETE + COMPLETE[: len(COMPLETE) // 2], len(COMPLETE)),
        (chunk(*SAMPLES, size=0), len(COMPLETE)),
        (chunk(*SAMPLES, size=1 << 40), len(COMPLETE)),
        (chunk(*SAMPLES, size=0) + event(SAMPLE, 3_000, 1)[:-1], len(COMPLETE)),
        (chunk(*SAMPLES, constants=None, metadata=68), len(COMPLETE)),
        (chunk(*SAMPLES, metadata=1 << 40), len(COMPLETE)),
        (chunk(*SAMPLES, back=-1), len(chunk(*SAMPLES, back=-1))),
        (chunk(*SAMPLES, back=1 << 40), len(chunk(*SAMPLES, back=1 << 40))),
    ],
)
def test_a_recording_that_was_not_finished_is_read_as_far_as_it_goes(data: bytes, kept: int) -> None:
    """A JVM that is killed leaves a header that says nothing, or pieces behind what it says."""
    trace, complete = read(data), read(COMPLETE)
    assert [stacks(trace, p) for p in trace.profiles] == [stacks(complete, p) for p in complete.profiles]
    (said,) = (w.text for w in trace.warnings if w.code == "unfinished")
    assert said.endswith(f"{kept:,} of its {len(data):,} bytes were read")


def test_numbers_have_nine_bytes_at_most_and_only_those_are_negative() -> None:
    for value in (0, 127, 128, 16_383, 1 << 55, (1 << 63) - 1, -1, -(1 << 63)):
        encoded = leb(value)
        assert number(encoded, 0) == (value, len(encoded))
        assert len(encoded) <= 9


def thread_types() -> dict[int, Any]:
    """The types of Java 9, whose events last and have a thread."""
    thread, collection, wait, pause = 40, 41, 42, 43
    fields = [("startTime", LONG, ""), ("duration", LONG, "")]
    return TYPES | {
        SAMPLE: ("com.oracle.jdk.ExecutionSample", TYPES[SAMPLE][1]),
        thread: ("java.lang.Thread", [("osName", STRING, ""), ("osThreadId", LONG, "")]),
        collection: ("com.oracle.jdk.GarbageCollection", [*fields, ("name", STRING, ""), ("cause", STRING, "")]),
        wait: (
            "com.oracle.jdk.JavaMonitorWait",
            [*fields, ("eventThread", thread, "pool"), ("stackTrace", STACK, "pool"), ("monitorClass", CLASS, "pool")],
        ),
        pause: ("jdk.GCPhasePause", [*fields, ("name", STRING, "")]),
    }


def test_recordings_without_samples_open_with_what_lasts_in_them_at_its_times() -> None:
    events = (
        event(41, 2_000, 500, text("G1New"), text("Allocation Failure")),
        event(43, 2_100, 300, text("GC Pause")),
        event(42, 5_000, 700, 1, 1, 1),
        event(42, 3_000, 900, 1, 2, 1),
        event(42, 4_000, 100, 2, 99, 99),
    )
    constants = pools() | {40: {1: text("worker-1") + leb(77), 2: text("main") + leb(1)}}
    trace = read(chunk(*events, constants=constants, types=thread_types()))
    assert [p.name for p in trace.profiles] == [
        "Garbage collections",
        "Pauses for collections",
        "Waits of worker-1",
        "Waits of main",
    ]
    collections, pauses, worker, main = trace.profiles
    assert collections.spans is not None
    assert pauses.spans is not None
    assert (collections.spans.start.tolist(), collections.spans.end.tolist()) == ([1_000_000], [1_500_000])
    assert trace.frame_name(int(collections.tree.frame[0])) == "G1New (Allocation Failure)"
    assert pauses.spans.start.tolist() == [1_100_000]
    assert (worker.tid, worker.waits, worker.counts) == ("77", Waits.WAITING, Counts.EVENTS)
    assert worker.samples is not None
    assert worker.samples.time.tolist() == [2_000_000, 4_000_000]
    assert stacks(trace, worker) == [
        ("app.Main:main;(wait: app.Main)", 900_000),
        ("app.Main:main;app.Main:draw;(wait: app.Main)", 700_000),
    ]
    assert stacks(trace, main) == [("(wait)", 100_000)]


def test_cycles_that_go_on_while_the_program_runs_are_no_pauses() -> None:
    """A full collection begins in a concurrent cycle and ends after it; both keep their length."""
    types = thread_types()
    types[41] = (types[41][0], [*types[41][1], ("sumOfPauses", LONG, "")])
    events = (
        event(41, 6_000, 500, text("G1New"), text(""), 500),
        event(41, 7_000, 900, text("G1Old"), text(""), 20),
        event(41, 7_500, 800, text("G1Full"), text(""), 800),
    )
    trace = read(chunk(*events, types=types))
    assert {p.name: p.tree.self_values[0].tolist() for p in trace.profiles} == {
        "Garbage collections": [500_000, 800_000],
        "Concurrent garbage collections": [900_000],
    }
    assert trace.warnings == ()
    assert {p.axis_start for p in trace.profiles} == {0}, "the axis begins with the recording, not its first event"
    assert trace.profiles[0].spans is not None
    assert trace.profiles[0].spans.start.tolist() == [5_000_000, 6_500_000]


def test_samples_of_java_9_are_those_of_later_recordings() -> None:
    trace = read(chunk(*SAMPLES[::2], types=thread_types()))
    assert [p.name for p in trace.profiles] == ["Without native calls"]
    assert len(stacks(trace, trace.profiles[0])) == 2
