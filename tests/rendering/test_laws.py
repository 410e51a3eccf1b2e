"""What every picture owes its trace, over random programs."""

from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rendering.diff import compare, diff_scene
from rendering.flamegraph import flamegraph_scene, lay_out
from rendering.kernels.cells import ONE
from rendering.minimap import minimap_scene
from rendering.options import DiffOptions, FlamegraphOptions, SandwichOptions, SheetOptions
from rendering.sandwich import filling_of, sandwich_scene
from rendering.scene import Scene
from tests.rendering.call_trees import Program, Stack, boxes_of, evented, merged, paths_of, programs, rows_of, sampled
from traces.model import Trace

WIDE = 8_000
"""So that no box is under a pixel."""

traces = st.tuples(programs, st.sampled_from([sampled, evented]))
few = settings(max_examples=30)


def scene_of(trace: Trace, **asked: Any) -> Scene:
    options = FlamegraphOptions(width=WIDE, **asked)
    return flamegraph_scene(trace, lay_out(trace, options), options)[0]


def total_of(program: Program) -> int:
    return sum(weight for _, weight in program) * 1_000


@few
@given(traces)
def test_left_heavy_equals_a_brute_force_merge(made: tuple[Program, Any]) -> None:
    program, kind = made
    trace = kind(program)

    found = paths_of(rows_of(scene_of(trace, mode="left_heavy")), trace)

    total = total_of(program)
    assert {path: round(width * total) for path, width in found} == merged(program)


@few
@given(traces)
def test_left_heavy_puts_the_heaviest_first_and_ties_by_name(made: tuple[Program, Any]) -> None:
    program, kind = made
    trace = kind(program)
    weights = merged(program)
    callees: dict[Stack, list[Stack]] = defaultdict(list)

    for path, _ in paths_of(rows_of(scene_of(trace, mode="left_heavy")), trace):
        callees[path[:-1]].append(path)

    for siblings in callees.values():
        assert siblings == sorted(siblings, key=lambda path: (-weights[path], path))


@few
@given(traces)
def test_time_order_shows_what_ran_when(made: tuple[Program, Any]) -> None:
    program, kind = made
    trace = kind(program)

    rows = rows_of(scene_of(trace, mode="time_order"))
    paths_of(rows, trace)

    total, now = total_of(program), 0
    for stack, weight in program:
        middle = (now + weight * 500) / total
        now += weight * 1_000
        for depth, row in enumerate(rows):
            here = [trace.frame_name(kind) for left, right, kind in row if left <= middle < right]
            assert here == [stack[depth]] if depth < len(stack) else not here


@few
@given(traces, st.integers(0, 5))
def test_a_rows_weight_is_that_of_its_depth_however_narrow_the_boxes(made: tuple[Program, Any], mode: int) -> None:
    program, kind = made
    trace = kind(program * 40)
    asked: dict[str, Any] = {"mode": "left_heavy" if mode % 2 else "time_order"}
    options = FlamegraphOptions(width=100, **asked)

    scene = flamegraph_scene(trace, lay_out(trace, options), options)[0]

    total = total_of(program)
    for depth, strip in enumerate(scene.strips):
        expected = sum(weight * 1_000 for stack, weight in program if len(stack) > depth)
        assert strip.cells.weight.sum() / ONE / strip.width == pytest.approx(expected / total, abs=1e-6)
        assert (strip.cells.left[1:] >= strip.cells.right[:-1]).all()


