"""pprof's forms from before protobuf. Figures are those that `go tool pprof` prints of the same files."""

import struct
from math import exp

import numpy as np
import pytest

from traces.errors import DamagedTrace
from traces.formats.pprof_otlp.locations import NO_STACK
from traces.formats.pprof_otlp.memory_map import MemoryMap
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace
from traces.values import Counts, Order, Unit, Waits

MAPS = "--- Memory map: ---\n  00400000-00500000: /bin/server\n  7f0000001000-7f0000002000: /lib/libc-2.15.so\n"


def read(content: bytes | str) -> Trace:
    trace = read_trace(content.encode() if isinstance(content, str) else content, name="recorded")
    check(trace)
    assert trace.format == "pprof-legacy"
    assert trace.profiles[0].order is Order.NONE
    return trace


def values_of(trace: Trace) -> dict[str, float]:
    profile = trace.profiles[0]
    return {value.name: float(own.sum()) for value, own in zip(profile.values, profile.tree.self_values, strict=True)}


def stacks_of(trace: Trace) -> list[str]:
    """Each sample as `outer;inner`, in the order of the file."""
    profile, found = trace.profiles[0], []
    assert profile.samples is not None
    for leaf in profile.samples.leaf.tolist():
        names, node = [], leaf
        while node >= 0:
            names.append(trace.frame_name(int(profile.tree.frame[node])))
            node = int(profile.tree.parent[node])
        found.append(";".join(reversed(names)))
    return found


def words(*stacks: tuple[int, list[int]], layout: str = "<Q", java: int = 0, end: bool = True) -> bytes:
    numbers = [0, 3, java, 10_000, 0]
    for count, addresses in stacks:
        numbers += [count, len(addresses), *addresses]
    return struct.pack(f"{layout[0]}{len(numbers) + 3 * end}{layout[1]}", *numbers, *([0, 1, 0] if end else []))


@pytest.mark.parametrize("layout", ["<Q", ">Q", "<I", ">I"])
def test_words_of_any_size_and_order_are_samples_with_their_cpu_time(layout: str) -> None:
    recorded = words((3, [0x400100, 0x400201]), (1, [0x400300, 0x400601, 0x400401]), layout=layout)
    trace = read(recorded + b"00400000-00500000 r-xp 00001000 08:01 77   /bin/server\n")
    assert values_of(trace) == {"samples": 4, "cpu": 40_000_000}
    assert stacks_of(trace) == ["server+0x1200;server+0x1100", "server+0x1400;server+0x1600;server+0x1300"]
    profile = trace.profiles[0]
    assert (profile.unit, profile.counts, profile.waits) == (Unit.NANOSECONDS, Counts.SAMPLES, Waits.WORK)


def test_the_frame_of_the_signal_handler_and_a_doubled_leaf_are_left_out() -> None:
    handler = 0x7F0000001051
    stacks = [(1, [0x400100 + i, handler, 0x400200 + i]) for i in range(40)]
    doubled = (1, [0x400900, handler, 0x400900, 0x400A01])
    trace = read(words(*stacks, doubled))
    assert stacks_of(trace)[0] == "0x4001ff;0x400100"
    assert stacks_of(trace)[-1] == "0x400a00;0x400900"
    assert "7f0000001050" not in "".join(stacks_of(trace))


def test_words_without_an_address_are_in_the_total() -> None:
    trace = read(words((3, [0x400100]), (2, []), (1, [])))
    assert values_of(trace) == {"samples": 6, "cpu": 60_000_000}
    assert stacks_of(trace) == ["0x400100", NO_STACK, NO_STACK]


def test_words_of_java_have_their_names_behind_them() -> None:
    names = b"\n 0x0000003 GC\n 0x0000004 com.App.run (App.java:12)\n 0x0000005 memcpy (/usr/lib/libc.so)\n"
    trace = read(words((2, [3]), (5, [5, 4]), layout="<I", java=1) + names)
    assert stacks_of(trace) == ["GC", "com.App.run;memcpy"]
    places = {trace.frame_name(f): (trace.frame_file(f), trace.frame_line(f)) for f in range(len(trace.frames))}
    assert places == {"GC": (None, None), "com.App.run": ("App.java", 12), "memcpy": ("libc.so", None)}


