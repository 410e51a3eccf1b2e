"""The kernels and their references give the same, to the last bit."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rendering.flamegraph import render_flamegraph
from rendering.kernels import library
from rendering.kernels.cells import (
    Cells,
    Items,
    RunRules,
    Scale,
    find_runs,
    find_runs_reference,
    merge_boxes,
    merge_boxes_reference,
)
from rendering.kernels.layout import (
    kinds_in_rows,
    merge_tree,
    merge_tree_reference,
    rows_of_tree,
    rows_of_tree_reference,
    side_by_side,
    side_by_side_reference,
)
from rendering.kernels.pixels import Edges, Letters, draw_letters, draw_letters_reference, draw_strip
from rendering.kernels.pixels import draw_strip_reference as draw_strip_in_numpy
from rendering.minimap import minimap_scene
from rendering.options import FlamegraphOptions, SheetOptions
from tests.rendering.call_trees import Program, evented, programs, sampled
from traces.kernels.library import SWITCH
from traces.model import Int32, Int64, Trace

pytestmark = pytest.mark.skipif(library.kernels() is None, reason="the kernels are not built or switched off")

PALETTE = np.random.default_rng(5).integers(0, 256, (40, 3), dtype=np.uint8)
COLUMNS = ("left", "right", "weight", "own", "count", "kind", "colour")


Timeline = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32], Items]


def assert_same(ours: list[Cells], reference: list[Cells]) -> None:
    assert len(ours) == len(reference)
    for row, other in zip(ours, reference, strict=True):
        for name in COLUMNS:
            np.testing.assert_array_equal(getattr(row, name), getattr(other, name), err_msg=name)


@st.composite
def timelines(draw: st.DrawFn) -> Timeline:
    """Boxes in order of their start, disjoint in each of up to three rows, some of no length, some items not shown."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(1, 400))
    start = np.cumsum(random.integers(0, draw(st.sampled_from([2, 50, 5_000])), count))
    item = random.integers(0, 60, count).astype(np.int32)
    row = random.integers(-1, 3, 60).astype(np.int32)
    end = start + random.integers(0, 3_000, count)
    free = np.zeros(4, np.int64)
    for index in range(count):
        lane = row[item[index]]
        start[index] = max(start[index], free[lane], start[index - 1] if index else 0)
        end[index] = max(end[index], start[index])
        free[lane] = end[index]
    return start, end, item, Items(row, random.integers(0, 40, 60).astype(np.int32), 3)


@settings(max_examples=60, deadline=None)
@given(timelines(), st.integers(1, 90), st.booleans(), st.sampled_from([0, 1 << 30]))
def test_boxes_merge_the_same(made: Timeline, width: int, floats: bool, least: int) -> None:
    start, end, item, items = made
    low, high = float(start[0]), float(end.max() + 1)
    kind = np.float64 if floats else np.int64
    columns = start.astype(kind), end.astype(kind)
    scale = Scale(low + (high - low) * 0.1, high, width, least)

    ours, hidden = merge_boxes(columns[0], columns[1], item, scale, PALETTE, items)
    reference, also_hidden = merge_boxes_reference(columns[0], columns[1], item, scale, PALETTE, items)

    assert_same(ours, reference)
    np.testing.assert_array_equal(hidden, also_hidden)
    rules = RunRules(1 << 32, 4 << 32, least, 7)
    for row, other in zip(ours, reference, strict=True):
        for left, right in zip(find_runs(row, rules), find_runs_reference(other, rules), strict=True):
            np.testing.assert_array_equal(left, right)


def test_a_cell_of_a_thousand_kinds_and_many_chunks_merge_the_same() -> None:
    random = np.random.default_rng(1)
    edges = np.sort(random.integers(0, 10**9, 200_001)).astype(np.int64)
    kind = random.integers(0, 5_000, 200_000).astype(np.int32)
    palette = random.integers(0, 256, (5_000, 3), dtype=np.uint8)
    scale = Scale(0, 1e9, 12)

    ours, _ = merge_boxes(edges[:-1], edges[1:], kind, scale, palette)
    reference, _ = merge_boxes_reference(edges[:-1], edges[1:], kind, scale, palette)

    assert_same(ours, reference)


Tree = tuple[Int32, Int32, npt.NDArray[Any], Int32, Int64]
"""Parent, depth, weight, kind of each node, and the rank of each kind."""


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Integers or floats as weights; some nodes have none, with all below them, whatever those have."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(1, 300))
    parent = np.array([random.integers(-1, i) if i else -1 for i in range(count)], np.int32)
    weight = np.zeros(count, draw(st.sampled_from([np.int64, np.float64])))
    depth = np.zeros(count, np.int32)
    for node in range(count):
        depth[node] = depth[parent[node]] + 1 if parent[node] >= 0 else 0
    for node in reversed(range(count)):
        weight[node] += random.integers(0, 3)
        if parent[node] >= 0:
            weight[parent[node]] += weight[node]
    weight[random.random(count) < 0.1] = 0
    return parent, depth, weight, random.integers(0, 9, count).astype(np.int32), random.integers(0, 4, 9)


@settings(max_examples=60, deadline=None)
@given(trees())
def test_trees_lie_side_by_side_the_same(tree: Tree) -> None:
    ours, reference = side_by_side(*tree), side_by_side_reference(*tree)

    for column in ("node", "start", "end", "kind", "row_offsets"):
        np.testing.assert_array_equal(getattr(ours, column), getattr(reference, column))


