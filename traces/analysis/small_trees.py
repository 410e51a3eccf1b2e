"""What summaries ask of call trees of a few nodes, of all that a trace has at once: a call of numpy costs more than
such a tree, and a recording may have fifteen thousand."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from traces.analysis.name_kinds import NameKinds
from traces.model import Profile, Trace
from traces.unchecked import unchecked

SMALL_NODES = 300
"""A tree of no more nodes is small: as many as functions whose names are asked of a larger one."""


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


def small_tree(trace: Trace, profile: Profile) -> SmallTree | None:
    """That of a profile of the trace; None where its tree is large or empty, or what it measures is no time."""
    found = small_trees(trace).get(profile.index)
    return found if found is not None and trace.profiles[profile.index] is profile else None


def small_trees(trace: Trace) -> dict[int, SmallTree]:
    """Those of all profiles that have one, by index."""
    if "small trees" not in trace.answers:
        trace.answers["small trees"] = _small_trees(trace)
    found: dict[int, SmallTree] = trace.answers["small trees"]
    return found


def _small_trees(trace: Trace) -> dict[int, SmallTree]:
    small = [p for p in trace.profiles if 0 < len(p.tree.frame) <= SMALL_NODES and p.unit.is_time]
    if not small:
        return {}
    trees = [p.tree for p in small]
    frame, parent, count = (_joined([getattr(tree, name) for tree in trees]) for name in ("frame", "parent", "count"))
    own = _joined([p.tree.self_values[p.default_value] for p in small])
    total = _joined([p.tree.total_values[p.default_value] for p in small])
    first = np.cumsum([0, *(len(tree.frame) for tree in trees[:-1])])
    kinds = NameKinds.of(trace, frame)

    def of_each(values: npt.NDArray[Any]) -> list[Any]:
        sums: list[Any] = np.add.reduceat(values, first).tolist()
        return sums

    rows = zip(
        small,
        of_each(np.where(parent < 0, total, 0)),
        *[of_each(np.where(kinds.kind == kind, own, 0)) for kind in range(3)],
        of_each(np.where(kinds.is_unnamed, own, 0)),
        np.logical_or.reduceat(kinds.is_task, first).tolist(),
        of_each(count),
        strict=True,
    )
    return {
        p.index: unchecked(
            SmallTree,
            total=everything,
            works=works,
            waits=waits,
            nobody_knows=nobody_knows,
            unnamed=unnamed,
            runs_tasks=bool(runs_tasks),
            count=calls,
        )
        for p, everything, works, waits, nobody_knows, unnamed, runs_tasks, calls in rows
    }


def _joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.concatenate(parts)
