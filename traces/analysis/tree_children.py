"""A call tree one level at a time, from the roots down or from functions up to their callers."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.filters import FrameFilter
from traces.analysis.selection import Selection, select
from traces.analysis.window import NodeValues, Window
from traces.equal_rows import groups_of
from traces.errors import UnknownHandle
from traces.handles import ProfileChoice, resolve
from traces.kernels.trees import sum_by_node
from traces.model import Int32, Int64, Trace, Values
from traces.values import Counts, Unit

MOST_LEVELS = 64
"""Levels answered at once where each has one row."""


@dataclass(frozen=True, slots=True)
class TreeRow:
    """`node` is the call path, in an inverted tree the one with the largest part. Top down `self_value` is what the
    path spent itself; inverted, what came from no further caller. `count` is None without counts."""

    node: str
    frame: int
    self_value: float
    total_value: float
    count: int | None
    has_children: bool


@dataclass(frozen=True, slots=True)
class TreeLevel:
    """Rows of one level, largest total first; `more_rows` are past the limit and have `more_value`."""

    rows: tuple[TreeRow, ...]
    more_rows: int
    more_value: float


@dataclass(frozen=True, slots=True)
class TreeChildren:
    """The level asked for, then those below it for as long as a level is one row."""

    levels: tuple[TreeLevel, ...]
    unit: Unit
    scope_total: float
    counted: str | None


@dataclass(frozen=True, slots=True)
class _Level:
    """All rows of a level."""

    node: Int64
    frame: Int32
    self_value: Values
    total_value: Values
    count: Int64
    has_children: np.typing.NDArray[np.bool_]


def tree_children(
    trace: Trace,
    *,
    profile: ProfileChoice = None,
    below: str | None = None,
    callers_of: tuple[int, ...] = (),
    inverted: bool = False,
    limit: int = 200,
    offset: int = 0,
    window: Window | None = None,
    value: str | None = None,
    frame_filter: FrameFilter | None = None,
) -> TreeChildren:
    """What a call path (`below`, a node's handle; None: nothing) calls. With `inverted`, the functions by what they
    spent themselves, or the callers at the end of `callers_of`: a function, its caller, that one's, and so on.

    Raises UnknownHandle, InvalidQuestion, NoTimes.
    """
    chosen = select(trace, profile, value=value, frame_filter=frame_filter)
    values = chosen.values(window)
    levels: list[TreeLevel] = []
    at = None if below is None else _node_of(chosen, below)
    path = callers_of
    while len(levels) < MOST_LEVELS:
        level = _callers(chosen, values, path) if inverted else _callees(chosen, values, at)
        first = offset if not levels else 0
        levels.append(_cut(chosen, level, first, limit))
        if len(level.node) != 1 or not level.has_children[0]:
            break
        at, path = int(level.node[0]), (*path, int(level.frame[0]))
    return TreeChildren(tuple(levels), chosen.unit, chosen.total(values), chosen.count_name)


def _node_of(chosen: Selection, handle: str) -> int:
    index = resolve(chosen.trace, handle, "node").index
    found = np.flatnonzero(chosen.refs(np.arange(len(chosen.tree))) == index)
    if not len(found):
        raise UnknownHandle(f"{handle} is no call path of {chosen.handle}.")
    return int(found[0])


def _callees(chosen: Selection, values: NodeValues, at: int | None) -> _Level:
    tree, total = chosen.tree, values.total_value
    present = total > 0
    nodes = np.flatnonzero(present & (tree.parent == (-1 if at is None else at)))
    is_caller = np.zeros(len(tree) + 1, np.bool_)  # the last row stands for the parent of roots
    is_caller[tree.parent[present]] = True
    own, count = values.self_value[nodes], values.count[nodes]
    return _Level(nodes, tree.frame[nodes], own, total[nodes], count, is_caller[nodes])


def _callers(chosen: Selection, values: NodeValues, path: tuple[int, ...]) -> _Level:
    tree, weights = chosen.tree, values.self_value
    starts = np.flatnonzero(weights > 0 if not path else (weights > 0) & (tree.frame == path[0]))
    at = starts.astype(np.int64)
    for frame in path[1:]:
        at = tree.parent[at].astype(np.int64)
        going = at >= 0
        going[going] = tree.frame[at[going]] == frame
        starts, at = starts[going], at[going]
    if path:
        at = tree.parent[at].astype(np.int64)
        starts, at = starts[at >= 0], at[at >= 0]
    if not len(at):
        none = np.zeros(0, np.int64)
        return _Level(none, none.astype(np.int32), weights[:0], weights[:0], none, none.astype(np.bool_))
    group, first = groups_of(tree.frame[at].astype(np.int64))
    size, ended = len(first), np.flatnonzero(tree.parent[at] < 0)
    total = sum_by_node(group, weights[starts], size)
    own = sum_by_node(group[ended], weights[starts[ended]], size)
    count = sum_by_node(group, values.count[starts], size)
    order = np.lexsort((at, -weights[starts], group))  # the largest part of each group comes first
    node = at[order[np.searchsorted(group[order], np.arange(size))]]
    climbs = np.zeros(size, np.bool_)
    climbs[group[tree.parent[at] >= 0]] = True
    return _Level(node, tree.frame[at[first]], own, total, count, climbs)


def _cut(chosen: Selection, level: _Level, offset: int, limit: int) -> TreeLevel:
    order = np.lexsort((level.frame, -level.total_value))
    shown, rest = order[offset : offset + limit], order[offset + limit :]
    refs = chosen.refs(level.node[shown]).tolist()
    has_counts = chosen.counts is not Counts.NONE
    rows = tuple(
        TreeRow(
            node=f"n{ref}",
            frame=int(level.frame[row]),
            self_value=level.self_value[row].item(),
            total_value=level.total_value[row].item(),
            count=int(level.count[row]) if has_counts else None,
            has_children=bool(level.has_children[row]),
        )
        for ref, row in zip(refs, shown.tolist(), strict=True)
    )
    return TreeLevel(rows, len(rest), level.total_value[rest].sum().item())
