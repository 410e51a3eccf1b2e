"""`perf.data`: what perf recorded here, held against what `perf script` says of it, and what its format may hold."""

import gzip
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.formats.perf.perf_recordings import (
    CALLCHAIN,
    FIELDS,
    IDENTIFIER,
    IP,
    KERNEL_MARK,
    KERNEL_MODE,
    LIBRARY,
    PERIOD,
    PROGRAM,
    READ,
    SAYS_WHEN,
    TID,
    TIME,
    USER_MARK,
    attribute,
    comm,
    compressed,
    fork,
    kernel,
    mapped,
    mapping,
    piped,
    record,
    recording,
    sample,
    symbol,
)
from tests.traces.stacks_of_traces import own_values, read, stacks, warnings
from traces.errors import UnrecognisedTrace
from traces.formats.perf import perf_data
from traces.formats.perf.perf_data_history import AddressSpace, Mapping, Timeline
from traces.model import Trace

PERF = shutil.which("perf")
STEP = 1_000_000


def recorded(fixtures: Path) -> bytes:
    return gzip.decompress((fixtures / "thumbnails.perf-data.gz").read_bytes())


def assert_alike(ours: Trace, theirs: Trace) -> dict[str, set[str]]:
    """The same profiles and weights; returns what perf calls each of our frames."""
    called: dict[str, set[str]] = {}
    assert [(p.name, p.pid, p.tid) for p in ours.profiles] == [(p.name, p.pid, p.tid) for p in theirs.profiles]
    for mine, other in zip(ours.profiles, theirs.profiles, strict=True):
        assert [v.name for v in mine.values] == [v.name for v in other.values]
        assert (mine.axis_start, mine.axis_end) == (other.axis_start, other.axis_end)
        for value in mine.values:
            pairs = zip(stacks(ours, mine.index, value.name), stacks(theirs, other.index, value.name), strict=True)
            for (stack, weight), (their_stack, their_weight) in pairs:
                assert weight == their_weight
                for name, other_name in zip(stack.split(";"), their_stack.split(";"), strict=True):
                    called.setdefault(name, set()).add(other_name)
    return called


def test_a_recording_reads_as_what_perf_script_printed_of_it(fixtures: Path) -> None:
    ours = read(recorded(fixtures))
    theirs = read(gzip.decompress((fixtures / "thumbnails.perf-data.script.txt.gz").read_bytes()))
    called = assert_alike(ours, theirs)
    assert ours.format == "perf-data"
    assert ours.profiles[0].name.startswith("thumbnails (pid ")
    assert {name for name, symbols in called.items() if len(symbols) > 1} <= {"[unknown]", "[kernel]"}
    spent: dict[str, float] = {}
    for (name, _), weight in own_values(ours).items():
        symbol = next(iter(called[name]))
        spent[symbol] = spent.get(symbol, 0) + weight
    assert spent == {name: weight for (name, _), weight in own_values(theirs).items()}
    files = {ours.frame_file(frame) for frame in range(len(ours.frames))}
    assert {"/app/thumbnails", "/usr/lib/x86_64-linux-gnu/libc.so.6", "[kernel.kallsyms]"} <= files
    assert warnings(ours) == {"no_symbols": len([name for name in called if "0x" in name])}


@pytest.mark.skipif(PERF is None, reason="perf (linux-perf) is not installed")
def test_a_recording_reads_as_what_perf_script_says_here(fixtures: Path, tmp_path: Path) -> None:
    assert PERF is not None
    (tmp_path / "perf.data").write_bytes(recorded(fixtures))
    command = [PERF, "script", "--ns", "-f", "-i", "perf.data", "-F", "comm,pid,tid,time,period,event,ip,sym,dso"]
    script = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=60)
    assert_alike(read(recorded(fixtures)), read(script.stdout))


