"""Profiles while a file is read: call trees are made for many small ones at once, as a call of numpy or of a kernel
costs more than the rows of a thread that has a few."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from traces.bounds import MAX_STACK_DEPTH
from traces.counting import integer_counts
from traces.kernels.columns import counted, pick
from traces.kernels.many_threads import paths_of_threads
from traces.kernels.spans import joined_times, no_times, self_durations, sum_spans
from traces.kernels.trees import Paths, outermost, paths_of_spans, sum_by_node, sum_upwards
from traces.model import NONE, CallTree, Int32, Int64, Profile, Samples, Spans, UInt8, Values
from traces.roles import role_of
from traces.unchecked import unchecked
from traces.unfinished import leave_out
from traces.values import Counts, Facts, ProfileKind, Unit, ValueType

SMALL_ROWS = 2_048
"""Profiles of no more rows are finished together."""
PENDING_ROWS = 1 << 18
"""So many rows of small profiles wait to be finished."""
Column = npt.NDArray[Any]


@dataclass(slots=True)
class TreeColumns:
    """The columns of a call tree, or of several one after the other, whose parents count through all."""

    frame: Int32
    parent: Int32
    depth: Int32
    count: Int64
    outermost: UInt8
    own: tuple[Values, ...]
    total: tuple[Values, ...]


@dataclass(slots=True)
class SampleRows:
    """What an importer gave of a sampled profile; `paths` has the nodes that `leaf` points at."""

    time: Values
    leaf: Int32
    weights: tuple[Values, ...]
    paths: Paths

    def __len__(self) -> int:
        return len(self.leaf)


@dataclass(slots=True)
class SpanRows:
    """What an importer gave of an evented profile, nested: `unfinished` are rows."""

    start: Values
    end: Values
    frame: Int32
    parent: Int32
    args_offset: Int64
    args_length: Int32
    unfinished: Int32
    running: Int64 = field(default_factory=no_times)

    def __len__(self) -> int:
        return len(self.start)


@dataclass(slots=True)
class Draft:
    """One profile: what it is called and measures, and its rows, until `tree` is made of them."""

    name: str
    pid: str
    tid: str
    axis: Unit
    axis_start: int | float
    axis_end: int | float
    values: tuple[ValueType, ...]
    default_value: int
    facts: Facts
    rows: SampleRows | SpanRows | None
    samples: Samples | None = None
    spans: Spans | None = None
    tree: TreeColumns | None = None
    nodes: slice = field(default_factory=lambda: slice(0, 0))
    """Which rows of `tree` are its own: small profiles share one."""
    is_moved: bool = False
    """Whether its times are among the `Moments` that `finish` returned."""
    is_main: bool = False
    """Whether the file says that its thread is its process's main one."""

    def __len__(self) -> int:
        """How many samples or spans it has."""
        rows = self.rows if self.rows is not None else self.samples if self.samples is not None else self.spans
        return len(rows) if rows is not None else 0

    @property
    def cost(self) -> int:
        """The rows and nodes that finishing it is about."""
        return len(self) + (len(self.rows.paths) if isinstance(self.rows, SampleRows) else 0)

    def move(self, zero: int) -> None:
        """Count its times from `zero` on, those that are not moved with others."""
        self.axis_start -= zero
        self.axis_end -= zero
        if self.samples is not None and not self.is_moved:
            self.samples = replace(self.samples, time=self.samples.time - zero)

    def profile(self, index: int, frame: Int32, node_base: int, span_base: int) -> Profile:
        """The finished profile, whose tree's frames are these."""
        tree, mine = self.tree, itemgetter(self.nodes)
        assert tree is not None
        role, role_rule = role_of(self.name, self.pid, self.tid, is_main=self.is_main)
        nodes = unchecked(
            CallTree,
            frame=frame,
            parent=mine(tree.parent),
            depth=mine(tree.depth) if self.spans is None else self.spans.node_depth,
            count=mine(tree.count),
            outermost=mine(tree.outermost),
            self_values=tuple(map(mine, tree.own)),
            total_values=tuple(map(mine, tree.total)),
        )
        return unchecked(
            Profile,
            index=index,
            name=self.name,
            pid=self.pid,
            tid=self.tid,
            kind=ProfileKind.SAMPLED if self.spans is None else ProfileKind.EVENTED,
            axis=self.axis,
            axis_start=self.axis_start,
            axis_end=self.axis_end,
            values=self.values,
            default_value=self.default_value,
            tree=nodes,
            samples=self.samples,
            spans=self.spans,
            node_base=node_base,
            span_base=span_base,
            facts=self.facts,
            role=role,
            role_rule=role_rule,
        )


