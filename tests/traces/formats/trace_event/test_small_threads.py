"""Threads that are added together are what each is when it is added alone."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.traces.stacks_of_traces import read
from traces.analysis import small_trees
from traces.analysis.summary import summarise
from traces.formats.trace_event import small_threads
from traces.invariants import check
from traces.model import Trace

Row = tuple[str, str | None, int, int]
names = st.sampled_from(["a", "b", "c", None])
slices = st.tuples(st.just("X"), names, st.integers(0, 20), st.integers(0, 9))
pairs = st.tuples(st.sampled_from("BBE"), names, st.integers(0, 20), st.just(0))
threads = st.lists(
    st.one_of(
        st.lists(slices, min_size=1, max_size=5),
        st.lists(pairs, min_size=1, max_size=6),
        st.lists(st.one_of(slices, pairs), min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=6,
)


def events(of_threads: list[list[Row]]) -> str:
    said: list[dict[str, Any]] = []
    for tid, rows in enumerate(of_threads):
        for phase, name, at, lasting in rows:
            event = {"ph": phase, "pid": 1, "tid": tid, "ts": at, "args": {"at": at} if at % 3 == 0 else {}}
            said.append(event | ({"name": name} if name else {}) | ({"dur": lasting} if phase == "X" else {}))
    return json.dumps(said)


def columns(trace: Trace) -> list[Any]:
    found: list[Any] = [trace.default_profile, trace.warnings, trace.frame_names]
    for profile in trace.profiles:
        spans, tree = profile.spans, profile.tree
        assert spans is not None
        found += [profile.name, profile.tid, profile.axis_start, profile.axis_end, spans.depth, spans.self_value]
        found += [getattr(spans, name) for name in spans.__dataclass_fields__]
        found += [
            tree.frame,
            tree.parent,
            tree.depth,
            tree.count,
            tree.outermost,
            *tree.self_values,
            *tree.total_values,
        ]
    return found


def assert_same(one: Trace, other: Trace) -> None:
    for mine, theirs in zip(columns(one), columns(other), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@given(threads)
@example([[("X", "a", 0, 0)], [("B", "a", 0, 0)] * 6, [("B", "a", 0, 0)] * 5 + [("E", "b", 0, 0)]])
def test_threads_added_together_are_as_those_added_alone(
    of_threads: list[list[Row]],
) -> None:
    data = events(of_threads)
    if not any(phase != "E" for rows in of_threads for phase, *_ in rows):
        return
    together = read(data)
    check(together)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small_threads, "SMALL_SLICES", 0)
        assert_same(together, read(data))


def test_a_thread_whose_ends_do_not_match_stands_where_it_would_between_others() -> None:
    good: list[Row] = [("B", "a", 3, 0), ("E", "a", 4, 0)]
    trace = read(events([good, [("B", "a", 1, 0), ("E", "b", 2, 0)], good, good]))
    assert [profile.tid for profile in trace.profiles] == ["0", "1", "2", "3"]
    assert [len(profile.spans.unfinished) for profile in trace.profiles if profile.spans is not None] == [0, 1, 0, 0]


@given(threads)
def test_small_trees_are_summed_up_together_as_each_alone(
    of_threads: list[list[Row]],
) -> None:
    words = {"a": "RunTask", "b": "(program)", "c": "futex_wait", None: "0xabc0"}
    data = events([[(phase, words[name], at, lasting) for phase, name, at, lasting in rows] for rows in of_threads])
    if not any(phase != "E" for rows in of_threads for phase, *_ in rows):
        return
    together = summarise(read(data))
    assert len(list(together.profiles)) == len(together.profiles)  # made now, with what small trees add up
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small_trees, "SMALL_NODES", 0)
        assert summarise(read(data)) == together