def test_frames_are_named_by_the_file_that_was_mapped_and_the_place_in_it() -> None:
    trace = read(
        recording(
            mapped(),
            mapping("[vdso]", 0x7FFF00000000, 0x1000),
            mapping("//anon", 0x10000, 0x1000),
            sample(STEP, USER_MARK, LIBRARY + 0x10, PROGRAM + 0x234, 0x10044, 0x7FFF00000005, 0x5, ip=LIBRARY + 0x10),
        )
    )
    assert stacks(trace) == [("[unknown];[vdso]+0x5;0x10044;prog+0x1234;libwork.so.1+0x10", 1_000)]
    assert [trace.frame_file(frame) for frame in range(5)] == [
        None,
        "[vdso]",
        "//anon",
        "/app/prog",
        "/usr/lib/libwork.so.1",
    ]
    assert warnings(trace) == {"no_symbols": 4, "made_code": 1}


def test_marks_in_a_stack_say_whose_the_addresses_are() -> None:
    base, module, bpf = 0xFFFFFFFF81000000, 0xFFFFFFFFC0000000, 0xFFFFFFFFC0100000
    trace = read(
        recording(
            mapped(),
            kernel("[kernel.kallsyms]_text", base, 0x1000000),
            kernel("/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz", module, 0x1000),
            symbol("bpf_prog_0a1b_filter", bpf, 64),
            sample(1, KERNEL_MARK, base + 0x99, module + 7, bpf + 8, 0xFFFFFFFFF0000000, USER_MARK, PROGRAM, misc=1),
            sample(2, *(step for mark in (32, 2048, 2176, 2560, 999) for step in (2**64 - mark, PROGRAM + 1))),
            sample(3, PROGRAM + 2, misc=KERNEL_MODE),
        )
    )
    assert [stack for stack, _ in stacks(trace)] == [
        "prog+0x1000;[kernel];bpf_prog_0a1b_filter;[ext4]+0x7;[kernel]+0x99",
        "[unknown];[guest];[guest.kernel];[guest];[hypervisor]",
        "[kernel]",
    ]
    assert {trace.frame_file(frame) for frame in range(5)} >= {"[bpf]", "[kernel.kallsyms]", "/app/prog"}


def test_without_a_stack_the_sampled_address_is_the_frame_and_without_an_address_it_is_idle() -> None:
    trace = read(recording(mapped(), sample(1, ip=PROGRAM), sample(2, USER_MARK, ip=PROGRAM), sample(3)))
    assert [stack for stack, _ in stacks(trace)] == ["prog+0x1000", "prog+0x1000", ""]


def test_a_thread_is_called_what_it_was_called_at_the_time() -> None:
    trace = read(
        recording(
            mapped(),
            sample(10, PROGRAM),
            fork(8, 7, time=20),
            sample(30, PROGRAM, pid=8),
            comm("worker", time=40, pid=8),
            sample(50, PROGRAM, pid=8),
            fork(7, 7, time=60, tid=9),
            sample(70, PROGRAM, tid=9),
            sample(80, PROGRAM, pid=300, tid=301),
            sample(90, PROGRAM, pid=0, tid=0),
        )
    )
    assert [p.name for p in trace.profiles] == [
        "prog (pid 7, tid 7)",
        "prog (pid 8, tid 8)",
        "worker (pid 8, tid 8)",
        "prog (pid 7, tid 9)",
        ":301 (pid 300, tid 301)",
        "swapper (pid 0, tid 0)",
    ]
    assert [stacks(trace, p)[0][0] for p in range(6)] == ["prog+0x1000"] * 4 + ["[unknown]"] * 2


def test_a_process_maps_other_files_later_and_its_children_have_what_it_had() -> None:
    trace = read(
        recording(
            mapped(),
            fork(8, 7, time=10),
            mapping("/app/plugin.so", LIBRARY + 0x800, 0x1000, time=20),
            mapping("/app/own.so", 0x900000, 0x1000, time=20, pid=8),
            *(sample(time, LIBRARY + 0x10, LIBRARY + 0x900) for time in (5, 30)),
            sample(40, LIBRARY + 0x900, 0x900001, pid=8),
            sample(50, 0x900001),
        )
    )
    assert [stack for stack, _ in stacks(trace)] == [
        "libwork.so.1+0x900;libwork.so.1+0x10",
        "plugin.so+0x100;libwork.so.1+0x10",
        "[unknown]",
    ]
    assert stacks(trace, 1)[0][0] == "own.so+0x1;libwork.so.1+0x900"