Moments = list[Column]
"""Columns of times that may be put on the trace's clock where they lie."""


def finish(drafts: Sequence[Draft]) -> Moments:
    """Make the trees of drafts of one `likeness`."""
    first = drafts[0].rows
    return _finish_spans(drafts) if isinstance(first, SpanRows) else _finish_samples(drafts)


def likeness(draft: Draft) -> tuple[object, ...]:
    """Drafts for which this is equal can be finished together."""
    rows = draft.rows
    if isinstance(rows, SpanRows):
        return draft.facts, draft.axis, rows.start.dtype, len(rows.unfinished) > 0
    assert rows is not None
    return draft.facts, draft.axis, rows.time.dtype, tuple(weights.dtype for weights in rows.weights)


def finish_threads(drafts: Sequence[Draft], rows: SpanRows, bounds: Int64) -> Moments:
    """Make the trees of evented drafts that have no rows of their own: those of draft `t` are `bounds[t]` to
    `bounds[t + 1]`, and parents and unfinished rows count through all."""
    start, end, parent = rows.start, rows.end, rows.parent
    paths, starts = paths_of_threads(rows.frame, parent, bounds, MAX_STACK_DEPTH)
    node = paths.leaf
    own = self_durations(start, end, parent)
    leave_out(own, parent, rows.unfinished)
    if len(rows.unfinished):
        of_nodes, count = sum_by_node(node, own, len(paths)), counted(node, len(paths))
    else:
        of_nodes, count = sum_spans(start, end, parent, node, len(paths))
    tree = _columns(paths, (of_nodes,), count, starts)
    sizes = np.diff(bounds)
    above = _local(parent, bounds, sizes)
    depth, node = pick(paths.depth, node), _local(node, starts, sizes)
    cuts, node_cuts = bounds.tolist(), starts.tolist()
    open_cuts = np.searchsorted(rows.unfinished, bounds).tolist()
    nothing = rows.unfinished[:0]
    args_offset, args_length, running = rows.args_offset, rows.args_length, rows.running
    has_running = len(running) > 0
    for t, draft in enumerate(drafts):
        low = cuts[t]
        mine = slice(low, cuts[t + 1])
        draft.tree, draft.nodes = tree, slice(node_cuts[t], node_cuts[t + 1])
        first, last = open_cuts[t], open_cuts[t + 1]
        draft.spans = unchecked(
            Spans,
            start=start[mine],
            end=end[mine],
            parent=above[mine],
            node=node[mine],
            node_depth=tree.depth[draft.nodes],
            args_offset=args_offset[mine],
            args_length=args_length[mine],
            unfinished=rows.unfinished[first:last] - low if last > first else nothing,
            running=running[mine] if has_running else running,
            depth=depth[mine],
            self_value=own[mine],
        )
        draft.rows = None
    return [start, end]


def _finish_spans(drafts: Sequence[Draft]) -> Moments:
    if len(drafts) == 1:
        return _finish_one(drafts[0])
    given = [draft.rows for draft in drafts if isinstance(draft.rows, SpanRows)]
    bounds = _bounds([len(rows) for rows in given])
    shifts = np.repeat(bounds[:-1], np.diff(bounds))
    parent = _joined(rows.parent for rows in given)
    unfinished = [rows.unfinished + first for rows, first in zip(given, bounds.tolist(), strict=False)]
    columns = SpanRows(
        start=_joined(rows.start for rows in given),
        end=_joined(rows.end for rows in given),
        frame=_joined(rows.frame for rows in given),
        parent=np.where(parent >= 0, parent + shifts, NONE).astype(np.int32),
        args_offset=_joined(rows.args_offset for rows in given),
        args_length=_joined(rows.args_length for rows in given),
        unfinished=_joined(unfinished).astype(np.int32),
        running=joined_times([rows.running for rows in given], [len(rows) for rows in given]),
    )
    return finish_threads(drafts, columns, bounds)


def _finish_one(draft: Draft) -> Moments:
    """A profile that may fill half of the memory: the frames of its spans become their nodes, nothing is copied."""
    rows = draft.rows
    assert isinstance(rows, SpanRows)
    paths = paths_of_spans(rows.frame, rows.parent, MAX_STACK_DEPTH, owned=True)
    spans = Spans(
        start=rows.start,
        end=rows.end,
        parent=rows.parent,
        node=paths.leaf,
        node_depth=paths.depth,
        args_offset=rows.args_offset,
        args_length=rows.args_length,
        unfinished=rows.unfinished,
        running=rows.running,
    )
    own, count = sum_spans(rows.start, rows.end, rows.parent, paths.leaf, len(paths))
    if len(rows.unfinished):
        own = sum_by_node(paths.leaf, spans.self_value, len(paths))
    draft.tree, draft.nodes = _columns(paths, (own,), count), slice(0, len(paths))
    draft.spans, draft.rows = spans, None
    return [spans.start, spans.end]


