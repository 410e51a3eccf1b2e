"""What a recording is: order in time, counts, waiting, clock and role, as importers set them and questions ask them."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.traces.insights.recorded import finished, frame, sampled, timeline, values
from tests.traces.stacks_of_traces import read
from traces.analysis.find import find_frames
from traces.analysis.functions import top_functions
from traces.analysis.hottest_windows import hottest_windows
from traces.analysis.longest import longest_spans
from traces.analysis.sandwich import callers_callees
from traces.analysis.summary import summarise
from traces.analysis.time_axis import duration_ns
from traces.analysis.view_layout import time_order
from traces.analysis.window import Window
from traces.builder import TraceBuilder
from traces.cache import decode, encode
from traces.counting import integer_counts
from traces.errors import NoTimes
from traces.formats.facts_table import facts_table
from traces.formats.format import SAMPLED, sums
from traces.handles import ALL
from traces.insights.registry import insights
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace
from traces.stacks import StackTable
from traces.values import Clock, Counts, Order, Role, RoleRule, Unit, Waits

DOCS = Path(__file__).parents[2] / "docs"
CPROFILE = "redact-documents.cprofile.prof"
MS = 1_000_000


def recording(fixtures: Path, name: str) -> Trace:
    return read_trace((fixtures / name).read_bytes(), name=name)


def counts_of(trace: Trace, *names: str) -> dict[str, int | None]:
    table = top_functions(trace, limit=len(trace.frames))
    return {row.name: row.count for row in table.rows if row.name in names}


def test_cprofile_counts_calls_and_knows_no_moment(fixtures: Path) -> None:
    trace = recording(fixtures, CPROFILE)
    profile = trace.profiles[0]
    assert (profile.order, profile.counts, profile.waits, profile.clock) == (
        Order.NONE,
        Counts.CALLS,
        Waits.BOTH,
        Clock.NONE,
    )
    names = ("luhn_sum", "<built-in method builtins.ord>")
    assert counts_of(trace, *names) == {"luhn_sum": 7_279, "<built-in method builtins.ord>": 1_397_585}
    summary = summarise(trace)
    assert (summary.duration_ns, summary.profiles[0].idle_share, summary.profiles[0].quality.rate_hz) == (None,) * 3
    assert summary.profiles[0].quality.interval_ns is None
    assert "how often each function was called" in summary.can_answer
    assert not any("what happened when" in answer for answer in summary.can_answer)
    said = " ".join(
        (
            *summary.cannot_answer,
            *(one.said(lambda evidence: evidence.name) for one in insights(trace) if one.state == "fail"),
        )
    )
    assert "sums per stack: it has no times" in said
    for word in ("samples came", "samples are so far apart", "Samples of", "a second"):
        assert word not in said


def test_callers_and_searches_show_calls_too(fixtures: Path) -> None:
    trace = recording(fixtures, CPROFILE)
    found = find_frames(trace, "luhn_sum")
    assert (found.rows[0].count, found.counted) == (7_279, "calls")
    around = callers_callees(trace, found.rows[0].frame)
    assert (around.frame.count, around.counted) == (7_279, "calls")


def test_calls_of_callgrind_and_uftrace_are_those_of_their_files(fixtures: Path) -> None:
    callgrind = recording(fixtures, "thumbnails.callgrind.out.gz")
    text = gzip.decompress((fixtures / "thumbnails.callgrind.out.gz").read_bytes()).decode()
    assert callgrind.profiles[0].counts is Counts.CALLS
    calls = sum(int(line[6:].split()[0]) for line in text.splitlines() if line.startswith("calls="))
    assert sum(row.count or 0 for row in top_functions(callgrind, limit=10_000).rows) <= calls
    assert int(callgrind.profiles[0].tree.count.sum()) == calls
    uftrace = recording(fixtures, "thumbnails.uftrace.json.gz")
    events = json.loads(gzip.decompress((fixtures / "thumbnails.uftrace.json.gz").read_bytes()))["traceEvents"]
    begins: dict[str, int] = {}
    for event in events:
        if event["ph"] == "B":
            begins[event["name"]] = begins.get(event["name"], 0) + 1
    assert counts_of(uftrace, *begins) == {name: begins[name] for name in counts_of(uftrace, *begins)}
    assert uftrace.profiles[0].counts is Counts.CALLS


def test_gprof2dot_counts_calls_where_a_cost_is_called_so() -> None:
    costs = [{"description": "Time", "unit": "s"}, {"description": "Calls", "unit": ""}]
    events = [{"callchain": [1, 0], "cost": [2, 7]}, {"callchain": [0], "cost": [1, 1]}]
    functions = [{"name": "main"}, {"name": "parse"}]
    trace = read(json.dumps({"version": 0, "costs": costs, "functions": functions, "events": events}))
    assert trace.profiles[0].counts is Counts.CALLS
    assert counts_of(trace, "main", "parse") == {"main": 1, "parse": 7}


@pytest.mark.parametrize(
    ("name", "counts", "counted", "waits"),
    [
        ("settlement.go-cpu.pb.gz", Counts.SAMPLES, "samples", Waits.WORK),
        ("settlement.go-heap.pb.gz", Counts.EVENTS, "inuse_objects", Waits.NEITHER),
        ("search-index.node-wall.pb.gz", Counts.SAMPLES, "samples", Waits.BOTH),
    ],
)
def test_pprof_counts_what_its_type_says_never_calls(
    fixtures: Path, name: str, counts: Counts, counted: str, waits: Waits
) -> None:
    profile = recording(fixtures, name).profiles[0]
    assert (profile.order, profile.counts, profile.count_name, profile.waits) == (Order.NONE, counts, counted, waits)
    assert int(profile.tree.count.sum()) == round(
        float(profile.tree.self_values[profile.facts.count_value or 0].sum())
    ), "all that the file counts is shown"


@pytest.mark.parametrize("name", [CPROFILE, "settlement.go-cpu.pb.gz", "thumbnails.callgrind.out.gz"])
def test_sums_refuse_every_question_about_moments(fixtures: Path, name: str) -> None:
    trace = recording(fixtures, name)
    window = Window(190 * MS, 444 * MS)
    for asked in (
        lambda: hottest_windows(trace),
        lambda: longest_spans(trace),
        lambda: time_order(trace),
        lambda: top_functions(trace, window=window),
        lambda: top_functions(trace, window=window, profile=ALL),
    ):
        with pytest.raises(NoTimes, match=r"sums per stack: it has no times.*can say which functions"):
            asked()


def test_stackprof_has_an_order_where_it_says_when_its_samples_were_taken() -> None:
    frames = {"1": {"name": "main"}, "2": {"name": "work"}}
    file = {
        "missed_samples": 0,
        "mode": "wall",
        "interval": 1_000,
        "frames": frames,
        "raw": [1, 1, 2, 2, 1, 2, 1],
    }
    timed = read(json.dumps(file | {"raw_timestamp_deltas": [500, 1_500, 2_000]}))
    assert (timed.profiles[0].order, timed.profiles[0].waits) == (Order.TIME, Waits.BOTH)
    assert longest_spans(timed).rows[0].duration == 4 * MS
    assert "what happened when, and in which order" in summarise(timed).can_answer
    without = read(json.dumps(file))
    assert without.profiles[0].order is Order.NONE
    assert counts_of(without, "main", "work") == counts_of(timed, "main", "work") == {"main": 2, "work": 1}
    assert read(json.dumps(file | {"mode": "cpu"})).profiles[0].waits is Waits.WORK


def of_two(first: int, second: int, *, clock: Clock = Clock.TRACE) -> Trace:
    """Two threads of one sample of 10 ms each, at these milliseconds."""
    builder = TraceBuilder("small", "example")
    for number, start in enumerate((first, second)):
        stacks = StackTable()
        leaves = stacks.leaves([[frame(builder, "main")]])
        builder.add_sampled(
            f"thread {number}",
            stacks,
            leaves,
            [np.array([10 * MS])],
            time=np.array([start * MS]),
            facts=replace(SAMPLED, clock=clock),
        )
    return finished(builder)


def test_profiles_lie_on_one_axis_or_are_said_to_be_apart() -> None:
    together = of_two(1_000_000, 1_000_030)
    assert (duration_ns(together), [p.axis_start for p in together.profiles]) == (40 * MS, [0, 30 * MS])
    apart = of_two(0, 30, clock=Clock.OWN)
    assert duration_ns(apart) == 10 * MS
    assert any("2 profiles have each a clock of its own" in one for one in summarise(apart).cannot_answer)
    with pytest.raises(NoTimes, match="clock of its own"):
        hottest_windows(apart, profile=ALL)
    assert hottest_windows(apart).rows


def test_sums_next_to_moments_do_not_lengthen_the_recording() -> None:
    """As waits of JFR do: they lie end to end from 0, samples at their time since 1970."""
    builder = TraceBuilder("small", "example")
    begins = 1_700_000_000_000 * MS
    for name, time, facts in (("samples", np.array([begins]), None), ("waits", None, sums(waits=Waits.WAITING))):
        stacks = StackTable()
        leaves = stacks.leaves([[frame(builder, "main")]])
        builder.add_sampled(name, stacks, leaves, [np.array([9 * MS])], time=time, facts=facts)
    trace = finished(builder)
    check(trace)
    assert duration_ns(trace) == 9 * MS
    assert [(p.axis_start, p.axis_end) for p in trace.profiles] == [(0, 9 * MS)] * 2


def test_facts_survive_the_cache(fixtures: Path) -> None:
    for name in (CPROFILE, "invoices.jfr.gz", "thumbnails.perf-data.gz"):
        trace = recording(fixtures, name)
        again = decode(b"".join(bytes(part) for part in encode(trace)))
        assert [(p.facts, p.role, p.role_rule) for p in again.profiles] == [
            (p.facts, p.role, p.role_rule) for p in trace.profiles
        ]


def test_counts_of_estimated_paths_are_integers_and_add_up() -> None:
    frames = np.array([0, 1, 0, 1, 0], np.int32)
    counts = integer_counts(frames, np.array([0.4, 2.5, 0.4, 2.5, 0.2]))
    assert counts.dtype == np.int64
    assert np.bincount(frames, counts).tolist() == [1, 5]
    assert (counts >= 0).all()


def test_what_has_no_counts_shows_none() -> None:
    trace = values({"main": [5.0]}, [("allocated", Unit.BYTES)])
    table = top_functions(trace)
    assert (table.rows[0].count, table.counted) == (None, None)
    assert summarise(trace).profiles[0].count is None


@pytest.mark.parametrize(
    ("name", "pid", "tid", "role"),
    [
        ("CrRendererMain (pid 4, tid 4) tasks", "4", "4", (Role.MAIN, RoleRule.NAME)),
        ("python3 (pid 7, tid 7)", "7", "7", (Role.MAIN, RoleRule.PID_IS_TID)),
        ("python3 (pid 7, tid 8)", "7", "8", (Role.UNKNOWN, RoleRule.NONE)),
        ("Compositor (pid 4, tid 9)", "4", "9", (Role.COMPOSITOR, RoleRule.NAME)),
        ("ThreadPoolForegroundWorker (pid 4, tid 5)", "4", "5", (Role.POOL, RoleRule.NAME)),
        ("DedicatedWorker thread", "4", "6", (Role.WORKER, RoleRule.NAME)),
        ("GPU Process (pid 3), Chrome_ChildIOThread (tid 9)", "3", "9", (Role.IO, RoleRule.NAME)),
        ("GPU Process (pid 3), Watchdog (tid 5)", "3", "5", (Role.UNKNOWN, RoleRule.NONE)),
        ("swapper (tid 0)", "", "0", (Role.KERNEL, RoleRule.NAME)),
        ("GPU 0, stream 7", "GPU 0", "7", (Role.GPU, RoleRule.NAME)),
        ("", "", "", (Role.UNKNOWN, RoleRule.NONE)),
    ],
)
def test_a_threads_role_is_known_by_its_name_or_number(
    name: str, pid: str, tid: str, role: tuple[Role, RoleRule]
) -> None:
    builder = TraceBuilder("small", "example")
    stacks = StackTable()
    leaves = stacks.leaves([[frame(builder, "main")]])
    builder.add_sampled(name, stacks, leaves, [np.array([MS])], pid=pid, tid=tid)
    profile = finished(builder).profiles[0]
    assert (profile.role, profile.role_rule) == role


def test_calls_without_a_time_axis_have_no_moments_but_lengths() -> None:
    evented = {"type": "evented", "name": "p", "unit": "none", "startValue": 0, "endValue": 4}
    events = [{"type": "O", "frame": 0, "at": 0}, {"type": "C", "frame": 0, "at": 4}]
    trace = read(json.dumps({"shared": {"frames": [{"name": "main"}]}, "profiles": [evented | {"events": events}]}))
    assert (trace.profiles[0].order, trace.profiles[0].counts) == (Order.NONE, Counts.CALLS)
    assert longest_spans(trace).rows[0].duration == 4
    assert len(time_order(trace).boxes) == 1
    with pytest.raises(NoTimes, match="calls along an axis of count: it has no times"):
        hottest_windows(trace)


def test_the_table_in_the_documents_is_what_the_formats_say() -> None:
    assert facts_table() in (DOCS / "formats.md").read_text(encoding="utf-8"), "its docstring says how to print it"


def test_timelines_keep_all_their_questions() -> None:
    trace = timeline([("main", 0, 100), ("work", 10, 50)])
    assert hottest_windows(trace).rows
    assert longest_spans(trace).exact
    assert sampled({"main": 5}).profiles[0].has_times
