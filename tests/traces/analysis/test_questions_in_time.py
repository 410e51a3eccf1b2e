"""Durations of calls, hottest windows, longest spans and comparisons, against slow and obvious answers."""

import itertools
import pickle
import statistics
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.analysis.calltree import call_tree
from traces.analysis.compare import compare_traces
from traces.analysis.filters import FrameFilter
from traces.analysis.functions import top_functions
from traces.analysis.hottest_windows import STEPS, hottest_windows
from traces.analysis.longest import longest_spans
from traces.analysis.window import Window, node_values, root_total
from traces.builder import TraceBuilder
from traces.errors import InvalidQuestion
from traces.handles import ALL
from traces.model import Trace
from traces.nesting import nest_slices
from traces.stacks import StackTable
from traces.values import Unit, ValueType

LAWS = settings(max_examples=25, deadline=None, derandomize=True)
NAMES = "abcd"
Slices = list[tuple[int, int, int]]
Rows = list[tuple[list[int], int]]

slices = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30), st.integers(0, 3)), min_size=1, max_size=15)
samples = st.lists(
    st.tuples(st.lists(st.integers(0, 3), max_size=5), st.integers(1, 9)), min_size=1, max_size=15
).filter(lambda rows: any(stack for stack, _ in rows))


def evented(*threads: Slices) -> Trace:
    builder = TraceBuilder("evented", "test")
    frames = np.array([builder.frame(name) for name in NAMES], np.int32)
    for rows in threads:
        start, duration, frame = (np.array(column, np.int64) for column in zip(*rows, strict=True))
        builder.add_evented("thread", nest_slices(start, start + duration, frames[frame]))
    return builder.build(content_key="0" * 64, source_bytes=1)


def sampled(rows: Rows, names: str = NAMES, file: str | None = None) -> Trace:
    builder = TraceBuilder("sampled", "test")
    frames = [builder.frame(name, file) for name in names]
    stacks = StackTable()
    leaves = stacks.leaves([[frames[i] for i in stack] for stack, _ in rows])
    builder.add_sampled("samples", stacks, leaves, [np.array([weight for _, weight in rows], np.int64)])
    return builder.build(content_key="0" * 64, source_bytes=1)


def spans_of(trace: Trace) -> list[tuple[str, float, float]]:
    """Name, start and end of each span, straight from the columns."""
    found = []
    for p in trace.profiles:
        assert p.spans is not None
        names = [trace.frame_names[f] for f in p.tree.frame[p.spans.node]]
        found += list(zip(names, p.spans.start.tolist(), p.spans.end.tolist(), strict=True))
    return found