def test_words_that_break_off_are_read_as_far_as_they_go() -> None:
    trace = read(words((3, [0x400100]), (4, [0x400200, 0x400300]), end=False)[:-4])
    assert values_of(trace)["samples"] == 3
    assert [warning.code for warning in trace.warnings] == ["unterminated"]


def test_a_sampled_heap_is_scaled_by_the_chance_of_its_sizes() -> None:
    trace = read(
        "heap profile: 2: 2048 [2: 2048] @ heapz_v2/524288\n"
        "  1: 1024 [1: 1024] @ 0x400101 0x400201\n  1: 1024 [1: 1024] @ 0x400301\n" + MAPS
    )
    scale = 1 / (1 - exp(-1024 / 524_288))
    assert values_of(trace) == {"objects": 2 * int(scale), "space": 2 * int(1024 * scale)}
    assert stacks_of(trace) == ["server+0x200;server+0x100", "server+0x300"]
    assert (trace.profiles[0].unit, trace.profiles[0].waits) == (Unit.BYTES, Waits.NEITHER)


def test_a_heap_of_go_has_what_was_allocated_and_what_is_in_use_and_names_its_stacks() -> None:
    trace = read(
        "heap profile: 1: 8 [3: 24] @ heap/2\n"
        "1: 8 [3: 24] @ 0x47a1b6 0x47a0f1\n"
        "#\t0x47a1b5\tmain.load+0x35\t/src/app/main.go:31\n#\t0x47a0f0\tmain.main+0x10\t\t/src/app/main.go:12\n\n"
        "# runtime.MemStats\n# Alloc = 300\n"
    )
    assert values_of(trace) == {"alloc_objects": 3, "alloc_space": 24, "inuse_objects": 1, "inuse_space": 8}
    assert stacks_of(trace) == ["main.main;main.load"]
    assert trace.profiles[0].values[trace.profiles[0].default_value].name == "inuse_space"
    assert [(trace.frame_file(f), trace.frame_line(f)) for f in range(2)] == [
        ("/src/app/main.go", 12),
        ("/src/app/main.go", 31),
    ]


def test_growth_is_not_scaled() -> None:
    trace = read("heap profile: 1: 2097152 [1: 2097152] @ growthz\n 1: 2097152 [1: 2097152] @ 0x400101\n" + MAPS)
    assert values_of(trace) == {"objects": 1, "space": 2_097_152}


def test_a_heap_of_jemalloc_counts_the_sum_of_its_threads() -> None:
    trace = read(
        "heap_v2/1\n  t*: 3: 300 [0: 0]\n  t1: 3: 300 [0: 0]\n"
        "@ 0x400101 0x400201\n  t*: 1: 100 [0: 0]\n  t1: 1: 100 [0: 0]\n"
        "@ 0x400301\n  t*: 2: 200 [0: 0]\n  t1: 2: 200 [0: 0]\n\n"
        "MAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 08:01 77   /bin/server\n"
    )
    assert values_of(trace) == {"objects": 3, "space": 300}
    assert stacks_of(trace) == ["server+0x200;server+0x100", "server+0x300"]


def test_contention_is_time_of_a_processor_and_what_its_samples_stand_for() -> None:
    trace = read(
        "--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\nms since reset = 9\n"
        "discarded samples = 0\n  4000 2 @ 0x400101 0x400201\n" + MAPS
    )
    assert values_of(trace) == {"contentions": 200, "delay": 4000 * 100 / 2}
    assert trace.profiles[0].waits is Waits.WAITING


@pytest.mark.parametrize("kind", ["mutex", "contention"])
def test_contention_of_go_is_read(kind: str) -> None:
    trace = read(
        f"--- {kind}:\ncycles/second=1000000000\nsampling period=1\n500 3 @ 0x47a1b6\n"
        "#\t0x47a1b5\tmain.f+0x1\t/a.go:5\n"
    )
    assert values_of(trace) == {"contentions": 3, "delay": 500}
    assert stacks_of(trace) == ["main.f"]


def test_counts_of_go_are_read_below_its_comments() -> None:
    trace = read("# made today\n\ngoroutine profile: total 5\n4 @ 0x43a1b6 0x40b1f1\n\n1 @ 0x43a1b6\n")
    assert values_of(trace) == {"goroutine": 5}
    assert stacks_of(trace) == ["0x40b1f0;0x43a1b5", "0x43a1b5"]