def _finish_samples(drafts: Sequence[Draft]) -> Moments:
    given = [draft.rows for draft in drafts if isinstance(draft.rows, SampleRows)]
    starts = _bounds([len(rows.paths) for rows in given])
    bounds = _bounds([len(rows) for rows in given])
    paths, leaf = given[0].paths, given[0].leaf
    time, weights = given[0].time, given[0].weights
    if len(given) > 1:
        time = _joined(rows.time for rows in given)
        weights = tuple(_joined(rows.weights[k] for rows in given) for k in range(len(weights)))
        leaf = _joined(rows.leaf for rows in given)
        leaf = np.where(leaf >= 0, leaf + np.repeat(starts[:-1], np.diff(bounds)), NONE).astype(np.int32)
        parent = _joined(rows.paths.parent for rows in given)
        parent = np.where(parent >= 0, parent + np.repeat(starts[:-1], np.diff(starts)), NONE).astype(np.int32)
        frame, depth = (_joined(getattr(rows.paths, name) for rows in given) for name in ("frame", "depth"))
        paths = Paths(frame, parent, depth, leaf, sum(rows.paths.truncated for rows in given))
    own = tuple(sum_by_node(leaf, column, len(paths)) for column in weights)
    count = _counts(drafts[0].facts, paths, own, leaf, starts)
    tree = _columns(paths, own, count, starts if len(given) > 1 else None)
    cuts, node_cuts = bounds.tolist(), starts.tolist()
    for t, (draft, rows) in enumerate(zip(drafts, given, strict=True)):
        low, high = cuts[t], cuts[t + 1]
        draft.tree, draft.nodes = tree, slice(node_cuts[t], node_cuts[t + 1])
        draft.samples = Samples(time[low:high], rows.leaf, tuple(column[low:high] for column in weights))
        draft.rows, draft.is_moved = None, len(given) > 1
    return [time] if len(given) > 1 else []


def _counts(facts: Facts, paths: Paths, own: tuple[Values, ...], leaf: Int32, starts: Int64) -> Int64:
    if facts.counts is Counts.NONE:
        return np.zeros(len(paths), np.int64)
    if facts.count_value is None:
        return counted(leaf, len(paths))
    counts = own[facts.count_value]
    parts = zip(starts.tolist(), starts.tolist()[1:], strict=False)
    if len(starts) > 2 and not (np.rint(counts) == counts).all():
        return _joined(integer_counts(paths.frame[low:high], counts[low:high]) for low, high in parts)
    return integer_counts(paths.frame, counts)


def frames_in_order(drafts: Sequence[Draft]) -> Int32:
    """The frames of the nodes of all drafts, one draft after the other: where they lie so already they stay."""
    parts = list[tuple[TreeColumns, slice]]()
    for draft in drafts:
        assert draft.tree is not None
        last = parts[-1] if parts else None
        if last is not None and last[0] is draft.tree and last[1].stop == draft.nodes.start:
            parts[-1] = draft.tree, slice(last[1].start, draft.nodes.stop)
        else:
            parts.append((draft.tree, draft.nodes))
    frames = [tree.frame[mine] for tree, mine in parts]
    return frames[0] if len(frames) == 1 else _joined(frames)


def _columns(paths: Paths, own: tuple[Values, ...], count: Int64, starts: Int64 | None = None) -> TreeColumns:
    """The columns of a call tree, totals summed from the leaves up; of several that begin at `starts`, whose parents
    are then their own."""
    return TreeColumns(
        frame=paths.frame,
        parent=paths.parent if starts is None else _local(paths.parent, starts, np.diff(starts)),
        depth=paths.depth,
        count=count,
        outermost=outermost(paths.frame, paths.parent),
        own=own,
        total=tuple(sum_upwards(values, paths.parent) for values in own),
    )


def _local(rows: Int32, first: Int64, sizes: Int64) -> Int32:
    """Indices that count through all threads, as those of each thread."""
    shifts = np.repeat(first[:-1].astype(np.int32), sizes)
    return np.where(rows >= 0, rows - shifts, np.int32(NONE))


def _bounds(sizes: Iterable[int]) -> Int64:
    return np.array([0, *accumulate(sizes)], np.int64)


def _joined(columns: Iterable[Column]) -> Column:
    return np.concatenate(list(columns))
