"""Perfetto traces, written here field by field, and one that Chromium wrote."""

import struct
import zlib
from pathlib import Path

import pytest

from tests.traces.formats.protobuf_messages import message, varint
from traces.errors import DamagedTrace, EmptyTrace
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
MAIN, OTHER, LEVEL = 11, 12, 13
Value = int | bytes | str


def packet(*fields: tuple[int, Value], sequence: int = 1) -> bytes:
    return message((1, message((10, sequence), *fields)))


def thread(uuid: int, name: str, pid: int = 7, tid: int = 7) -> bytes:
    return packet((60, message((1, uuid), (4, message((1, pid), (2, tid), (5, name))))))


def event(time: int, kind: int, *fields: tuple[int, Value], track: int = MAIN, flags: int = 0) -> bytes:
    return packet((8, time), (13, flags), (11, message((9, kind), (11, track), *fields)))


def read(*packets: bytes) -> Trace:
    trace = read_trace(b"".join(packets), name="recording")
    check(trace)
    return trace


def slices(trace: Trace, profile: int = 0) -> list[tuple[str, int, int, int]]:
    """Name, start, end and depth of each span."""
    shown = trace.profiles[profile]
    assert shown.spans is not None
    spans = shown.spans
    names = [trace.frame_names[shown.tree.frame[node]] for node in spans.node.tolist()]
    return list(zip(names, spans.start.tolist(), spans.end.tolist(), spans.depth.tolist(), strict=True))


def test_an_end_closes_what_began_last_on_its_track() -> None:
    trace = read(
        thread(MAIN, "main"),
        event(100, BEGIN, (23, "outer")),
        event(150, BEGIN, (23, "inner"), (22, "layout")),
        event(180, END),
        event(300, END),
    )
    assert trace.format == "perfetto"
    assert (trace.profiles[0].name, trace.profiles[0].pid, trace.profiles[0].tid) == ("main", "7", "7")
    assert slices(trace) == [("outer", 0, 200, 0), ("inner", 50, 80, 1)]
    assert trace.strings[int(trace.frames.category[1])] == "layout"


def test_names_are_numbers_of_the_writer_until_it_clears_its_state() -> None:
    def name(text: str) -> tuple[int, bytes]:
        return 12, message((2, message((1, 5), (2, text))), (1, message((1, 3), (2, "cat"))))

    trace = read(
        thread(MAIN, "main"),
        packet((13, 1), name("one")),
        event(0, BEGIN, (10, 5), (3, 3), flags=2),
        event(10, END, flags=2),
        packet((13, 1), name("two")),
        event(20, BEGIN, (10, 5), flags=2),
        event(30, END, flags=2),
        packet((42, 1)),
        event(40, BEGIN, (10, 5), flags=2),
        event(50, END, flags=2),
    )
    assert [span[0] for span in slices(trace)] == ["one", "two"]
    assert [(w.code, w.count) for w in trace.warnings] == [("lost_state", 2)]


def test_a_writers_own_clock_may_count_from_packet_to_packet() -> None:
    clocks = message(
        (1, message((1, 6), (2, 1_000_000))),
        (1, message((1, 3), (2, 400_000))),
        (1, message((1, 64), (2, 50), (3, 1), (4, 1000))),
        (1, message((1, 65), (2, 50), (4, 1000))),
    )
    trace = read(
        thread(MAIN, "main"),
        packet((13, 1), (6, clocks), (59, message((58, 64), (11, message((11, MAIN)))))),
        packet((8, 10), (11, message((9, BEGIN), (23, "ticks")))),
        packet((8, 5), (11, message((9, END)))),
        packet((8, 90), (58, 65), (11, message((9, BEGIN), (23, "absolute")))),
        packet((8, 440_000), (58, 3), (11, message((9, END)))),
        packet((8, 1), (58, 70), (11, message((9, END)))),
    )
    assert slices(trace) == [("ticks", 0, 5_000, 0), ("absolute", 30_000, 30_000, 0)]
    assert {w.code for w in trace.warnings} == {"no_time"}


def test_a_snapshot_with_the_real_time_says_when_it_was_and_the_system_where() -> None:
    began = 1_700_000_000 * 10**9
    clocks = message((1, message((1, 6), (2, 1_000))), (1, message((1, 1), (2, began + 1_000))))
    slices_of_main = thread(MAIN, "main"), event(500, BEGIN, (23, "work")), event(900, END)
    for system, expected in (((7, 120), 120), ((7, (1 << 64) - 570), -570), ((4, "v50"), None)):
        trace = read(packet((6, clocks)), packet((45, message(system))), *slices_of_main)
        assert (trace.recorded_at_ns, trace.utc_offset_minutes) == (began + 500, expected)
    assert read(packet((45, message((7, 120)))), *slices_of_main).recorded_at_ns is None


def test_slices_outside_threads_are_intervals_and_counters_are_levels() -> None:
    trace = read(
        thread(MAIN, "main"),
        packet((60, message((1, OTHER), (5, MAIN), (2, "Request")))),
        packet((60, message((1, LEVEL), (2, "memory"), (8, b"")))),
        event(0, BEGIN, (23, "work")),
        event(5, BEGIN, (23, "fetch"), track=OTHER),
        event(20, END),
        event(50, END, track=OTHER),
        event(6, INSTANT, (23, "tick")),
        event(7, COUNTER, (30, 12), track=LEVEL),
        packet((8, 8), (11, message((9, COUNTER), (11, LEVEL)) + varint(44 << 3 | 1) + struct.pack("<d", 2.5))),
    )
    spans = trace.async_spans
    assert [trace.strings[name] for name in spans.name.tolist()] == ["fetch"]
    assert (spans.profile.tolist(), spans.start.tolist(), spans.end.tolist()) == ([0], [5], [50])
    assert (trace.instants.profile.tolist(), trace.instants.time.tolist()) == ([0], [6])
    assert trace.counters.value.tolist() == [12.0, 2.5]


