"""Call graphs as call paths: what each function cost stays exact, whatever the graph looks like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.builder import TraceBuilder
from traces.formats.call_graph import call_paths
from traces.formats.call_graph.call_graph import CallGraph
from traces.formats.call_graph.call_paths import paths_of_graph
from traces.invariants import check
from traces.model import Trace
from traces.values import Unit, ValueType

VALUES = (ValueType("cost", Unit.COUNT), ValueType("calls", Unit.COUNT))
FUNCTIONS = 6
Calls = dict[tuple[int, int], float]


def trace_of(own: list[float], calls: Calls) -> Trace:
    builder = TraceBuilder("graph", "graph")
    graph = CallGraph(1)
    for number, cost in enumerate(own):
        graph.add_function(number, builder.frame(f"f{number}"))
        graph.add_own(number, [cost])
    for (caller, callee), cost in calls.items():
        graph.add_call(caller, callee, [cost], 1)
    stacks, leaves, columns = paths_of_graph(graph.columns(), builder)
    builder.add_sampled("graph", stacks, leaves, columns, values=VALUES)
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    check(trace)
    return trace


def sums(trace: Trace, value: int, *, total: bool = False) -> dict[str, float]:
    tree = trace.profiles[0].tree
    column = tree.total_values[value] * tree.outermost if total else tree.self_values[value]
    result: dict[str, float] = {}
    for frame, amount in zip(tree.frame.tolist(), column.tolist(), strict=True):
        result[trace.frame_names[frame]] = result.get(trace.frame_names[frame], 0.0) + amount
    return result


costs = st.floats(min_value=0, max_value=1e9, allow_subnormal=False)
edges = st.dictionaries(st.tuples(st.integers(0, FUNCTIONS - 1), st.integers(0, FUNCTIONS - 1)), costs, max_size=20)


@given(own=st.lists(costs, min_size=FUNCTIONS, max_size=FUNCTIONS), calls=edges)
def test_every_function_keeps_its_cost_and_its_number_of_calls(own: list[float], calls: Calls) -> None:
    own[0] += 1  # a trace without any cost is empty
    trace = trace_of(own, calls)
    ours, times = sums(trace, 0), sums(trace, 1)
    for number, cost in enumerate(own):
        assert ours.get(f"f{number}", 0.0) == pytest.approx(cost, rel=1e-9, abs=1e-3)
    expected = {f: sum(1.0 for _, callee in calls if callee == f) for f in range(FUNCTIONS)}
    for function, count in expected.items():
        assert times.get(f"f{function}", 0.0) == pytest.approx(count, abs=1e-6)


def test_what_callers_paid_decides_how_a_callee_is_split() -> None:
    # main -> a (40) -> c (30), main -> b (80) -> c (70)
    trace = trace_of([0, 10, 10, 100], {(0, 1): 40, (0, 2): 80, (1, 3): 30, (2, 3): 70})
    assert sums(trace, 0, total=True) == pytest.approx({"f0": 120, "f1": 40, "f2": 80, "f3": 100})


def test_functions_that_call_each_other_stay_below_who_called_them_first() -> None:
    # main -> a <-> b: each activation of a and b was paid by its caller
    trace = trace_of([1, 10, 20], {(0, 1): 30, (1, 2): 35, (2, 1): 15})
    assert sums(trace, 0, total=True)["f0"] == pytest.approx(31)
    tree = trace.profiles[0].tree
    assert tree.parent.tolist() == [-1, 0, 1]


def test_a_part_that_no_caller_paid_for_is_a_root() -> None:
    trace = trace_of([1, 100], {(0, 1): 25})
    tree = trace.profiles[0].tree
    below = [parent >= 0 for parent in tree.parent.tolist()]
    assert sorted(zip(below, tree.self_values[0].tolist(), strict=True)) == [(False, 1.0), (False, 75.0), (True, 25.0)]


def test_a_cycle_that_nobody_enters_begins_at_its_heaviest_function() -> None:
    trace = trace_of([5, 50], {(0, 1): 60, (1, 0): 10})
    assert sum(sums(trace, 0).values()) == pytest.approx(55)
    assert trace.frame_names[trace.profiles[0].tree.frame[0]] == "f0"


def test_what_is_on_no_path_heavy_enough_is_shown_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_paths, "MAX_PATHS", 2)
    trace = trace_of([1, 1, 7, 3], {(0, 1): 11, (1, 2): 7, (1, 3): 3})
    assert sums(trace, 0) == pytest.approx({"f0": 1, "f1": 1, "f2": 7, "f3": 3, call_paths.RARE: 0})
    assert sums(trace, 0, total=True)[call_paths.RARE] == pytest.approx(10)


def test_a_chain_of_a_thousand_calls_is_no_recursion() -> None:
    size = 20_000
    trace = trace_of([0.0] * (size - 1) + [5.0], {(f, f + 1): 5.0 for f in range(size - 1)})
    assert sum(sums(trace, 0).values()) == pytest.approx(5)
