"""What summaries ask of call trees of a few nodes, of all that a trace has at once: a call of numpy costs more than
such a tree, and a recording may have fifteen thousand."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.analysis.name_kinds import NOBODY_KNOWS, WAITS_BY_NAME, WORKS, NameKinds
from traces.model import NONE, Int32, Int64, Profile, Trace

SMALL_NODES = 300
"""A tree of no more nodes is small: as many as functions whose names are asked of a larger one."""
COLUMNS = ("frame", "parent", "count")


@dataclass(frozen=True)
class SmallTree:
    """Of the default value, which is a time, in nanoseconds: the sum of the roots, what functions that work, wait and
    of which nobody knows spent by themselves, and those without a name. `count` is the sum of the tree's counts."""

    total: int
    works: int
    waits: int
    nobody_knows: int
    unnamed: int
    runs_tasks: bool
    count: int


@dataclass(frozen=True, slots=True)
class SmallTrees:
    """Those of a trace as columns, a row each, in the order of `profiles`; `row` is that of every profile of the trace,
    -1 where it has none."""

    profiles: list[Profile]
    row: Int32
    total: Int64
    works: Int64
    waits: Int64
    nobody_knows: Int64
    unnamed: Int64
    runs_tasks: npt.NDArray[np.bool_]
    count: Int64

    def of(self, profile: int) -> SmallTree | None:
        """That of a profile of the trace."""
        row = int(self.row[profile])
        if row == NONE:
            return None
        return SmallTree(
            total=int(self.total[row]),
            works=int(self.works[row]),
            waits=int(self.waits[row]),
            nobody_knows=int(self.nobody_knows[row]),
            unnamed=int(self.unnamed[row]),
            runs_tasks=bool(self.runs_tasks[row]),
            count=int(self.count[row]),
        )


def small_tree(trace: Trace, profile: Profile) -> SmallTree | None:
    """That of a profile of the trace; None where its tree is large or empty, or what it measures is no time."""
    return small_trees(trace).of(profile.index) if trace.profiles[profile.index] is profile else None


def small_trees(trace: Trace) -> SmallTrees:
    """Those of all profiles that have one."""
    if "small trees" not in trace.answers:
        trace.answers["small trees"] = _small_trees(trace)
    found: SmallTrees = trace.answers["small trees"]
    return found


def _small_trees(trace: Trace) -> SmallTrees:
    small = [p for p in trace.profiles if 0 < len(p.tree.frame) <= SMALL_NODES and p.unit.is_time]
    row = np.full(len(trace.profiles), NONE, np.int32)
    if not small:
        nothing = np.zeros(0, np.int64)
        return SmallTrees([], row, nothing, nothing, nothing, nothing, nothing, nothing > 0, nothing)
    row[[p.index for p in small]] = np.arange(len(small))
    trees = [p.tree for p in small]
    frame, parent, count = (np.concatenate([getattr(tree, name) for tree in trees]) for name in COLUMNS)
    own = np.concatenate([p.tree.self_values[p.default_value] for p in small])
    total = np.concatenate([p.tree.total_values[p.default_value] for p in small])
    first = np.cumsum([0, *(len(tree.frame) for tree in trees[:-1])])
    kinds = NameKinds.of(trace, frame)
    works, waits, nobody_knows = (
        np.add.reduceat(np.where(kinds.kind == kind, own, 0), first) for kind in (WORKS, WAITS_BY_NAME, NOBODY_KNOWS)
    )
    return SmallTrees(
        profiles=small,
        row=row,
        total=np.add.reduceat(np.where(parent < 0, total, 0), first),
        works=works,
        waits=waits,
        nobody_knows=nobody_knows,
        unnamed=np.add.reduceat(np.where(kinds.is_unnamed, own, 0), first),
        runs_tasks=np.logical_or.reduceat(kinds.is_task, first),
        count=np.add.reduceat(count, first),
    )
