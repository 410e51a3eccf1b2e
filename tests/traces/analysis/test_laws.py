"""Laws that hold for any trace: random stacks and slices, the answers compared with slow and obvious ones."""

import itertools
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.analysis.boxes import Boxes
from traces.analysis.calltree import call_tree
from traces.analysis.functions import top_functions
from traces.analysis.sandwich import callers_callees
from traces.analysis.view_layout import left_heavy, sandwich_layout, time_order
from traces.analysis.window import Window, node_values
from traces.builder import TraceBuilder
from traces.cache import decode, encode
from traces.errors import DamagedTrace
from traces.invariants import check
from traces.model import Trace
from traces.nesting import nest_slices
from traces.reader import read_trace
from traces.stacks import StackTable

LAWS = settings(max_examples=20, deadline=None, derandomize=True)
NAMES = "abcd"
Stack = list[int]

stacks = st.lists(
    st.tuples(st.lists(st.integers(0, 3), max_size=6), st.integers(0, 50)), min_size=1, max_size=20
).filter(lambda rows: any(stack and weight for stack, weight in rows))
slices = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 20), st.integers(0, 3)), min_size=1, max_size=20
)  # start, duration, frame


def sampled(rows: list[tuple[Stack, int]]) -> Trace:
    builder = TraceBuilder("sampled", "test")
    frames = [builder.frame(name) for name in NAMES]
    table = StackTable()
    leaves = table.leaves([[frames[i] for i in stack] for stack, _ in rows])
    builder.add_sampled("samples", table, leaves, [np.array([weight for _, weight in rows])])
    return builder.build(content_key="0" * 64, source_bytes=1)


def evented(rows: list[tuple[int, int, int]]) -> Trace:
    builder = TraceBuilder("evented", "test")
    frames = [builder.frame(name) for name in NAMES]
    start, duration, frame = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    nested = nest_slices(start, start + duration, np.array(frames, np.int32)[frame])
    builder.add_evented("slices", nested)
    return builder.build(content_key="0" * 64, source_bytes=1)


traces = st.one_of(stacks.map(sampled), slices.map(evented))


@LAWS
@given(traces)
def test_every_built_trace_keeps_the_invariants_and_survives_the_cache(trace: Trace) -> None:
    check(trace)
    again = decode(b"".join(encode(trace)))
    check(again)
    assert b"".join(encode(again)) == b"".join(encode(trace))
    assert again.frame_names == trace.frame_names
    assert top_functions(again) == top_functions(trace)


@LAWS
@given(stacks)
def test_function_values_are_the_sums_of_the_samples(rows: list[tuple[Stack, int]]) -> None:
    shown = {row.name: (row.self_value, row.total_value) for row in top_functions(sampled(rows), limit=99).rows}
    for index, name in enumerate(NAMES):
        own = sum(weight for stack, weight in rows if stack and stack[-1] == index)
        total = sum(weight for stack, weight in rows if index in stack)  # once, however often it recurs
        assert shown.get(name, (0, 0)) == (own, total)


@LAWS
@given(traces, st.integers(0, 40), st.integers(1, 40))
def test_windows_that_share_an_edge_add_up_to_the_total(trace: Trace, cut: int, length: int) -> None:
    profile = trace.profiles[0]
    low, high = float(profile.axis_start) - 1, float(profile.axis_end) + 1
    edges = sorted({low, min(max(cut, low), high), min(max(cut + length, low), high), high})
    parts = [node_values(profile, Window(a, b)).total_value for a, b in itertools.pairwise(edges)]
    assert (np.sum(parts, axis=0) == node_values(profile).total_value).all()


@LAWS
@given(traces)
def test_callers_and_callees_add_up_to_the_function(trace: Trace) -> None:
    for frame in range(len(trace.frames)):
        sandwich = callers_callees(trace, frame)
        assert sum(row.value for row in sandwich.callers) == sandwich.frame.total_value
        inside = sum(row.value for row in sandwich.callees) + sandwich.frame.self_value
        assert inside == sandwich.frame.total_value
        layout = sandwich_layout(trace, frame)
        if sandwich.frame.total_value:
            assert layout.callees.end[0] - layout.callees.start[0] == sandwich.frame.total_value
        assert_boxes_are_disjoint(layout.callers)
        assert_boxes_are_disjoint(layout.callees)


