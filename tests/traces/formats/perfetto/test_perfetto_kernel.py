"""Scheduling, atrace's marks, frames, sampled stacks and heaps in Perfetto traces, written here field by field."""

from collections.abc import Sequence

from tests.traces.formats.protobuf_messages import message, varint
from traces.analysis.counters import counter_series
from traces.analysis.functions import top_functions
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace
from traces.values import Counts, Order, Unit, Waits

Value = int | bytes | str


def packet(*fields: tuple[int, Value]) -> bytes:
    return message((1, message((10, 1), *fields)))


def bundle(cpu: int, *events: bytes, compact: bytes = b"") -> bytes:
    inside = [(2, event) for event in events] + ([(4, compact)] if compact else [])
    return packet((8, 1), (1, message((1, cpu), *inside)))


def mark(time: int, tid: int, text: str) -> bytes:
    return message((1, time), (2, tid), (3, message((1, 9), (2, text))))


def switch(time: int, tid: int, name: str) -> bytes:
    return message((1, time), (2, 1), (4, message((5, name), (6, tid))))


def packed(*numbers: int) -> bytes:
    return b"".join(varint(number) for number in numbers)


def processes() -> bytes:
    tree = message((1, message((1, 7), (3, "/system/bin/app"))), (2, message((1, 8), (2, "worker"), (3, 7))))
    return packet((2, tree))


def read(*packets: bytes) -> Trace:
    trace = read_trace(b"".join(packets), name="recording")
    check(trace)
    assert trace.format == "perfetto"
    return trace


def slices(trace: Trace, profile: int) -> list[tuple[str, int, int]]:
    shown = trace.profiles[profile]
    assert shown.spans is not None
    names = [trace.frame_names[shown.tree.frame[node]] for node in shown.spans.node.tolist()]
    return list(zip(names, shown.spans.start.tolist(), shown.spans.end.tolist(), strict=True))


def names(trace: Trace) -> list[str]:
    return [profile.name for profile in trace.profiles]


def test_marks_of_programs_are_slices_of_their_threads() -> None:
    trace = read(
        processes(),
        bundle(0, mark(100, 7, "B|7|draw"), mark(300, 7, "E|7\n"), mark(250, 8, "B|7|load")),
        bundle(1, mark(150, 7, "B|7|measure"), mark(200, 7, "E|7"), mark(400, 8, "E|7")),
    )
    assert [(p.name, p.pid, p.tid) for p in trace.profiles] == [("app", "7", "7"), ("worker", "7", "8")]
    assert slices(trace, 0) == [("draw", 0, 200), ("measure", 50, 100)]
    assert slices(trace, 1) == [("load", 150, 300)]


def test_levels_and_what_is_on_no_thread_are_read_from_marks() -> None:
    trace = read(
        bundle(
            0,
            mark(100, 7, "B|7|a"),
            mark(110, 7, "C|7|memory|42"),
            mark(120, 7, "S|7|fetch|1"),
            mark(180, 7, "F|7|fetch|1"),
            mark(200, 7, "E"),
            mark(220, 7, "E"),
            mark(230, 7, "F|7|fetch|2"),
            mark(240, 7, "S|7|load|3"),
        )
    )
    assert [(warning.code, warning.count) for warning in trace.warnings] == [("unmatched_end", 1), ("half_interval", 2)]
    assert trace.warnings[0].text.endswith("`an end` on tid 7 at 120 ns")
    assert trace.warnings[1].text.endswith("`fetch` at 130 ns, without a beginning; `load` at 140 ns, without an end")
    assert [(c.name, c.last) for c in counter_series(trace)] == [("memory", 42)]
    assert (trace.async_spans.start.tolist(), trace.async_spans.end.tolist()) == ([20], [80])


def test_switches_say_what_ran_on_each_processor_and_when_each_thread_ran() -> None:
    trace = read(
        processes(),
        bundle(
            0, switch(100, 8, "worker"), switch(300, 0, "swapper"), switch(400, 8, "worker"), switch(500, 9, "kworker")
        ),
        bundle(1, switch(150, 9, "kworker"), switch(250, 0, "swapper")),
    )
    assert names(trace) == ["CPU 0", "CPU 1", "worker on processors", "kworker on processors"]
    assert slices(trace, 0) == [("worker (8)", 0, 200), ("worker (8)", 300, 400)]
    assert slices(trace, 2) == [("Running on CPU 0", 0, 200), ("Running on CPU 0", 300, 400)]
    assert slices(trace, 3) == [("Running on CPU 1", 50, 150)]
    assert (trace.profiles[2].pid, trace.profiles[2].tid) == ("7", "8")


