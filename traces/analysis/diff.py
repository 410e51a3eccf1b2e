"""Two call trees as one: which paths of calls grew, shrank, came and went."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.analysis.compare import FrameKey, keyed_frames
from traces.analysis.window import node_values, root_total
from traces.errors import InvalidQuestion
from traces.handles import profile_at
from traces.model import NONE, CallTree, Int32, Int64, Profile, Trace, Values

NEW_FRAME = NONE
"""In a diff's frames of one side: the function is not there."""


@dataclass(frozen=True, slots=True)
class TreeDiff:
    """Paths of calls of both traces, parents first; functions are the same if name and file are.

    `before` and `after` are total weights (shares of the profile, if so compared), 0 where a path is not there.
    `function` indexes `before_frame` and `after_frame`, the function's frame in each trace or -1. `ref` is the local
    node of the second trace, or -1.
    """

    function: Int32
    parent: Int32
    depth: Int32
    before: npt.NDArray[np.float64]
    after: npt.NDArray[np.float64]
    ref: Int64
    before_frame: Int32
    after_frame: Int32
    before_profile: Profile
    after_profile: Profile

    def __len__(self) -> int:
        return len(self.function)


def diff_trees(
    before: Trace,
    after: Trace,
    *,
    before_profile: int | None = None,
    after_profile: int | None = None,
    as_shares: bool = False,
) -> TreeDiff:
    """The union of two profiles' call trees. Raises UnknownHandle, InvalidQuestion for profiles of different units."""
    first, second = profile_at(before, before_profile), profile_at(after, after_profile)
    if first.unit is not second.unit:
        raise InvalidQuestion(
            f"{first.handle} of {before.name} is in {first.unit.value}, {second.handle} of {after.name} in "
            f"{second.unit.value}: only profiles of one unit can be compared."
        )
    function_of_first, function_of_second, before_frame, after_frame = _functions(before, after)
    sides = [
        _side(first.tree, function_of_first, node_values(first).total_value, as_shares=as_shares),
        _side(second.tree, function_of_second, node_values(second).total_value, as_shares=as_shares),
    ]
    levels: list[tuple[Int64, Int64, Values, Values, Int64]] = []
    groups = [np.full(len(side.tree), NONE, np.int64) for side in sides]
    size = 0
    for depth in range(max(len(side.levels) for side in sides)):
        rows = [side.levels[depth] if depth < len(side.levels) else np.zeros(0, np.int64) for side in sides]
        keys = [
            (np.where(s.tree.parent[r] >= 0, g[s.tree.parent[r]], NONE) + 1) << 32 | s.function[s.tree.frame[r]]
            for s, r, g in zip(sides, rows, groups, strict=True)
        ]
        distinct, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        places = inverse[: len(rows[0])], inverse[len(rows[0]) :]
        weights = [np.zeros(len(distinct)) for _ in sides]
        ref = np.full(len(distinct), NONE, np.int64)
        for side, row, place, weight, group in zip(sides, rows, places, weights, groups, strict=True):
            np.add.at(weight, place, side.weight[row])
            group[row] = place + size
        ref[places[1]] = rows[1]
        levels.append(((distinct >> 32) - 1, distinct & 0xFFFFFFFF, weights[0], weights[1], ref))
        size += len(distinct)
    parent, function, was, now, ref = (np.concatenate(column) for column in zip(*levels, strict=True))
    depths = np.repeat(np.arange(len(levels)), [len(level[0]) for level in levels])
    return TreeDiff(
        function=function.astype(np.int32),
        parent=parent.astype(np.int32),
        depth=depths.astype(np.int32),
        before=was,
        after=now,
        ref=ref,
        before_frame=before_frame,
        after_frame=after_frame,
        before_profile=first,
        after_profile=second,
    )


@dataclass(frozen=True, slots=True)
class _Side:
    tree: CallTree
    function: Int64
    weight: npt.NDArray[np.float64]
    levels: list[Int64]


def _side(tree: CallTree, function: Int64, total: Values, *, as_shares: bool) -> _Side:
    weight = total.astype(np.float64)
    all_of_it = root_total(tree, total)
    if as_shares and all_of_it > 0:
        weight /= all_of_it
    order = np.argsort(tree.depth, kind="stable")
    levels = np.split(order, np.cumsum(np.bincount(tree.depth))[:-1]) if len(tree) else [order]
    return _Side(tree, function, weight, levels)


def _functions(before: Trace, after: Trace) -> tuple[Int64, Int64, Int32, Int32]:
    """The function of each frame of both traces, and the first frame of each function in both."""
    known: dict[FrameKey, int] = {}
    of_frames = [keyed_frames(trace, known).astype(np.int64) for trace in (before, after)]
    first_frames = []
    for of_frame in of_frames:
        first = np.full(len(known), NEW_FRAME, np.int32)
        first[of_frame[::-1]] = np.arange(len(of_frame), dtype=np.int32)[::-1]
        first_frames.append(first)
    return of_frames[0], of_frames[1], first_frames[0], first_frames[1]