@LAWS
@given(traces, st.integers(0, 30))
def test_boxes_of_one_row_are_disjoint_in_order_and_inside_their_parents(trace: Trace, start: int) -> None:
    window = Window(start, start + 15)
    for layout in (
        time_order(trace),
        left_heavy(trace),
        time_order(trace, window=window),
        left_heavy(trace, window=window),
        time_order(trace, max_boxes=5),
    ):
        assert_boxes_are_disjoint(layout.boxes)
        assert layout.total - layout.merged == len(layout.boxes)


def assert_boxes_are_disjoint(boxes: Boxes) -> None:
    above: list[tuple[float, float]] = []
    for first, last in zip(boxes.row_offsets, boxes.row_offsets[1:], strict=False):
        row = list(zip(boxes.start[first:last].tolist(), boxes.end[first:last].tolist(), strict=True))
        assert all(start < end for start, end in row)
        assert all(left[1] <= right[0] for left, right in itertools.pairwise(row))
        if first:
            assert all(any(a <= start and end <= b for a, b in above) for start, end in row)
        above = row
    assert (boxes.start >= boxes.axis_start).all()
    assert (boxes.end <= boxes.axis_end).all()


@LAWS
@given(traces, st.integers(1, 6), st.booleans())
def test_a_budgeted_tree_is_connected_heaviest_first_and_says_what_it_left_out(
    trace: Trace, budget: int, inverted: bool
) -> None:
    tree = call_tree(trace, max_nodes=budget, inverted=inverted)
    assert 1 <= len(tree.nodes) <= budget
    for index, node in enumerate(tree.nodes):
        assert node.parent < index
        assert node.depth == (tree.nodes[node.parent].depth + 1 if node.parent >= 0 else 0)
        shown = [child for child in tree.nodes if child.parent == index]
        assert node.total_value == node.self_value + node.hidden_value + sum(child.total_value for child in shown)
        assert [c.total_value for c in shown] == sorted((c.total_value for c in shown), reverse=True)
    roots = sum(node.total_value for node in tree.nodes if node.parent < 0)
    assert roots + tree.cut_value - sum(node.hidden_value for node in tree.nodes) == tree.scope_total


@LAWS
@given(st.recursive(st.just([]), lambda inner: st.lists(inner, max_size=3), max_leaves=12))
def test_begin_and_end_events_say_the_same_as_complete_ones(shape: list[Any]) -> None:
    pairs: list[dict[str, Any]] = []
    complete: list[dict[str, Any]] = []
    clock = 0
    pending: list[tuple[str, list[Any], int]] = [("open", shape, 0)]
    while pending:
        act, calls, began = pending.pop()
        clock += 1
        common = {"name": NAMES[len(calls)], "pid": 1, "tid": 1, "ts": clock}
        if act == "open":
            pairs.append({**common, "ph": "B"})
            pending.append(("close", calls, clock))
            pending.extend(("open", call, 0) for call in reversed(calls))
        else:
            pairs.append({**common, "ph": "E"})
            complete.append({**common, "ph": "X", "ts": began, "dur": clock - began})
    by_pairs, by_durations = (read_trace(json.dumps(e).encode(), name="t") for e in (pairs, complete))
    assert b"".join(encode(by_pairs))[4096:] == b"".join(encode(by_durations))[4096:]


@pytest.mark.parametrize("at", [0, 9, 13, 40, 300])
def test_a_cache_file_with_a_changed_byte_in_its_header_is_refused(at: int) -> None:
    data = bytearray(b"".join(encode(sampled([([0, 1], 5)]))))
    data[at] ^= 1
    with pytest.raises(DamagedTrace, match="made again"):
        decode(bytes(data))


@pytest.mark.parametrize("cut", [0, 8, 100, 5000, -1])
def test_a_cut_cache_file_is_refused(cut: int) -> None:
    with pytest.raises(DamagedTrace):
        decode(b"".join(encode(sampled([([0, 1], 5)])))[:cut])


def test_answers_travel_between_processes() -> None:
    trace = sampled([([0, 1], 5), ([0], 3)])
    for answer in (top_functions(trace), call_tree(trace), callers_callees(trace, 0), time_order(trace)):
        assert type(pickle.loads(pickle.dumps(answer))) is type(answer)


@LAWS
@given(traces, st.integers(1, 6))
def test_an_inverted_tree_shows_the_same_whether_or_not_all_callers_were_followed(trace: Trace, budget: int) -> None:
    shown = call_tree(trace, max_nodes=budget, inverted=True)
    complete = call_tree(trace, max_nodes=10_000, inverted=True)
    assert complete.cut_nodes == 0
    values = sorted((node.total_value for node in complete.nodes), reverse=True)
    assert sorted((node.total_value for node in shown.nodes), reverse=True) == values[:budget]
