"""Samples in a row as calls: how long each node of the call tree stays on the stack."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.window import Window, bounds, clip, sample_extent
from traces.model import NONE, CallTree, Int32, Int64, Profile, Samples, Values


@dataclass(frozen=True, slots=True)
class Stretches:
    """Rows of nodes by depth, then time; those of depth `d` are `row_offsets[d]:row_offsets[d + 1]`."""

    start: Values
    end: Values
    node: Int32
    row_offsets: Int64


def stretches(profile: Profile, samples: Samples, window: Window) -> Stretches:
    """Neighbouring samples with the same path as one, cut at the window's edges; a gap in time ends a stretch."""
    low, high = bounds(samples.time, window)
    first = max(int(np.searchsorted(samples.time, low)) - 1, 0)  # the last one before the window can reach into it
    last = int(np.searchsorted(samples.time, high))
    begins, ends = sample_extent(profile, samples, first, last)
    leaf = samples.leaf[first:last]
    shown = np.flatnonzero((ends > window.start) & (ends > begins) & (leaf >= 0))
    begins, ends = clip(begins[shown], ends[shown], window)
    leaf = leaf[shown]
    slack = 0.0 if profile.axis.is_time else 1e-9 * (window.end - window.start)
    apart = np.concatenate((np.ones(min(len(leaf), 1), bool), begins[1:] > ends[:-1] + slack))
    runs = np.flatnonzero(apart | np.concatenate((apart[:1], leaf[1:] != leaf[:-1])))
    leaf, begins, ends = leaf[runs], begins[runs], ends[np.append(runs[1:], len(leaf))[: len(runs)] - 1]
    opened, closed = _opened_and_closed(profile.tree, leaf, np.flatnonzero(apart[runs]))
    return Stretches(begins[opened.run], ends[closed.run], opened.node, opened.row_offsets)


@dataclass(frozen=True, slots=True)
class _Edges:
    """Where stretches begin, or end: which node, in or after which run, by depth and run."""

    node: Int32
    run: Int64
    row_offsets: Int64


def _opened_and_closed(tree: CallTree, leaf: Int32, apart: Int64) -> tuple[_Edges, _Edges]:
    """What each run of samples puts on the stack and what ends with it; before the runs in `apart` the stack is empty.

    From the two leaves of neighbours the deeper climbs until they meet: what it passes is what changed.
    """
    depth, parent = np.append(tree.depth, np.int32(NONE)), np.append(tree.parent, np.int32(NONE))
    before, after = np.append(np.int32(NONE), leaf), np.append(leaf, np.int32(NONE))
    after[apart] = NONE
    before, after = np.append(before, np.full(len(apart), NONE, np.int32)), np.append(after, leaf[apart])
    run = np.append(np.arange(len(leaf) + 1), apart)
    opened: list[tuple[Int32, Int64]] = []
    closed: list[tuple[Int32, Int64]] = []
    while len(going := np.flatnonzero(before != after)):
        before, after, run = before[going], after[going], run[going]
        deeper = depth[after] - depth[before]
        opens, closes = np.flatnonzero(deeper >= 0), np.flatnonzero(deeper <= 0)
        into, out_of = after[opens], before[closes]
        opened.append((into, run[opens]))
        closed.append((out_of, run[closes] - 1))
        after[opens], before[closes] = parent[into], parent[out_of]
    return _in_rows(tree, opened), _in_rows(tree, closed)


def _in_rows(tree: CallTree, found: list[tuple[Int32, Int64]]) -> _Edges:
    if not found:
        return _Edges(np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(1, np.int64))
    node, run = (np.concatenate(column) for column in zip(*found, strict=True))
    depth = tree.depth[node]
    order = np.argsort((depth.astype(np.int64) << 32) | run)
    return _Edges(node[order], run[order], np.concatenate(([0], np.cumsum(np.bincount(depth)))))
