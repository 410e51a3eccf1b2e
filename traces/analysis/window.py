"""Part of a profile's axis, and what each call-tree node has inside it."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.levels import depth_levels, sum_upwards
from traces.errors import InvalidQuestion
from traces.model import CallTree, Int64, Profile, Samples, Values
from traces.values import ProfileKind


@dataclass(frozen=True, slots=True)
class Window:
    """From `start` (included) to `end` (excluded), in the unit of the profile's axis."""

    start: float
    end: float

    def __post_init__(self) -> None:
        if not self.start < self.end:
            raise InvalidQuestion(
                f"the window {self.start:g} to {self.end:g} is empty: its start must lie before its end."
            )


@dataclass(frozen=True, slots=True)
class NodeValues:
    """Self, total and count of each node of a call tree, in one of the profile's values, whole or in a window."""

    self_value: Values
    total_value: Values
    count: Int64


def node_values(profile: Profile, window: Window | None = None, value: int | None = None) -> NodeValues:
    """What each node has inside the window (None: all). What crosses an edge counts for the part inside."""
    tree = profile.tree
    index = profile.default_value if value is None else value
    if window is None:
        return NodeValues(tree.self_values[index], tree.total_values[index], tree.count)
    own = np.zeros(len(tree), tree.self_values[index].dtype)
    if profile.kind is ProfileKind.EVENTED:
        spans = profile.spans
        assert spans is not None
        start, end = clip(spans.start, spans.end, window)
        inside = (end > start) | ((spans.start == spans.end) & (spans.start >= window.start) & (spans.end < window.end))
        inner = end - start
        mine = inner.copy()
        child = spans.parent >= 0
        np.subtract.at(mine, spans.parent[child], inner[child])
        np.add.at(own, spans.node, mine.astype(own.dtype))
        count = np.bincount(spans.node[inside], minlength=len(tree)).astype(np.int64)
    else:
        samples = profile.samples
        assert samples is not None
        begins, ends = sample_extent(profile, samples)
        start, end = clip(begins, ends, window)
        inside = (end > start) | ((begins == ends) & (begins >= window.start) & (begins < window.end))
        inside &= samples.leaf >= 0
        lasting = (ends - begins)[inside]
        share = np.divide((end - start)[inside], lasting, out=np.ones(len(lasting)), where=lasting > 0)
        weights = samples.weights[index][inside] * share
        if own.dtype.kind == "i":
            weights = np.rint(weights).astype(own.dtype)
        np.add.at(own, samples.leaf[inside], weights)
        count = np.bincount(samples.leaf[inside], minlength=len(tree)).astype(np.int64)
    return NodeValues(own, sum_upwards(own, tree.parent, depth_levels(tree.depth)), count)


def clip(start: Values, end: Values, window: Window) -> tuple[Values, Values]:
    """Intervals cut at the window's edges; what lies outside becomes empty."""
    low, high = window.start, window.end
    if start.dtype.kind == "i":
        low, high = int(np.floor(low)), int(np.ceil(high))
    begins = np.clip(start, low, high)
    return begins, np.maximum(np.clip(end, low, high), begins)


def sample_extent(profile: Profile, samples: Samples) -> tuple[Values, Values]:
    """Where each sample begins and ends on the axis."""
    if profile.unit == profile.axis:
        return samples.time, samples.time + samples.weights[profile.default_value]
    return samples.time, np.append(samples.time[1:], np.asarray(profile.axis_end, samples.time.dtype))


def whole(tree: CallTree, total: Values) -> float:
    """All of a profile that is not idle: the sum of its roots."""
    return float(total[tree.parent < 0].sum())