@few
@given(traces, st.sampled_from("abcd"))
def test_a_sandwichs_callers_add_up_to_the_frame_and_callees_lie_inside(made: tuple[Program, Any], name: str) -> None:
    program, kind = made
    trace = kind(program)
    if name not in trace.frame_names:
        return
    options = SandwichOptions(width=WIDE)
    filling = filling_of(trace, trace.frame_names.index(name), trace.profiles[0])

    scene, _ = sandwich_scene(trace, filling, options)

    total = sum(weight * 1_000 for stack, weight in program if name in stack)
    assert filling.total == total
    rows = rows_of(scene)
    split = filling.callers.depth_count
    above = merged([(stack[: stack.index(name)][::-1], weight) for stack, weight in program if name in stack])
    below = merged([(stack[stack.index(name) :], weight) for stack, weight in program if name in stack])
    upwards = paths_of(rows[:split], trace)
    assert {path: round(width * total) for path, width in upwards} == above
    assert {path: round(width * total) for path, width in paths_of(rows[split:], trace)} == below


@few
@given(traces)
def test_without_recursion_a_function_is_once_in_a_stack(made: tuple[Program, Any]) -> None:
    program, kind = made
    trace = kind(program)
    once = [(tuple(dict.fromkeys(stack)), weight) for stack, weight in program]

    heavy = paths_of(rows_of(scene_of(trace, mode="left_heavy", flatten_recursion=True)), trace)
    timely = paths_of(rows_of(scene_of(trace, mode="time_order", flatten_recursion=True)), trace)

    total = total_of(program)
    assert {path: round(width * total) for path, width in heavy} == merged(once)
    sums: dict[Stack, float] = defaultdict(float)
    for path, width in timely:
        sums[path] += width
    assert {path: round(width * total) for path, width in sums.items()} == merged(once)


@few
@given(traces, st.sampled_from("abcd"))
def test_a_focused_function_is_shown_with_what_it_calls_alone(made: tuple[Program, Any], name: str) -> None:
    program, kind = made
    trace = kind(program)
    if name not in trace.frame_names:
        return
    handle = f"f{trace.frame_names.index(name)}"
    inside = [(stack[stack.index(name) :], weight) for stack, weight in program if name in stack]

    heavy = paths_of(rows_of(scene_of(trace, mode="left_heavy", focus=handle)), trace)
    timely = paths_of(rows_of(scene_of(trace, mode="time_order", focus=handle)), trace)

    total = sum(weight for _, weight in inside) * 1_000
    assert {path: round(width * total) for path, width in heavy} == merged(inside)
    sums: dict[Stack, float] = defaultdict(float)
    for path, width in timely:
        sums[path] += width
    assert {path: round(width * total_of(program)) for path, width in sums.items()} == merged(inside)


@few
@given(programs, programs, st.sampled_from([sampled, evented]))
def test_a_diff_lays_out_the_second_and_knows_both(old: Program, new: Program, kind: Any) -> None:
    before, after = kind(old, "old"), kind(new, "new")
    options = DiffOptions(width=WIDE)
    comparison = compare(before, after, options)

    scene, notes = diff_scene(comparison, options)

    tree, was, now = comparison.tree, merged(old), merged(new)
    paths: list[Stack] = []
    for node in range(len(tree)):
        parent = int(tree.parent[node])
        paths.append((*(paths[parent] if parent >= 0 else ()), comparison.name(node)))
    assert {p: w for p, w in zip(paths, tree.before.tolist(), strict=True) if w} == was
    assert {p: w for p, w in zip(paths, tree.after.tolist(), strict=True) if w} == now
    drawn = [box for strip in scene.strips for box in boxes_of(strip)]
    widths = {paths[kind]: round((right - left) * total_of(new)) for left, right, kind in drawn}
    assert widths == now
    gone = {path for path in was if path not in now and (path[:-1] in now or len(path) == 1)}
    assert any(note.startswith("gone") for note in notes) == bool(gone)
    assert len(scene.marks) <= len(gone)


@few
@given(traces)
def test_a_minimap_holds_every_row_of_a_shallow_profile(made: tuple[Program, Any]) -> None:
    program, kind = made
    trace = kind(program)

    scene = minimap_scene(trace, SheetOptions(width=WIDE), None)

    large = rows_of(scene_of(trace))
    assert [[kind for *_, kind in row] for row in rows_of(scene)] == [[kind for *_, kind in row] for row in large]