def test_threads_at_a_moment_count_once_each_and_again_where_they_are_the_same() -> None:
    trace = read(
        "--- threadz 1 ---\n\n--- Thread 7f79 (name: main/14748) stack: ---\n  PC: 0x400100 0x400201\n"
        "    0x400301\n--- Thread 7f80 (name: pool/14749) stack: ---\n  [same as previous thread]\n" + MAPS
    )
    assert values_of(trace) == {"thread": 2}
    assert stacks_of(trace) == ["server+0x300;server+0x200;server+0x100"]


def test_heap_and_contention_of_java_have_their_own_unit_and_names() -> None:
    trace = read(
        "--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 100\n"
        "ms since reset = 601\n   14 2 @ 0x3 0x4\n\n 0x0000003 com.App.wait (App.java:3)\n 0x0000004 VM\n"
    )
    assert values_of(trace) == {"contentions": 200, "delay": 1_400_000}
    assert stacks_of(trace) == ["VM;com.App.wait"]
    heap = read(
        "--- heapz 1 ---\nformat = java\nresolution = bytes\n  1048576 2 @ 0x3\n 0x3 com.App.load (App.java:3)\n"
    )
    scale = 1 / (1 - exp(-1))
    assert values_of(heap) == {"inuse_objects": int(2 * scale), "inuse_space": int(1_048_576 * scale)}


def test_names_before_a_profile_are_those_of_its_addresses() -> None:
    names = (
        b"--- symbol\nbinary=/bin/server\n0x0000000000400100 leaf--inlined\n0x0000000000400201 main\n---\n--- profile\n"
    )
    trace = read(names + words((1, [0x400100, 0x400201]), (1, [0x400201])))
    assert stacks_of(trace) == ["main;inlined;leaf", "main"]


def test_memory_that_was_freed_more_than_allocated_is_left_out_and_said() -> None:
    trace = read("heap profile: 1: 8 [1: 8] @ heapprofile\n-1: -8 [1: 8] @ 0x400101\n 1: 8 [1: 8] @ 0x400201\nx y\n")
    assert values_of(trace) == {"objects": 1, "space": 8}
    assert {warning.code for warning in trace.warnings} == {"negative", "unread_lines"}


@pytest.mark.parametrize(
    "broken",
    [
        "heap profile: 1: 8 [1: 8] @ heapprofile\n1: 8 [1: 8] @ 0x1ffffffffffffffff1\n",
        "--- contentionz 1 ---\nsampling period = many\n1 1 @ 0x1\n",
        "--- symbol\n0x1 main\n---\n--- profile\nnothing\n",
    ],
)
def test_numbers_that_cannot_be_are_damage(broken: str) -> None:
    with pytest.raises(DamagedTrace):
        read(broken)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("00400000-00500000 r-xp 00001000 08:01 77   /opt/a/server (deleted)", "server+0x1100"),
        ("00400000-00500000: server (@ff000)", "server+0xff100"),
        ("0x400000-0x500000 /opt/a/server", "server+0x100"),
        ("W0101 12:00:00 main.cc:7] 00400000-00500000: server", "server+0x100"),
        ("build=/path/server\n00400000-00500000: $build", "server+0x100"),
        ("00480000-00500000 r-xp 00080000 08:01 77 /server", "server+0x100"),
        ("00400000-00500000 rw-p 00000000 08:01 77 /server", "0x400100"),
        ("00400000-00500000 r-xp 00000000 00:00 0", "0x400100"),
    ],
)
def test_a_memory_map_is_read_in_every_form(line: str, name: str) -> None:
    assert MemoryMap.written(line).name_of(0x400100) == name


def test_many_mappings_and_addresses_cost_little() -> None:
    text = "".join(f"{at:x}-{at + 64:x} r-xp 00000000 08:01 7 /lib/x{at}.so\n" for at in range(0x1000, 0x200000, 128))
    mapped = MemoryMap.written(text)
    names = {mapped.name_of(int(at)) for at in np.arange(0x1000, 0x200000, 32)}
    assert len(names) > 40_000


@pytest.mark.parametrize("kind", ["heapz_v2", "heap_v2", "heap"])
def test_a_heap_without_a_rate_is_not_scaled(kind: str) -> None:
    trace = read(f"heap profile: 100: 100 [100: 100] @ {kind}\n 100: 100 [100: 100] @ 0x400101\n{MAPS}")
    assert values_of(trace) == {"objects": 100, "space": 100}