def test_switches_in_columns_are_the_same() -> None:
    compact = message(
        (5, "worker"), (5, "swapper"), (1, packed(100, 200, 100)), (3, packed(8, 0, 8)), (6, packed(0, 1, 0))
    )
    trace = read(bundle(3, compact=compact))
    assert names(trace) == ["CPU 3", "worker on processors"]
    assert slices(trace, 0) == [("worker (8)", 0, 200)]


def test_frames_of_android_are_intervals() -> None:
    surface = message((1, 5), (2, 1), (3, 1), (4, 7), (5, "MainActivity"))
    trace = read(
        packet((8, 100), (76, message((1, message((1, 4)))))),
        packet((8, 120), (76, message((4, surface)))),
        packet((8, 150), (76, message((5, message((1, 4)))))),
        packet((8, 190), (76, message((5, message((1, 5)))))),
    )
    rows = {row.name: row.total_value for n in range(2) for row in top_functions(trace, profile=n).rows}
    assert rows == {"Expected display frame": 50, "Surface frame: MainActivity": 70}


def interned(names_of: Sequence[str]) -> bytes:
    entries = [(5, message((1, number), (2, name))) for number, name in enumerate(names_of, 1)]
    mapping = [(17, message((1, 20), (2, "system"))), (17, message((1, 21), (2, "libc.so")))]
    mapping += [(19, message((1, 30), (7, 20), (7, 21)))]
    frames = [(6, message((1, number), (2, number))) for number in range(1, len(names_of) + 1)]
    frames += [(6, message((1, 40), (3, 30), (4, 0x1F)))]
    stacks = [(7, message((1, 50), (2, 1), (2, 2))), (7, message((1, 51), (2, 1), (2, 40)))]
    return packet((13, 1), (12, message(*entries, *mapping, *frames, *stacks)))


def test_sampled_stacks_are_profiles_of_their_threads() -> None:
    samples = [
        packet((8, time), (13, 2), (66, message((2, 7), (3, tid), (4, stack))))
        for time, tid, stack in ((100, 7, 50), (300, 7, 51), (200, 8, 50))
    ]
    trace = read(interned(["main", "draw"]), *samples)
    assert [(p.name, p.pid, p.tid) for p in trace.profiles] == [
        ("Samples of tid 7", "7", "7"),
        ("Samples of tid 8", "7", "8"),
    ]
    rows = {row.name: (row.self_value, row.total_value) for row in top_functions(trace, profile=0).rows}
    assert rows == {"main": (0, 2), "draw": (1, 1), "libc.so+0x1f": (1, 1)}
    profile = trace.profiles[0]
    assert (profile.order, profile.counts, profile.waits) == (Order.TIME, Counts.SAMPLES, Waits.WORK)


def test_a_heap_is_what_its_last_dump_says() -> None:
    def dump(moment: int, *samples: bytes) -> bytes:
        process = message((1, 7), (9, moment), *[(2, sample) for sample in samples])
        return packet((8, moment), (13, 2), (37, message((5, process))))

    early = message((1, 50), (2, 100), (3, 0), (5, 1))
    late = (message((1, 50), (2, 400), (3, 100), (5, 4), (6, 1)), message((1, 51), (2, 50), (5, 1)))
    trace = read(interned(["main", "draw"]), dump(100, early), dump(200, *late))
    profile = trace.profiles[0]
    assert (profile.name, profile.unit, profile.waits) == ("Heap of pid 7", Unit.BYTES, Waits.NEITHER)
    sums = {v.name: float(own.sum()) for v, own in zip(profile.values, profile.tree.self_values, strict=True)}
    assert sums == {"alloc_objects": 5, "alloc_space": 450, "inuse_objects": 4, "inuse_space": 350}
    rows = {row.name: row.self_value for row in top_functions(trace).rows}
    assert rows == {"main": 0, "draw": 300, "libc.so+0x1f": 50}


def test_columns_of_switches_that_lack_a_name_are_read_as_far_as_all_go() -> None:
    compact = message((5, "worker"), (1, packed(100, 200, 100)), (3, packed(8, 0, 8)), (6, packed(0, 1)))
    trace = read(bundle(3, compact=compact))
    assert slices(trace, 0) == [("worker (8)", 0, 200)]
