"""A call tree level by level, and a search over threads: the same figures as the trees and lists that exist."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.analysis.test_questions_in_time import Rows, Slices, evented, sampled, samples, slices
from traces.analysis.calltree import TreeNode, call_tree
from traces.analysis.find import find_frames
from traces.analysis.thread_search import search_threads
from traces.analysis.tree_children import TreeLevel, TreeRow, tree_children
from traces.analysis.window import Window
from traces.handles import ALL, ProfileChoice
from traces.model import Trace
from traces.transforms.transformed import transformed
from traces.transforms.vocabulary import parsed_transforms

LAWS = settings(max_examples=25, deadline=None, derandomize=True)
Path = tuple[int, ...]
Figures = tuple[float, float, int | None, bool]


def walked(trace: Trace, profile: ProfileChoice, window: Window | None, *, inverted: bool) -> dict[Path, Figures]:
    """All rows by the functions from the root to them, a level at a time, a row at a time."""
    found: dict[Path, Figures] = {}

    def level_of(path: Path, node: str | None, offset: int) -> TreeLevel:
        return tree_children(
            trace,
            profile=profile,
            below=None if inverted else node,
            callers_of=path if inverted else (),
            inverted=inverted,
            window=window,
            limit=1,
            offset=offset,
        ).levels[0]

    pending: list[tuple[Path, str | None]] = [((), None)]
    while pending:
        path, node = pending.pop()
        rows: list[TreeRow] = []
        level = level_of(path, node, 0)
        while level.rows:
            rows += level.rows
            left = level.more_rows
            level = level_of(path, node, len(rows))
            assert left == len(level.rows) + level.more_rows
        assert [-row.total_value for row in rows] == sorted(-row.total_value for row in rows)
        for row in rows:
            below = (*path, row.frame)
            found[below] = (row.self_value, row.total_value, row.count, row.has_children)
            if row.has_children:
                pending.append((below, row.node))
    return found


def known(trace: Trace, profile: ProfileChoice, window: Window | None, *, inverted: bool) -> dict[Path, Figures]:
    nodes = call_tree(trace, profile=profile, window=window, inverted=inverted, max_nodes=100_000).nodes
    callers = {node.parent for node in nodes}

    def path(node: TreeNode) -> Path:
        above = path(nodes[node.parent]) if node.parent >= 0 else ()
        return (*above, int(node.frame[1:]))

    return {
        path(node): (node.self_value, node.total_value, node.count, index in callers)
        for index, node in enumerate(nodes)
    }


@LAWS
@given(st.lists(slices, min_size=1, max_size=2), st.booleans(), st.sampled_from([None, Window(10, 40)]))
def test_levels_are_the_tree_of_calls(threads: list[Slices], inverted: bool, window: Window | None) -> None:
    trace = evented(*threads)
    for profile in (None, ALL):
        assert walked(trace, profile, window, inverted=inverted) == known(trace, profile, window, inverted=inverted)


@LAWS
@given(samples, st.booleans())
def test_levels_are_the_tree_of_samples(rows: Rows, inverted: bool) -> None:
    trace = sampled(rows)
    assert walked(trace, None, None, inverted=inverted) == known(trace, None, None, inverted=inverted)


@LAWS
@given(samples, st.sampled_from(["collapse-recursion", "merge-function:f1", "drop-function:f0,merge-function:f2"]))
def test_levels_of_a_changed_tree_are_that_tree(rows: Rows, transforms: str) -> None:
    trace = transformed(sampled([([1, 2, 3], 1), ([0], 1), *rows]), parsed_transforms(transforms), None)
    for inverted in (False, True):
        assert walked(trace, None, None, inverted=inverted) == known(trace, None, None, inverted=inverted)


def test_levels_of_one_row_come_at_once_and_deep_recursion_is_cut() -> None:
    trace = sampled([([0] * 3_000 + [1, 2], 5), ([0] * 3_000 + [1, 3], 4)])
    levels = tree_children(trace).levels
    assert len(levels) == 64
    last = levels[-1].rows[0]
    assert (last.total_value, last.has_children) == (9, True)
    end = tree_children(trace, inverted=True, callers_of=(2, 1, *[0] * 2_990)).levels
    assert [level.rows[0].total_value for level in end] == [5] * 10
    assert not end[-1].rows[0].has_children


@LAWS
@given(st.lists(slices, min_size=1, max_size=3))
def test_a_search_finds_in_each_thread_what_the_thread_is_asked_for(threads: list[Slices]) -> None:
    trace = evented(*threads)
    found = search_threads(trace, "[ab]", regex=True)
    listed = [
        (found.threads[one.thread].handle, one.frame, one.self_value, one.total_value, one.count)
        for one in found.matches
    ]
    expected = [
        (f"p{index}", row.frame, row.self_value, row.total_value, row.count)
        for index in range(len(threads))
        for row in find_frames(trace, "[ab]", regex=True, profile=index).rows
        if row.total_value
    ]
    assert sorted(listed) == sorted(expected)
    assert found.total == len(listed) == sum(one.functions for one in found.threads)
    for place, one in enumerate(found.threads):
        mine = [match for match in found.matches if match.thread == place]
        assert one.self_value == sum(match.self_value for match in mine)
        assert one.count == sum(match.count or 0 for match in mine)
    pages = [search_threads(trace, "[ab]", regex=True, limit=1, offset=at).matches for at in range(found.total + 1)]
    assert tuple(match for page in pages for match in page) == found.matches