def test_several_events_are_distinguished_whatever_fields_they_have() -> None:
    head = IDENTIFIER | IP | TID | TIME
    grouped = 1 << 0 | 1 << 2 | 1 << 3
    cycles = attribute(head | PERIOD | READ | CALLCHAIN, kind=0, read_format=grouped)
    faults = attribute(head | 1 << 7, config=2, flags=SAYS_WHEN, period=1)
    values = struct.pack("<QQQQQQ", 2, 99, 5, 11, 6, 12)  # two counters, time enabled, value and number of each
    chain = struct.pack("<QQQ", 2, PROGRAM, LIBRARY)
    numbered = (
        comm("prog")[:-16]  # its end has one field more than tests' usual end
        + struct.pack("<IIQQ", 7, 7, 0, 0)
    )
    numbered = struct.pack("<IHH", 3, 0, len(numbered)) + numbered[8:]
    data = recording(
        numbered,
        record(9, struct.pack("<QQIIQQ", 11, PROGRAM, 7, 7, 100, 500) + values + chain),
        record(9, struct.pack("<QQIIQII", 21, LIBRARY, 7, 7, 200, 3, 0)),
        record(9, struct.pack("<QQIIQQ", 12, PROGRAM, 7, 7, 300, 700) + values + chain),
        record(9, struct.pack("<Q", 77)),
        attributes=(cycles, faults),
        ids=((11, 12), (21,)),
        names=("cycles:u", "page-faults"),
    )
    trace = read(data)
    assert [p.name for p in trace.profiles] == ["prog (pid 7, tid 7)", "prog (pid 7, tid 7), page-faults"]
    assert [weight for _, weight in stacks(trace, 0, "cycles:u")] == [500, 700]
    assert [weight for _, weight in stacks(trace, 1, "page-faults")] == [1]
    assert warnings(trace) == {"unknown_event": 1}


def test_without_a_times_field_samples_lie_end_to_end() -> None:
    fields = IP | TID
    fixed = attribute(fields, flags=0, period=5 * STEP)
    samples = [record(9, struct.pack("<QII", address, 7, 7)) for address in (PROGRAM, 1, PROGRAM)]
    trace = read(recording(mapped(), *samples, attributes=(fixed,)))
    assert [v.name for v in trace.profiles[0].values] == ["samples", "CPU time"]
    assert stacks(trace, 0, "CPU time") == [
        ("prog+0x1000", 5 * STEP),
        ("[unknown]", 5 * STEP),
        ("prog+0x1000", 5 * STEP),
    ]


def test_the_period_is_left_out_where_it_is_not_known() -> None:
    sampled = record(9, struct.pack("<QIIQ", PROGRAM, 7, 7, 5))
    trace = read(recording(mapped(), sampled, attributes=(attribute(IP | TID | TIME),)))
    assert [v.name for v in trace.profiles[0].values] == ["time", "samples"]


SESSION = (
    mapped(),
    sample(3 * STEP, PROGRAM, period=7),
    sample(STEP, LIBRARY, PROGRAM, period=8),
    comm("late", 4 * STEP),
)


@pytest.mark.parametrize(
    "data",
    [
        piped(*SESSION),
        piped(SESSION[0], compressed(b"".join(SESSION[1:]), 37)),
        recording(compressed(b"".join(SESSION), 41), record(68, b"")),
        recording(compressed(b"".join(SESSION), 8_000)),
        recording(compressed(b"".join(SESSION), 50, aligned=True)),
    ],
    ids=["pipe", "compressed in a pipe", "in pieces", "compressed", "in whole words"],
)
def test_pipes_and_compression_change_nothing(data: bytes) -> None:
    plain = read(recording(*SESSION))
    trace = read(data)
    assert [stacks(trace, 0, v.name) for v in plain.profiles[0].values] == [
        stacks(plain, 0, v.name) for v in plain.profiles[0].values
    ]
    assert [p.name for p in trace.profiles] == [p.name for p in plain.profiles]