def test_without_threads_each_track_is_a_profile() -> None:
    trace = read(
        packet((60, message((1, OTHER), (2, "stage")))),
        event(0, BEGIN, (23, "run"), track=OTHER),
        event(9, END, track=OTHER),
    )
    assert [p.name for p in trace.profiles] == ["stage"]


def test_the_busiest_page_is_shown_first() -> None:
    packets = [thread(MAIN, "CrRendererMain", 7, 7), thread(OTHER, "CrRendererMain", 8, 8), thread(LEVEL, "IO", 8, 9)]
    for track, time in ((MAIN, 10), (OTHER, 20), (LEVEL, 900)):
        packets += [event(0, BEGIN, (23, "task"), track=track), event(time, END, track=track)]
    trace = read(*packets)
    assert trace.profiles[trace.default_profile].name == "CrRendererMain (pid 8)"


def test_compressed_packets_are_packets() -> None:
    inner = thread(MAIN, "main") + event(0, BEGIN, (23, "work")) + event(4, END)
    trace = read(packet((8, 1)), message((1, message((50, zlib.compress(inner))))))
    assert slices(trace) == [("work", 0, 4, 0)]


def test_what_chromium_wrote_agrees_with_a_plain_reading_of_it(fixtures: Path) -> None:
    trace = read_trace((fixtures / "startup.perfetto-trace.gz").read_bytes(), name="unknown")
    check(trace)
    shown = trace.profiles[trace.default_profile]
    assert shown.name.startswith("CrRendererMain")
    own: dict[str, int] = {}
    for frame, value in zip(shown.tree.frame.tolist(), shown.tree.self_values[0].tolist(), strict=True):
        own[trace.frame_names[frame]] = own.get(trace.frame_names[frame], 0) + value
    # A stack a track over the packets, one at a time, with 40 lines of Python.
    assert own["CSSParserImpl::parseStyleSheet"] == 70_383_000
    assert own["V8PerIsolateData::Initialize"] == 61_779_000


def test_packets_without_events_are_an_empty_trace() -> None:
    with pytest.raises(EmptyTrace):
        read(thread(MAIN, "main"), packet((8, 5)))


@pytest.mark.parametrize(
    "data",
    [
        packet((8, 1)) + b"\x0a\xff\xff\xff\x7f",
        packet((8, 1)) + b"\x0a\x03abc",
        packet((8, 1)) + event(0, BEGIN)[:-2],
        packet((8, 1)) + packet((8, 1), (11, b"\xff\xff")),
        packet((8, 1)) + packet((60, b"\x0a")),
        packet((8, 1)) + packet((50, b"not zlib")),
        packet((8, 1)) + packet((50, zlib.compress(b"x" * 99)[:-4])),
        packet((8, 1)) + packet((6, b"\x0a\x02\x08")),
    ],
)
def test_a_broken_packet_is_refused(data: bytes) -> None:
    with pytest.raises(DamagedTrace, match="perfetto"):
        read(data)


def test_events_of_one_flow_lead_from_each_to_the_next_until_it_ends() -> None:
    fixed = struct.pack("<Q", 1 << 63 | 5)
    begins = message((9, BEGIN), (11, MAIN), (23, "sends")) + varint(47 << 3 | 1) + fixed
    ends = message((9, BEGIN), (11, OTHER), (23, "takes")) + varint(48 << 3 | 1) + fixed
    again = message((9, BEGIN), (11, OTHER), (23, "again")) + varint(47 << 3 | 1) + fixed
    trace = read(
        thread(MAIN, "main"),
        thread(OTHER, "worker", tid=8),
        packet((8, 100), (11, begins)),
        packet((8, 300), (11, ends)),
        packet((8, 400), (11, again)),
        event(500, BEGIN, (23, "older"), (36, 9)),
        event(600, INSTANT, (23, "mark"), (42, 9), track=OTHER),
        event(900, END),
        event(900, END),
        *(event(900, END, track=OTHER) for _ in range(2)),
    )
    flows = trace.flows
    assert list(zip(flows.from_time.tolist(), flows.to_time.tolist(), strict=True)) == [(0, 200), (400, 500)]
    assert (flows.from_profile.tolist(), flows.to_profile.tolist()) == ([0, 0], [1, 1])
    assert [trace.strings[name] for name in flows.name.tolist()] == ["sends", "older"]


def test_what_buffers_and_the_kernel_lost_is_counted() -> None:
    def buffers(*lost: int) -> bytes:
        return packet((35, message(*((1, message((2, 9), (3, overwritten), (19, 1))) for overwritten in lost))))

    def kernel(phase: int, *overruns: int) -> bytes:
        processors = ((2, message((1, cpu), (3, overrun), (8, 1))) for cpu, overrun in enumerate(overruns))
        return packet((34, message((1, phase), *processors)))

    work = thread(MAIN, "main"), event(0, BEGIN, (23, "work")), event(9, END)
    trace = read(kernel(1, 100, 7), buffers(1), *work, buffers(3, 2), kernel(2, 130, 7))
    assert {(w.code, w.count) for w in trace.warnings} == {("overflow", 7), ("lost", 30)}
    assert not read(kernel(1, 100), *work, packet((35, message((1, message((2, 9)))))), kernel(2, 100)).warnings
