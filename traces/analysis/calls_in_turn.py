"""Of the calls of one function, how many go on to others in turn: how long that takes, and where the rest end."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.model import CallTree, Int64, Profile, Spans

Mask = npt.NDArray[np.bool_]
KEPT_ENDINGS = 50
"""Functions in which calls end, those with most of them."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `reached` is a number of calls, or what samples weigh. `took` is from the step before, a row a call,
    empty for the first and for samples; `endings` are frames in which those that come no further end (-1: the step
    before itself), with how much of them."""

    reached: float
    took: Int64
    endings: tuple[tuple[int, float], ...] = ()


def call_path(profile: Profile, steps: Sequence[Mask]) -> tuple[Step, ...]:
    """The steps of a profile; each of `steps` says which frames are the function's. A call reaches the next step when
    that function begins within it, on its thread, after the step before began. Recursion counts once."""
    if profile.spans is None:
        return _by_weight(profile, steps)
    return _by_calls(profile.tree, profile.spans, steps)


def _by_calls(tree: CallTree, spans: Spans, steps: Sequence[Mask]) -> tuple[Step, ...]:
    first = steps[0][tree.frame]
    inside = _below(tree, first)
    outermost = first & ~inside
    calls = spans.ended(np.flatnonzero(outermost[spans.node]))
    # Spans are in preorder and outermost calls do not overlap: whose a span is says the last outermost call before it.
    every = np.flatnonzero(outermost[spans.node])
    ended = np.isin(every, calls)
    frame = tree.frame[spans.node]
    row_of = np.where(ended, every, -1)
    found = [Step(float(len(calls)), np.zeros(0, np.int64))]
    for among in steps[1:]:
        rows = np.flatnonzero(among[frame] & inside[spans.node])
        owner = np.searchsorted(every, rows, "right") - 1
        later = (row_of[owner] >= 0) & (rows > row_of[owner])
        rows, owner = rows[later], owner[later]
        reached, place = np.unique(owner, return_index=True)
        took = np.asarray(spans.start[rows[place]] - spans.start[row_of[reached]], np.int64)
        lost = np.setdiff1d(np.flatnonzero(row_of >= 0), reached)
        found.append(Step(float(len(reached)), took, _endings(spans, frame, every, lost)))
        now = np.full(len(every), -1, np.int64)
        now[reached] = rows[place]
        row_of = now
    return tuple(found)


def _endings(spans: Spans, frame: npt.NDArray[np.int32], every: Int64, lost: Int64) -> tuple[tuple[int, float], ...]:
    """What each of the lost calls called last, itself."""
    mine = np.zeros(len(spans), bool)
    mine[every[lost]] = True
    children = np.flatnonzero((spans.parent >= 0) & mine[np.maximum(spans.parent, 0)])
    last = dict(zip(spans.parent[children].tolist(), frame[children].tolist(), strict=True))
    counted = Counter(last.get(row, -1) for row in every[lost].tolist())
    return tuple((one, float(count)) for one, count in counted.most_common(KEPT_ENDINGS))


def _by_weight(profile: Profile, steps: Sequence[Mask]) -> tuple[Step, ...]:
    tree = profile.tree
    own = tree.self_values[profile.default_value]
    at = steps[0][tree.frame]
    reached = at | _below(tree, at)
    found = [Step(float(own[reached].sum()), np.zeros(0, np.int64))]
    for among in steps[1:]:
        at = among[tree.frame] & _below(tree, at)
        further = at | _below(tree, at)
        lost = np.flatnonzero(reached & ~further)
        weights = np.bincount(tree.frame[lost], own[lost], len(among))
        most = np.argsort(-weights, kind="stable")[:KEPT_ENDINGS]
        endings = tuple((int(one), float(weights[one])) for one in most if weights[one] > 0)
        found.append(Step(float(own[further].sum()), np.zeros(0, np.int64), endings))
        reached = further
    return tuple(found)


def _below(tree: CallTree, chosen: Mask) -> Mask:
    """Which nodes have one of the chosen above them."""
    above = np.where(tree.parent < 0, len(tree), tree.parent).astype(np.int64)
    above = np.append(above, len(tree))
    marked = np.append(chosen, False)
    found = marked[above]
    while (above[:-1] != len(tree)).any():
        found |= found[above]
        above = above[above]
    return np.asarray(found[:-1])