def test_processor_traces_with_samples_are_counted_and_alone_refused() -> None:
    trace = record(71, struct.pack("<QQQIIII", 16, 0, 0, 0, 0, 0, 0)) + bytes(16)
    assert warnings(read(recording(trace, *SESSION)))["processor_traces"] == 1
    with pytest.raises(UnrecognisedTrace, match="--itrace"):
        read(recording(mapped(), trace))


def test_losses_and_pauses_of_the_kernel_are_counted() -> None:
    lost = record(2, struct.pack("<QQ", 0, 40)) + record(13, struct.pack("<Q", 2))
    assert warnings(read(recording(*SESSION, lost, record(5, bytes(24))))) == {
        "lost": 42,
        "throttled": 1,
        "no_symbols": 2,
    }


def test_stacks_that_only_perf_unwinds_are_said_to_be_cut() -> None:
    for attr in (attribute(FIELDS | 1 << 13), attribute(branches=1 << 11)):
        assert warnings(read(recording(*SESSION, attributes=(attr,))))["not_unwound"] == 2


def test_a_recording_that_was_cut_off_is_read_as_far_as_it_goes() -> None:
    data = recording(*SESSION, finished=False)
    assert warnings(read(data)) == {"unfinished": 1, "no_symbols": 2}
    assert warnings(read(data[:-8]))["cut_record"] == 1


def test_data_mappings_and_empty_ones_hide_no_code() -> None:
    hidden = mapping("/data", PROGRAM, 0x1000, misc=2 | 1 << 13) + mapping("/empty", PROGRAM, 0)
    assert stacks(read(recording(mapped(), hidden, sample(1, PROGRAM))))[0][0] == "prog+0x1000"


def test_events_without_a_description_are_named_by_their_number() -> None:
    names = {(0, 0): "cycles", (1, 2): "page-faults", (1, 99): "event 1:63", (4, 0x1C2): "event 4:1c2"}
    for (kind, config), name in names.items():
        trace = read(recording(*SESSION, attributes=(attribute(kind=kind, config=config),)))
        assert trace.profiles[0].values[-1].name == name


def test_stacks_read_in_pieces_are_the_same(fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read(recorded(fixtures))
    monkeypatch.setattr(perf_data, "FRAMES_AT_ONCE", 50)
    assert stacks(read(recorded(fixtures))) == stacks(expected)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 3)), max_size=12),
    st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 10)), max_size=12),
)
def test_a_timeline_gives_what_was_said_last(changes: list[tuple[int, int, int]], asked: list[tuple[int, int]]) -> None:
    changes.sort(key=lambda change: change[1])
    timeline = Timeline()
    for change in changes:
        timeline.change(*change)
    keys, times = (np.array([row[i] for row in asked], np.int64) for i in (0, 1))
    assert timeline.at(keys, times).tolist() == [
        next((value for k, at, value in reversed(changes) if k == key and at <= time), -1) for key, time in asked
    ]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 8), st.booleans()), max_size=12))
def test_the_latest_mapping_lies_above_all_others(added: list[tuple[int, int, bool]]) -> None:
    space = AddressSpace()
    at: dict[int, tuple[str, int]] = {}
    for number, (start, size, is_shared) in enumerate(added):
        before = space, list(space.mappings)
        space = space.add(Mapping(start, start + size, 100 * number, f"/{number}"), is_shared=is_shared)
        assert before[0] is space or before[0].mappings == before[1]
        at.update({address: (f"/{number}", 100 * number + address - start) for address in range(start, start + size)})
    for address in range(-1, 30):
        found = space.find(address)
        assert at.get(address) == (found and (found.file, found.offset + address - found.start))
    assert space.starts == [m.start for m in space.mappings]
