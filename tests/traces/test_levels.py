"""Trees by depth, rows that are equal, and paths that are shared: next to the plainest way to say it."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.analysis.shared_paths import shared_paths
from traces.kernels.library import SWITCH
from traces.levels import levels_of

nodes = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3), st.booleans()), min_size=1, max_size=40)
"""Of each node: which of those before it is its parent, its frame, whether it is asked for."""


def tree_of(rows: list[tuple[int, int, bool]]) -> tuple[list[int], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    parents = [row[0] % (i + 1) - 1 for i, row in enumerate(rows)]
    depths: list[int] = []
    for parent in parents:
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
    return parents, np.array(parents, np.int32), np.array(depths, np.int32)


def path(node: int, parents: list[int]) -> Iterator[int]:
    """The node and all above it."""
    while node >= 0:
        yield node
        node = parents[node]


@given(nodes)
def test_walks_over_a_tree_find_what_each_node_has_above_and_below(rows: list[tuple[int, int, bool]]) -> None:
    parents, parent, depth = tree_of(rows)
    levels = levels_of(depth, parent)
    expected = np.array([row[2] for row in rows])
    own = np.array([row[0] + 1 for row in rows], np.int64)
    above = [list(path(node, parents)) for node in range(len(rows))]
    below = [sum(own[node] for node in range(len(rows)) if root in above[node]) for root in range(len(rows))]
    assert levels.sum_upwards(own).tolist() == below
    assert levels.sum_downwards(own).tolist() == [own[line].sum() for line in above]
    assert levels.at_or_below(expected).tolist() == [bool(expected[line].any()) for line in above]
    assert levels.nearest(expected).tolist() == [next((n for n in line if expected[n]), -1) for line in above]


@given(nodes)
def test_nodes_of_one_path_become_one(rows: list[tuple[int, int, bool]]) -> None:
    parents, parent, depth = tree_of(rows)
    frame, shown = np.array([row[1] for row in rows], np.int32), np.array([row[2] for row in rows])
    levels = levels_of(depth, parent)
    nearest = np.append(levels.nearest(shown), -1)
    above = nearest[parent][shown]
    said = [tuple(int(frame[n]) for n in path(node, parents) if shown[n]) for node in np.flatnonzero(shown).tolist()]
    known = list(dict.fromkeys(said))
    for switch in ("", "off"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(SWITCH, switch)
            found = shared_paths(frame, shown, above, 100)
        assert [known[leaf] for leaf in found.leaf.tolist()] == said
        assert found.frame.tolist() == [line[0] for line in known]
        assert found.depth.tolist() == [len(line) - 1 for line in known]
        assert found.parent.tolist() == [known.index(line[1:]) if line[1:] else -1 for line in known]
