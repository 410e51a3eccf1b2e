"""Part of a profile's axis, and what each call-tree node has inside it."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from traces.analysis.time_axis import need_times
from traces.errors import InvalidQuestion
from traces.kernels.columns import counted
from traces.kernels.trees import sum_by_node, sum_upwards
from traces.mapped_profile import MappedProfile
from traces.model import NONE, CallTree, Int32, Int64, Profile, Samples, Spans, Values
from traces.unfinished import leave_out
from traces.values import Counts, ProfileKind

Column = TypeVar("Column", bound=np.generic)


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
    """Self, total and count of each node of a call tree, in one of the profile's values, in all or in a window.

    `hidden` is the value of stacks in which a filter shows no frame at all.
    """

    self_value: Values
    total_value: Values
    count: Int64
    hidden: float = 0.0


def node_values(profile: Profile, window: Window | None = None, value: int | None = None) -> NodeValues:
    """What each node has inside the window (None: all). What crosses an edge counts for the part inside, and as one
    among the counts. Raises NoTimes for a window in a profile without times."""
    tree = profile.tree
    index = profile.default_value if value is None else value
    if window is None:
        return NodeValues(tree.self_values[index], tree.total_values[index], tree.count)
    need_times((profile,), IN_A_WINDOW)
    if isinstance(profile, MappedProfile):
        return _mapped(profile, node_values(profile.base, window, index))
    if profile.kind is ProfileKind.EVENTED:
        assert profile.spans is not None
        return _spans_in_window(profile.spans, tree, window)
    inside = samples_inside(profile, index, window)
    return values_of_leaves(tree, inside.leaf, inside.weights, inside.counts)


IN_A_WINDOW = "what happened in a window"


def _mapped(profile: MappedProfile, recorded: NodeValues) -> NodeValues:
    """What the nodes of the recorded tree have, by the nodes that stand for them."""
    size = len(profile.tree)
    own = sum_by_node(profile.leaf, recorded.self_value, size)
    counts = sum_by_node(profile.shown if profile.counts is Counts.CALLS else profile.leaf, recorded.count, size)
    return NodeValues(own, sum_upwards(own, profile.tree.parent), counts)


def values_of_leaves(tree: CallTree, leaf: Int32, weights: Values, counts: Int64 | None) -> NodeValues:
    """What each node has of samples, given their leaves in the tree, none of which is idle, weights, and what each
    counts (None: one)."""
    own = sum_by_node(leaf, weights, len(tree))
    count = counted(leaf, len(tree)) if counts is None else sum_by_node(leaf, counts, len(tree))
    return NodeValues(own, sum_upwards(own, tree.parent), count)


@dataclass(frozen=True, slots=True)
class SamplesInside:
    """Leaves of samples that are not idle, their weights, and what each counts (None: one)."""

    leaf: Int32
    weights: Values
    counts: Int64 | None


def _spans_in_window(spans: Spans, tree: CallTree, window: Window) -> NodeValues:
    if len(spans.unfinished):
        return _some_unfinished(spans, tree, window)
    low, high = edges(spans.start, window)
    near = spans_near(spans, Window(low, high))
    start, end, node = (column[near.first : near.stop] for column in (spans.start, spans.end, spans.node))
    lasting = end - start
    for row in _open_at(spans, near.stop, high):
        if row >= near.first:
            lasting[row - near.first] = high - spans.start[row]
    total, count = sum_by_node(node, lasting, len(tree)), counted(node, len(tree))
    for row in near.still_open.tolist():  # a few: spans that hold each other
        total[spans.node[row]] += min(spans.end[row], high) - low
        count[spans.node[row]] += 1
    early = int(np.searchsorted(start, bounds(start, window)[0]))
    np.subtract.at(count, node[:early][lasting[:early] == 0], 1)  # moments between the edge and where it was moved to
    # What callees spend lies inside their callers: the sums of a node's spans are its total.
    return NodeValues(total - sum_by_node(tree.parent, total, len(tree)), total, count)


def _some_unfinished(spans: Spans, tree: CallTree, window: Window) -> NodeValues:
    """The same where some have no end: span by span, so that what these would last can be left out."""
    near = spans_near(spans, window)
    rows, node = near.rows, near.of(spans.node)
    start, end = clip(near.of(spans.start), near.of(spans.end), window)
    own = end - start
    above = spans.parent[rows]
    place = np.where(above >= near.first, above - near.first + len(near.still_open), NONE)
    early = np.flatnonzero((above >= 0) & (above < near.first))
    found = np.searchsorted(near.still_open, above[early])
    is_open = np.append(near.still_open, NONE)[found] == above[early]  # one may end where the window begins
    place[early[is_open]] = found[is_open]
    np.subtract.at(own, place[place >= 0], (end - start)[place >= 0])
    unfinished = np.flatnonzero(np.isin(rows, spans.unfinished)).astype(np.int32)
    leave_out(own, place.astype(np.int32), unfinished)
    of_nodes = sum_by_node(node, own, len(tree))
    return NodeValues(of_nodes, sum_upwards(of_nodes, tree.parent), counted(node, len(tree)))


def samples_inside(profile: Profile, value: int, window: Window) -> SamplesInside:
    """The samples in the window that are not idle; what crosses an edge weighs the part inside."""
    samples = profile.samples
    assert samples is not None
    first, last = samples_near(profile, samples, window)
    leaf, weights = samples.leaf[first:last], samples.weights[value][first:last].copy()
    for row in {first, last - 1} if last > first else ():  # only these can reach over an edge
        begins, ends = sample_extent(profile, samples, row, row + 1)
        start, end = clip(begins, ends, window)
        if (lasting := (ends - begins).item()) > 0:
            part = weights[row - first] * ((end - start).item() / lasting)
            weights[row - first] = np.rint(part) if weights.dtype.kind == "i" else part
    counts = _counts_of(profile, samples, first, last)
    if len(leaf) and leaf.min() < 0:
        busy = leaf >= 0
        leaf, weights, counts = leaf[busy], weights[busy], None if counts is None else counts[busy]
    return SamplesInside(leaf, weights, counts)


def _counts_of(profile: Profile, samples: Samples, first: int, last: int) -> Int64 | None:
    """What each of these rows counts; None where each counts one."""
    if profile.counts is Counts.NONE:
        return np.zeros(last - first, np.int64)
    if (index := profile.facts.count_value) is None:
        return None
    return np.rint(samples.weights[index][first:last]).astype(np.int64)


def samples_near(profile: Profile, samples: Samples, window: Window) -> tuple[int, int]:
    """The first sample that has a moment in the window, and the first behind it; an empty sample is one moment.

    Samples are in order and do not overlap: only the last one before the window can reach into it.
    """
    first, last = np.searchsorted(samples.time, bounds(samples.time, window)).tolist()
    if first:
        begins, ends = clip(*sample_extent(profile, samples, first - 1, first), window)
        first -= int((ends > begins).item())
    return first, last


@dataclass(frozen=True, slots=True)
class SpansNear:
    """Rows of spans, in order: those `still_open` where a window begins, then all that begin in it."""

    still_open: Int64
    first: int
    stop: int

    @property
    def rows(self) -> Int64:
        return self.row(np.arange(len(self.still_open) + self.stop - self.first))

    def row(self, place: Int64) -> Int64:
        """The rows at these places among them."""
        row = place + (self.first - len(self.still_open))
        early = np.flatnonzero(place < len(self.still_open))
        row[early] = self.still_open[place[early]]
        return row

    def of(self, column: npt.NDArray[Column]) -> npt.NDArray[Column]:
        """What the column holds of them."""
        inside = column[self.first : self.stop]
        return np.concatenate((column[self.still_open], inside)) if len(self.still_open) else inside


def spans_near(spans: Spans, window: Window | None) -> SpansNear:
    """The spans that have a moment in the window (None: all); an empty span is one moment.

    Spans are in order of their start, parents first: what is open at a moment is the last span that began before it, or
    lies above that one.
    """
    if window is None:
        return SpansNear(np.zeros(0, np.int64), 0, len(spans))
    first, stop = np.searchsorted(spans.start, bounds(spans.start, window)).tolist()
    return SpansNear(np.array(_open_at(spans, first, window.start), np.int64), first, stop)


def _open_at(spans: Spans, first_after: int, moment: float) -> list[int]:
    """The rows of the spans that go on after a moment before which so many began, the outermost first."""
    rows: list[int] = []
    row = first_after - 1
    while row >= 0:
        if spans.end[row] > moment:
            rows.append(row)
        row = int(spans.parent[row])
    return rows[::-1]


def full_axis(profile: Profile) -> Window:
    """All of a profile."""
    start, end = float(profile.axis_start), float(profile.axis_end)
    return Window(start, end if end > start else start + 1)


def bounds(column: Values, window: Window) -> Values:
    """The window's edges for a search in the column; a search for floats makes floats of all integers in it."""
    exact = np.array((window.start, window.end))
    return np.ceil(exact).astype(column.dtype) if column.dtype.kind == "i" else exact


def edges(column: Values, window: Window) -> tuple[float, float]:
    """The window's, moved out to integers where the column holds those."""
    if column.dtype.kind == "i":
        return int(np.floor(window.start)), int(np.ceil(window.end))
    return window.start, window.end


def clip(start: Values, end: Values, window: Window) -> tuple[Values, Values]:
    """Intervals cut at the window's edges; what lies outside becomes empty."""
    low, high = edges(start, window)
    begins = np.minimum(np.maximum(start, low), high)
    return begins, np.maximum(np.minimum(end, high), begins)


def sample_extent(profile: Profile, samples: Samples, first: int = 0, last: int | None = None) -> tuple[Values, Values]:
    """Where each sample of these rows begins and ends on the axis."""
    last = len(samples) if last is None else last
    begins = samples.time[first:last]
    if profile.unit == profile.axis:
        return begins, begins + samples.weights[profile.default_value][first:last]
    ends = samples.time[first + 1 : last + 1]
    if len(ends) < len(begins):
        ends = np.append(ends, np.asarray(profile.axis_end, ends.dtype))
    return begins, ends


def root_total(tree: CallTree, total: Values) -> float:
    """All of a profile that is not idle: the sum of its roots."""
    return float(total[tree.parent < 0].sum())