@LAWS
@given(st.lists(slices, min_size=1, max_size=2))
def test_durations_of_calls_are_those_of_the_spans(threads: list[Slices]) -> None:
    trace = evented(*threads)
    durations: dict[str, list[float]] = defaultdict(list)
    for name, start, end in spans_of(trace):
        durations[name].append(end - start)
    for row in top_functions(trace, profile=ALL, durations=True).rows:
        known = sorted(durations[row.name])
        assert row.durations is not None
        assert row.durations.calls == row.count == len(known)
        assert (row.durations.least, row.durations.longest) == (known[0], known[-1])
        assert row.durations.median == statistics.median(known)
        assert row.durations.p99 == known[-(-len(known) * 99 // 100) - 1]


def test_the_99th_percentile_is_not_the_longest_of_200_calls() -> None:
    trace = evented([(100 * i, i % 90 + 1, 0) for i in range(200)])
    durations = top_functions(trace, durations=True).rows[0].durations
    assert durations is not None
    assert (durations.least, durations.median, durations.p99, durations.longest) == (1, 40.5, 89, 90)


def test_durations_in_a_window_are_full_durations_of_calls_that_touch_it() -> None:
    trace = evented([(0, 10, 0), (20, 30, 0)])
    durations = top_functions(trace, durations=True, window=Window(40, 45)).rows[0].durations
    assert durations is not None
    assert (durations.calls, durations.least) == (1, 30)


def test_samples_know_no_durations_of_calls() -> None:
    assert top_functions(sampled([([0], 5)]), durations=True).rows[0].durations is None


@LAWS
@given(st.one_of(slices.map(evented), samples.map(sampled)), st.integers(4, 40))
def test_the_hottest_window_holds_the_most_of_all_windows_on_the_grid(trace: Trace, length: int) -> None:
    profile = trace.profiles[0]
    span = profile.axis_end - profile.axis_start
    windows = hottest_windows(trace, length=length, limit=3)
    reach = min(length, span)

    def amount_in(window: Window) -> float:
        return root_total(profile.tree, node_values(profile, window).total_value)

    for row in windows.rows:
        assert row.value == pytest.approx(amount_in(Window(row.start, row.start + reach)), abs=1 + 1e-6 * reach)
        assert row.share == pytest.approx(row.value / windows.scope_total)
    grid = [profile.axis_start + i * reach / STEPS for i in range(int(span / reach * STEPS) + 1)]
    best = max(amount_in(Window(start, start + reach)) for start in grid)
    assert windows.rows[0].value == pytest.approx(best, abs=2)  # edges between nanoseconds are rounded outwards there
    ordered = sorted(windows.rows, key=lambda row: row.start)
    assert all(a.end <= b.start + 1e-6 for a, b in itertools.pairwise(ordered))


def test_the_hottest_window_of_a_function_is_where_that_function_ran() -> None:
    trace = evented([(0, 100, 0), (10, 5, 1), (70, 20, 1), (200, 200, 2)])
    windows = hottest_windows(trace, length=20, frame=1)
    assert (windows.rows[0].start, windows.rows[0].end, windows.rows[0].value) == (70, 90, 20)
    assert windows.rows[0].busy == 1
    assert windows.rows[0].functions[0].name == "b"
    assert windows.scope_total == 25
    with pytest.raises(InvalidQuestion, match="longer than"):
        hottest_windows(trace, length=1e-6)


@LAWS
@given(
    st.one_of(st.lists(slices, min_size=2, max_size=2).map(lambda rows: evented(*rows)), samples.map(sampled)),
    st.integers(4, 40),
    st.sampled_from([None, *NAMES]),
)
def test_the_hottest_windows_of_a_function_hold_its_total_of_all_profiles_as_one(
    trace: Trace, length: int, hidden: str | None
) -> None:
    kept = FrameFilter(hide=hidden) if hidden else None
    for frame, name in enumerate(trace.frame_names):
        if name == hidden:
            continue
        found = hottest_windows(trace, profile=ALL, frame=frame, length=length, frame_filter=kept)
        for row in found.rows:
            window = Window(row.start, row.end)
            inside = top_functions(trace, profile=ALL, window=window, frame_filter=kept, limit=99).rows
            total = sum(other.total_value for other in inside if other.frame == frame)
            assert row.value == pytest.approx(total, abs=2 * len(trace.profiles))  # edges are rounded outwards there


@LAWS
@given(st.lists(slices, min_size=1, max_size=2), st.sampled_from(["", *NAMES]), st.integers(1, 8))
def test_the_longest_spans_are_the_longest(threads: list[Slices], pattern: str, limit: int) -> None:
    trace = evented(*threads)
    known = sorted((end - start for name, start, end in spans_of(trace) if pattern in name), reverse=True)
    found = longest_spans(trace, profile=ALL, pattern=pattern or None, limit=limit)
    assert [row.duration for row in found.rows] == known[:limit]
    assert found.total_rows == len(known)
    window = Window(20, 30)
    touching = [end - start for _, start, end in spans_of(trace) if start < 30 and end > 20]
    assert sorted(row.duration for row in longest_spans(trace, profile=ALL, window=window, limit=99).rows) == sorted(
        touching
    )


def test_a_budgeted_tree_counts_the_nodes_it_cut() -> None:
    trace = sampled([([0, 1, 2], 5), ([0, 3], 4), ([1], 3)])
    cut = [call_tree(trace, max_nodes=budget).cut_nodes for budget in (1, 3, 5, 9)]
    assert cut == [4, 2, 0, 0]


def test_runs_of_samples_stand_for_calls_and_say_so() -> None:
    found = longest_spans(sampled([([0, 1], 5), ([0, 1], 5), ([0, 2], 4), ([3], 1)]))
    assert [(row.name, row.duration) for row in found.rows] == [("a", 14), ("b", 10), ("c", 4), ("d", 1)]
    assert not found.exact
    assert [row.name for row in longest_spans(sampled([([0, 1], 5), ([3], 1)]), outermost=True).rows] == ["a", "d"]


@LAWS
@given(samples, samples)
def test_a_comparison_says_for_each_function_what_both_traces_say(before: Rows, after: Rows) -> None:
    old, new = sampled(before), sampled(after, names=NAMES[::-1])  # the same names have other numbers there
    ours = {row.name: row for row in top_functions(old, limit=99).rows}
    theirs = {row.name: row for row in top_functions(new, limit=99).rows}
    compared = compare_traces(old, new, normalise=False, limit=99)
    assert {row.name for row in compared.rows} == set(ours) | set(theirs)
    for row in compared.rows:
        one, other = ours.get(row.name), theirs.get(row.name)
        assert row.self_change == (other.self_value if other else 0) - (one.self_value if one else 0)
        assert row.total_change == (other.total_value if other else 0) - (one.total_value if one else 0)
        assert (row.status == "new", row.status == "vanished") == (one is None, other is None)
        assert row.total_share_after == (other.total_share if other else 0)
    changes = [abs(row.self_change) for row in compared.rows]
    assert changes == sorted(changes, reverse=True)
    scaled = compare_traces(old, new, limit=99)
    assert sum(row.self_change for row in scaled.rows) == pytest.approx(0, abs=1e-6)


def test_a_trace_does_not_differ_from_itself_recorded_twice_as_long() -> None:
    once = sampled([([0, 1], 5), ([0], 3)])
    twice = sampled([([0, 1], 5), ([0], 3), ([0, 1], 5), ([0], 3)])
    assert {row.status for row in compare_traces(once, twice).rows} == {"same"}
    unscaled = compare_traces(once, twice, normalise=False)
    assert {row.status for row in unscaled.rows} == {"grew"}
    assert any("much more" in note for note in unscaled.notes)


def test_functions_of_one_name_and_file_are_one_even_when_they_call_each_other() -> None:
    def recorded(lines: list[int]) -> Trace:
        builder = TraceBuilder("t", "test")
        stacks = StackTable()
        leaf = stacks.leaves([[builder.frame("walk", "a.py", line) for line in lines]])
        builder.add_sampled("p", stacks, leaf, [np.array([10], np.int64)])
        return builder.build(content_key="0" * 64, source_bytes=1)

    compared = compare_traces(recorded([1, 2]), recorded([3]))
    assert [(row.total_before, row.total_after, row.status) for row in compared.rows] == [(10, 10, "same")]


def test_what_is_not_measured_alike_is_not_compared() -> None:
    builder = TraceBuilder("memory", "test")
    stacks = StackTable()
    leaf = stacks.leaves([[builder.frame("a")]])
    builder.add_sampled("heap", stacks, leaf, [np.array([10])], values=(ValueType("space", Unit.BYTES),))
    memory = builder.build(content_key="0" * 64, source_bytes=1)
    with pytest.raises(InvalidQuestion, match="measures nanoseconds and memory bytes"):
        compare_traces(sampled([([0], 1)]), memory)


def test_these_answers_travel_between_processes_too() -> None:
    trace = evented([(0, 10, 0), (1, 3, 1)])
    for answer in (
        top_functions(trace, durations=True),
        hottest_windows(trace),
        longest_spans(trace),
        compare_traces(trace, trace),
    ):
        assert pickle.loads(pickle.dumps(answer)) == answer
