"""All functions as columns: the same figures as the list of top functions gives, of one thread, of all and of each."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.analysis.test_questions_in_time import Slices, evented, sampled, slices
from traces.analysis.durations import call_durations, duration_columns
from traces.analysis.function_columns import MOST_THREADS, FunctionColumns, function_columns
from traces.analysis.functions import top_functions
from traces.analysis.selection import select
from traces.analysis.window import Window
from traces.builder import TraceBuilder
from traces.handles import ALL, ProfileChoice
from traces.model import Trace
from traces.nesting import nest_slices

LAWS = settings(max_examples=25, deadline=None, derandomize=True)


def assert_same(trace: Trace, found: FunctionColumns, profile: ProfileChoice, window: Window | None) -> None:
    """The columns' rows of one thread, or of all, are those of the list."""
    table = top_functions(trace, profile=profile, window=window, limit=99, durations=True)
    handle = select(trace, profile).handle
    mine = [
        row for row in range(len(found.frame)) if found.thread is None or found.profiles[found.thread[row]] == handle
    ]
    assert {int(found.frame[row]) for row in mine} == {row.frame for row in table.rows}
    known = {row.frame: row for row in table.rows}
    for row in mine:
        one = known[int(found.frame[row])]
        assert (found.self_value[row], found.total_value[row]) == (one.self_value, one.total_value)
        assert (None if found.count is None else found.count[row]) == one.count
        durations = found.durations
        if one.durations is None:
            assert durations is None or durations.calls[row] == 0
        else:
            assert durations is not None
            assert durations.calls[row] == one.durations.calls
            assert (durations.median[row], durations.p99[row]) == (one.durations.median, one.durations.p99)
        if found.mean is not None:
            assert one.count is not None
            assert found.mean[row] == one.total_value / one.count if one.count else math.isnan(found.mean[row])


@LAWS
@given(st.lists(slices, min_size=1, max_size=3), st.sampled_from([None, Window(10, 40)]))
def test_columns_are_what_top_functions_says(threads: list[Slices], window: Window | None) -> None:
    trace = evented(*threads)
    each = function_columns(trace, by_thread=True, window=window)
    for index in range(len(threads)):
        assert_same(trace, function_columns(trace, profile=index, window=window), index, window)
        assert_same(trace, each, index, window)
    everything = function_columns(trace, profile=ALL, window=window)
    assert_same(trace, everything, ALL, window)
    assert each.scope_total == everything.scope_total
    assert each.self_value.sum() == everything.self_value.sum()
    assert (np.diff(each.self_value) <= 0).all()


def test_samples_have_counts_of_samples_and_no_times_of_calls() -> None:
    found = function_columns(sampled([([0, 1], 5), ([0], 2)]))
    assert (found.counted, found.mean, found.durations) == ("samples", None, None)
    assert found.count is not None
    assert found.count.tolist() == [1, 1]


def test_more_functions_than_16_bits_count_keep_their_own_durations() -> None:
    count = 70_000
    builder = TraceBuilder("many", "test")
    frames = np.array([builder.frame(f"f{index}") for index in range(count)], np.int32)
    starts = np.arange(count, dtype=np.int64) * 100_000
    builder.add_evented("thread", nest_slices(starts, starts + 1 + np.arange(count), frames))
    chosen = select(builder.build(content_key="0" * 64, source_bytes=1), 0)
    found = duration_columns(chosen, np.arange(count))
    assert found is not None
    assert (found.median == 1 + np.arange(count)).all()
    assert call_durations(chosen, [69_999])[69_999].longest == 70_000


def test_only_so_many_threads_are_listed_and_the_busiest_are() -> None:
    threads: list[Slices] = [[(0, 1 + index % 7, 0)] for index in range(MOST_THREADS + 20)]
    threads[-1] = [(0, 30, 1)]
    found = function_columns(evented(*threads), by_thread=True)
    assert (len(found.profiles), found.more_threads) == (MOST_THREADS, 20)
    assert found.profiles[found.thread[0] if found.thread is not None else -1] == f"p{len(threads) - 1}"
