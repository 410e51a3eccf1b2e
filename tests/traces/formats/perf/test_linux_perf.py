"""`perf script`: threads and events apart, time between samples, layouts of old and new versions."""

import gzip
from pathlib import Path

import pytest

from tests.traces.stacks_of_traces import own_values, read, stacks, warnings
from traces.errors import UnrecognisedTrace
from traces.invariants import check
from traces.reader import read_trace

STACK = "\t    63c inner+0x1a (/app/prog)\n\t    7ff std::pair<int (anonymous namespace)::*>::run(int) (/app/prog)\n\n"
CHAIN = "std::pair<int (anonymous namespace)::*>::run(int);inner"


def recorded(moments: list[float], event: str = "500 cycles", thread: int = 7) -> str:
    return "".join(f"prog {thread} {10 + moment:.6f}:  {event}:\n{STACK}" for moment in moments)


SECOND = 1_000_000_000


def test_a_sample_lasts_the_usual_interval_and_a_gap_is_nobodys() -> None:
    trace = read(recorded([0, 1, 2, 2.5, 3.5, 60], "cycles"))
    profile = trace.profiles[0]
    assert [w for _, w in stacks(trace)] == [SECOND, SECOND, SECOND // 2, SECOND, SECOND, SECOND]
    assert {path for path, _ in stacks(trace)} == {CHAIN}
    assert [v.name for v in profile.values] == ["time", "samples"]
    assert (profile.name, profile.pid, profile.tid) == ("prog (tid 7)", "", "7")
    assert trace.frame_file(1) == "/app/prog"


def test_a_sample_of_cycles_lasts_as_long_as_they_take_and_ends_at_its_moment() -> None:
    """perf begins with few cycles a sample and finds its frequency: the first ones stand for next to nothing."""
    moments = [0, 0.5, 1.5, 2.5, 3.0, 60]
    counts = [1, 500, 1000, 1000, 500, 1000]
    trace = read("".join(recorded([at], f"{n} cycles:P") for at, n in zip(moments, counts, strict=True)))
    profile = trace.profiles[0]
    assert [w for _, w in stacks(trace)] == [n * SECOND // 1000 for n in counts]
    assert stacks(trace, value="cycles:P") == [(CHAIN, float(n)) for n in counts]
    assert profile.samples is not None
    begins = [SECOND // 1000 + round(at * SECOND) - n * SECOND // 1000 for at, n in zip(moments, counts, strict=True)]
    assert profile.samples.time.tolist() == begins


@pytest.mark.parametrize("event", ["cpu-cycles", "cpu_core/cycles/u", "ref-cycles:u"])
def test_names_of_cycles(event: str) -> None:
    trace = read("".join(recorded([at], f"{n} {event}") for at, n in ((0, 100), (1, 100), (2, 100), (2.5, 50))))
    assert [w for _, w in stacks(trace)] == [SECOND, SECOND, SECOND, SECOND // 2]


def test_cycles_of_a_faster_processor_take_no_longer_than_passed() -> None:
    fast = [(at / 10, 300 if at < 40 else 100) for at in range(200)]
    trace = read("".join(recorded([at], f"{n} cycles") for at, n in fast))
    check(trace)
    assert max(w for _, w in stacks(trace)[1:]) == SECOND // 10


@pytest.mark.parametrize("counts", [(0, 0, 0), (10**17, 10**17, 10**17), (1, 10**17, 1), (0, 5, 0)])
def test_counts_that_are_no_times_of_cycles_are_bounded(counts: tuple[int, ...]) -> None:
    trace = read("".join(recorded([at], f"{n} cycles") for at, n in enumerate(counts)))
    check(trace)
    assert 0 <= (trace.duration_ns or 0) < 10 * SECOND


@pytest.mark.parametrize("event", ["instructions:u", "cache-misses", "stalled-cycles-frontend"])
def test_what_is_counted_and_is_no_time_is_shown_first_as_in_perf_report(event: str) -> None:
    trace = read(recorded([0], f"900 {event}") + recorded([1], f"100 {event}"))
    profile = trace.profiles[0]
    assert profile.values[profile.default_value].name == event
    assert [w for _, w in stacks(trace)] == [900, 100]


def test_a_single_sample_between_two_sleeps_is_no_work_of_seconds() -> None:
    """The parent waits for its child, which works: it has three samples in four seconds."""
    child = [n / 1000 for n in range(4_000)]
    trace = read(recorded([0, 2, 4], "cpu-clock", 7) + recorded(child, "cpu-clock", 8))
    assert [sum(w for _, w in stacks(trace, p.index)) / 1e6 for p in trace.profiles] == pytest.approx([3, 4_000])
    assert trace.profiles[trace.default_profile].tid == "8"


def test_a_clocks_sample_weighs_its_period_also_where_it_came_early() -> None:
    trace = read(recorded([0, 0.001, 0.0018, 0.5], "1000000 task-clock:u"))
    samples = trace.profiles[0].samples
    assert samples is not None
    assert [w for _, w in stacks(trace)] == [1_000_000] * 4
    assert samples.time.tolist() == [0, 1_000_000, 2_000_000, 500_000_000]


@pytest.mark.parametrize("event", ["sched:sched_switch", "page-faults:u", "probe_libc:malloc"])
def test_samples_of_moments_are_counted_and_measure_no_time(event: str) -> None:
    profile = read(recorded([0, 1, 2], f"1 {event}")).profiles[0]
    assert [v.name for v in profile.values] == ["samples", event]


def test_threads_and_events_become_profiles_and_the_first_event_comes_first() -> None:
    trace = read(
        f"my prog 7/8 [001] 1.0: 9 cpu-clock:u:\n{STACK}"
        f"my prog 7/9 [000] 1.5: cache-misses:\n{STACK}"
        f"my prog 7/9 [000] 1.6: cpu-clock:u: \n{STACK}"
    )
    assert [p.name for p in trace.profiles] == [
        "my prog (pid 7, tid 8)",
        "my prog (pid 7, tid 9)",
        "my prog (pid 7, tid 9), cache-misses",
    ]
    assert [p.values[-1].name for p in trace.profiles] == ["CPU time", "samples", "samples"]
    assert [(p.pid, p.tid) for p in trace.profiles] == [("7", "8"), ("7", "9"), ("7", "9")]


def test_a_processes_main_thread_stands_before_its_others_and_the_busiest_is_shown_first() -> None:
    order = [("swapper", 0, 0)] * 5 + [("a", 7, 9)] * 3 + [("b", 8, 8), ("a", 7, 7)]
    trace = read("".join(f"{comm} {p}/{t} [0] {i}.0: cycles:\n{STACK}" for i, (comm, p, t) in enumerate(order)))
    assert [(p.pid, p.tid) for p in trace.profiles] == [("0", "0"), ("7", "7"), ("8", "8"), ("7", "9")]
    assert trace.profiles[trace.default_profile].tid == "9"
    idle = read("".join(f"swapper 0/0 [0] {i}.0: cycles:\n{STACK}" for i in range(2)))
    assert idle.default_profile == 0


def test_one_sample_alone_is_counted_because_it_has_no_time() -> None:
    trace = read(f"prog 7 1.0: cycles:\n{STACK}")
    assert trace.profiles[0].values[trace.profiles[0].default_value].name == "samples"
    assert stacks(trace) == [(CHAIN, 1.0)]


def test_without_call_graphs_the_frame_stands_in_the_samples_line() -> None:
    trace = read(
        "prog 7 1.0: 5 cycles:  ffff81 do_work+0x1 ([kernel.kallsyms])\nprog 7 2.0: 5 cycles: 0 [unknown] (/x)\n"
    )
    assert [path for path, _ in stacks(trace)] == ["do_work", "??? (/x)"]


@pytest.mark.parametrize("command", ["dd", "a b", "2 3", "node 7/8"])
def test_a_command_may_look_like_an_address(command: str) -> None:
    line = "7 [000] {}.0: 5 cycles:  ffff81 do_work+0x1 ([kernel.kallsyms])"
    trace = read("".join(f"{command:>16} {line.format(second)}\n" for second in (1, 2)))
    assert [path for path, _ in stacks(trace)] == ["do_work"] * 2
    assert trace.profiles[0].name == f"{command} (tid 7)"


def test_what_is_no_sample_is_counted_and_samples_out_of_order_are_sorted() -> None:
    trace = read(
        f"# captured on: today\nprog 7 2.0: cycles:\n{STACK}prog 7 1.0: cycles:\n\t 1 late (/a (deleted))\n\n"
        "Warning: lost 12 events\n\n"
    )
    assert [path for path, _ in stacks(trace)] == ["late", CHAIN]
    assert trace.frame_file(0) == "/a (deleted)"
    assert warnings(trace) == {"unread_lines": 1, "clock_backwards": 1}


def test_steps_of_time_are_added_up() -> None:
    """What `perf script --deltatime` prints of samples after 0, 2, 3, 3.5, 5 and 5.25 seconds."""
    steps = [0, 2, 1, 0.5, 1.5, 0.25]
    trace = read("".join(f"prog 7 {step:.6f}: cycles:\n{STACK}" for step in steps))
    samples = trace.profiles[0].samples
    assert samples is not None
    assert samples.time.tolist() == [0, 2 * SECOND, 3 * SECOND, 3_500_000_000, 5 * SECOND, 5_250_000_000]
    assert warnings(trace) == {"time_steps": len(steps)}


def test_few_samples_out_of_order_are_no_steps() -> None:
    times = [0.0, *(second + 1 for second in range(20))]
    times[4], times[5] = times[5], times[4]
    trace = read("".join(f"prog 7 {time:.6f}: cycles:\n{STACK}" for time in times))
    assert trace.duration_ns == 21 * SECOND
    assert warnings(trace) == {"clock_backwards": 1}


def test_a_sample_without_a_stack_is_idle() -> None:
    trace = read(f"prog 7 1.0: cycles:\n{STACK}prog 7 2.0: cycles:\n\nprog 7 3.0: cycles:\n{STACK}")
    assert [path for path, _ in stacks(trace)] == [CHAIN, "", CHAIN]


def test_the_text_may_be_cut_anywhere(fixtures: Path) -> None:
    text = gzip.decompress((fixtures / "thumbnails.linux-perf.txt.gz").read_bytes())[:9_000]
    for cut in range(2_000, len(text), 97):
        read(text[:cut])


def test_a_long_line_of_parentheses_takes_no_time_to_refuse() -> None:
    trace = read(f"prog 7 1.0: cycles:\n{STACK}" + "( (" * 200_000 + "\n" + "a" + " " * 500_000 + "b\n")
    assert warnings(trace) == {"unread_lines": 2}


def test_text_with_times_is_not_taken_for_perf() -> None:
    with pytest.raises(UnrecognisedTrace):
        read("server 12 12.500000: started: yes\nserver 12 13.500000: stopped: yes\n")


def test_a_large_recording_has_every_sample(shared: Path) -> None:
    trace = read_trace((shared / "traces" / "perf-multi-pid.linux-perf.txt.gz").read_bytes(), name="unknown")
    text = gzip.decompress((shared / "traces" / "perf-multi-pid.linux-perf.txt.gz").read_bytes())
    samples = sum(len(stacks(trace, p.index)) for p in trace.profiles)
    assert samples == text.count(b" cpu-clock:ppp: \n")
    assert "??? ([unknown])" not in {name for name, _ in own_values(trace)}


def test_a_tab_behind_an_address_is_as_good_as_a_blank() -> None:
    """As Android's simpleperf prints it."""
    text = (
        "\nGecko\t25122 [007] 115539.936601:\t\t1000000 task-clock:u:\n"
        "        b3cea6c4\tLock::unlock() (/system/lib/libc.so)\n        b3cea535\tmain (/system/bin/app)\n\n"
        "Gecko\t25122 [007] 115539.937601:\t\t1000000 task-clock:u:\n        b3cea535\tmain (/system/bin/app)\n"
    )
    trace = read_trace(text.encode(), name="recorded")
    check(trace)
    assert (trace.format, trace.warnings) == ("linux-perf", ())
    assert {trace.frame_name(frame) for frame in range(len(trace.frames))} == {"main", "Lock::unlock()"}
    assert [(p.tid, len(p.samples or ())) for p in trace.profiles] == [("25122", 2)]


def test_a_tracepoint_says_more_on_its_line_and_has_its_stack_below() -> None:
    said = "prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=5 next_prio=120"
    stack = "\tffffffff81a sched+0x1 ([kernel.kallsyms])\n\tffffffff82b idle+0x3 ([kernel.kallsyms])\n\n"
    text = "".join(f"swapper     0 [000] {10 + at}.000000: sched:sched_switch: {said}\n{stack}" for at in range(3))
    trace = read(text)
    assert trace.format == "linux-perf"
    assert {path for path, _ in stacks(trace)} == {"idle;sched"}
    assert len(stacks(trace)) == 3


def test_what_perf_says_it_lost_is_counted_and_is_no_line_that_was_skipped() -> None:
    lost = "prog  7 [000]    11.500000: PERF_RECORD_LOST lost 5\nprog 7 12.1: PERF_RECORD_LOST_SAMPLES lost 37\n"
    trace = read(recorded([0, 1], "cycles") + lost + recorded([2], "cycles"))
    assert warnings(trace) == {"lost": 42}
    assert warnings(read(recorded([0], "cycles") + "nothing of the kind: lost 3\n")) == {"unread_lines": 1}
