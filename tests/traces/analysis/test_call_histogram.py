"""All calls of a function as a histogram: each call is in one bar, and the slowest are the longest."""

import json

from hypothesis import given
from hypothesis import strategies as st

from traces.analysis.call_histogram import SLOWEST, single_calls
from traces.reader import read_trace


@given(st.lists(st.integers(0, 50_000), min_size=1, max_size=60))
def test_each_call_is_in_one_bar_and_the_slowest_are_the_longest(lengths: list[int]) -> None:
    events, at = [], 0
    for lasted in lengths:
        events.append({"ph": "X", "name": "f", "ts": at, "dur": lasted, "pid": 1, "tid": 1})
        at += lasted + 1
    trace = read_trace(json.dumps(events).encode(), name="calls.json")
    found = single_calls(trace, 0, 0)
    assert found is not None
    assert (found.calls, sum(found.bars), len(found.edges)) == (len(lengths), len(lengths), len(found.bars) + 1)
    assert list(found.edges) == sorted(found.edges)
    longest = sorted(lengths, reverse=True)[:SLOWEST]
    assert [one.duration for one in found.slowest] == [lasted * 1000 for lasted in longest]
    if max(lengths) > min(lengths):
        assert found.bars[-1] >= 1
        assert found.bars[0] >= 1


def test_samples_know_no_calls() -> None:
    assert single_calls(read_trace(b"a;b 3\na 1\n", name="x"), 0, 0) is None
