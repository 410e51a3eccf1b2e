"""Samples in a row as calls: how long each node of the call tree stays on the stack."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.analysis.window import Window, clip, sample_extent, samples_near
from traces.levels import by_depth
from traces.model import CallTree, Int32, Int64, Profile, Samples, Values


@dataclass(frozen=True, slots=True)
class SampleRuns:
    """Rows of nodes by depth, then time; those of depth `d` are `row_offsets[d]:row_offsets[d + 1]`."""

    start: Values
    end: Values
    node: Int32
    row_offsets: Int64


def sample_runs(profile: Profile, samples: Samples, window: Window) -> SampleRuns:
    """Neighbouring samples with the same path as one, cut at the window's edges; a gap in time ends a run."""
    first, last = samples_near(profile, samples, window)
    begins, ends = sample_extent(profile, samples, first, last)
    leaf = samples.leaf[first:last]
    shown = (ends > begins) & (leaf >= 0)
    if not shown.all():
        begins, ends, leaf = begins[shown], ends[shown], leaf[shown]
    slack = 0.0 if profile.axis.is_time else 1e-9 * (window.end - window.start)
    apart = np.ones(len(leaf) + 1, bool)
    apart[1:-1] = begins[1:] > ends[:-1] + slack
    changed = apart.copy()
    changed[1:-1] |= leaf[1:] != leaf[:-1]
    heads, tails = _pieces(changed)
    place = np.arange(len(heads)) + np.cumsum(apart[heads])  # one is left out where there is a gap
    node, earliest, latest, rows = _by_depth(profile.tree, leaf[heads], place)
    begins, ends = clip(begins[heads], ends[tails], window)
    start, end = np.zeros((2, int(place[-1]) + 1 if len(place) else 0), begins.dtype)
    start[place], end[place] = begins, ends
    return SampleRuns(start[earliest], end[latest], node, rows)


def _by_depth(tree: CallTree, leaf: Int32, place: Int64) -> tuple[Int32, Int64, Int64, Int64]:
    """Runs of leaves, each at a place in time, as runs of nodes: those, the first place of each and the last, by depth.

    From the deepest on, what is open at a depth is what called that of the next, and the leaves that lie there.
    Neighbours with one node are one run, and stay that for all depths above.
    """
    order, cuts = by_depth(tree.depth[leaf])
    node, first, last = leaf[:0], place[:0], place[:0]
    rows: list[tuple[Int32, Int64, Int64]] = [(node, first, last)]
    for begin, end in zip(cuts[-2::-1].tolist(), cuts[:0:-1].tolist(), strict=True):
        if end > begin:
            new = order[begin:end]
            first = np.concatenate((first, place[new]))
            in_time = np.argsort(first, kind="stable")
            node = np.concatenate((node, leaf[new]))[in_time]
            last = np.concatenate((last, place[new]))[in_time]
            first = first[in_time]
        differs = np.ones(len(node) + 1, bool)
        differs[1:-1] = (node[1:] != node[:-1]) | (first[1:] - last[:-1] > 1)
        heads, tails = _pieces(differs)
        if len(heads) < len(node):
            node, first, last = node[heads], first[heads], last[tails]
        rows.append((node, first, last))
        node = tree.parent[node]
    node, first, last = (np.concatenate(column[::-1]) for column in zip(*rows, strict=True))
    return node, first, last, np.cumsum([len(row[0]) for row in (rows[0], *rows[:0:-1])])


def _pieces(cut: npt.NDArray[np.bool_]) -> tuple[Int64, Int64]:
    """The first and the last of each piece of a row that is cut before some of its members; its end is a cut, too."""
    at = np.flatnonzero(cut)
    return at[:-1], at[1:] - 1