@settings(max_examples=60, deadline=None)
@given(trees(), st.integers(1, 90), st.integers(0, 4), st.integers(0, 5), st.sampled_from([0, 1 << 30]))
def test_a_tree_becomes_cells_the_same(tree: Tree, width: int, first: int, rows: int, least: int) -> None:
    parent, depth, weight, kind, rank = tree
    row, count = rows_of_tree(*tree)
    also_row, also_count = rows_of_tree_reference(parent, depth, weight)
    assert count == also_count
    np.testing.assert_array_equal(row, also_row)
    shown, total = range(first, max(first, min(first + rows, count))), float(weight[parent < 0].sum()) or 1.0
    scale = Scale(total * 0.1, total * 0.9, width, least)

    ours, hidden = merge_tree(parent, row, weight, kind, rank, shown, scale, PALETTE)
    reference, also_hidden = merge_tree_reference(parent, row, weight, kind, rank, shown, scale, PALETTE)

    assert_same(ours, reference)
    np.testing.assert_array_equal(hidden, also_hidden)
    used = {int(kind[node]) for node in range(len(row)) if row[node] in shown}
    assert set(np.flatnonzero(kinds_in_rows(row, kind, shown, 9)).tolist()) == used


@settings(max_examples=30, deadline=None)
@given(timelines(), st.integers(1, 60), st.integers(0, 256))
def test_strips_are_drawn_the_same(made: Timeline, width: int, strength: int) -> None:
    start, end, item, items = made
    (cells, *_), _ = merge_boxes(start, end, item, Scale(float(start[0]), float(end.max() + 1), width), PALETTE, items)
    random = np.random.default_rng(width)
    edges = Edges(np.unique(random.integers(0, width, 5)), (3, 5, 7), strength)
    ours = random.integers(0, 256, (9, width + 6, 3), dtype=np.uint8)
    ours[3:6] = ours[2]
    reference = ours.copy()

    draw_strip(ours, (4, 2, width, 5), cells, edges)
    draw_strip_in_numpy(reference, (4, 2, width, 5), cells, edges)

    np.testing.assert_array_equal(ours, reference)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_letters_are_drawn_the_same_over_each_other_and_over_the_edge(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = np.array([[-1, -4, 3, 5, 0], [0, -3, 4, 4, 15], [1, 0, 2, 2, 31], [0, 0, 0, 0, 35]], np.int32)
    count = 30
    letters = Letters(
        random.integers(0, 4, count).astype(np.int32),
        random.integers(-4, 24, count).astype(np.int32),
        random.integers(-4, 14, count).astype(np.int32),
        np.sort(random.integers(0, 6, count)).astype(np.int32),
        size,
        random.choice([0, 40, 255, 130], 35).astype(np.uint8),
        random.integers(0, 256, (6, 3), dtype=np.uint8),
    )
    ours = random.integers(0, 256, (10, 20, 3), dtype=np.uint8)
    reference = ours.copy()

    draw_letters(ours, letters)
    draw_letters_reference(reference, letters)

    np.testing.assert_array_equal(ours, reference)


@settings(max_examples=15, deadline=None)
@given(programs, st.sampled_from([sampled, evented]), st.sampled_from(["time_order", "left_heavy"]), st.integers(1, 2))
def test_complete_pictures_are_the_same(program: Program, kind: object, mode: str, dpr: int) -> None:
    assert callable(kind)
    trace = kind(program * 9)
    asked = FlamegraphOptions(mode="left_heavy" if mode == "left_heavy" else "time_order", width=150, dpr=dpr)
    with_them = render_flamegraph(trace, asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, "off")
        assert library.kernels() is None
        without = render_flamegraph(trace, asked)

    assert with_them == without


def test_a_wrong_library_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = tmp_path / "kernels.so"
    wrong.write_bytes(b"not a library")
    monkeypatch.setattr(library, "PATH", wrong)
    library._loaded.cache_clear()
    try:
        assert library.kernels() is None
    finally:
        library._loaded.cache_clear()


@pytest.mark.parametrize("kind", [sampled, evented])
def test_a_deep_minimap_shows_every_second_row(kind: Callable[[Program], Trace]) -> None:
    trace = kind([(tuple(f"f{n}" for n in range(50)), 3)])

    strips = minimap_scene(trace, SheetOptions(width=200), None).strips

    assert [trace.frame_name(int(strip.cells.kind[0])) for strip in strips] == [f"f{n}" for n in range(0, 50, 2)]


@pytest.mark.long
def test_two_processes_draw_the_same_bytes(fixtures: Path) -> None:
    code = (
        "import sys, hashlib; from pathlib import Path; from traces.reader import read_trace; "
        "from rendering.flamegraph import render_flamegraph; from rendering.options import FlamegraphOptions; "
        f"t = read_trace(Path({str(fixtures / 'sample/order-service.speedscope.json.gz')!r}).read_bytes(), name='t'); "
        "print([hashlib.sha256(render_flamegraph(t, FlamegraphOptions(format=f)).data).hexdigest() "
        "for f in ('png', 'svg', 'webp', 'png')])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed, SWITCH: switch},
        ).stdout
        for seed, switch in (("1", "on"), ("2", "off"))
    }

    (digests,) = printed
    first, *_, again = digests.split(",")
    assert first.strip("[' \n") == again.strip("]' \n")
