"""What a question looks at: one profile or all of them as one, one of its values, with or without some frames."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from traces.analysis.filters import FrameFilter, shown_frames
from traces.analysis.shared_paths import shared_paths
from traces.analysis.time_axis import need_times
from traces.analysis.window import (
    IN_A_WINDOW,
    NodeValues,
    Window,
    node_values,
    root_total,
    samples_inside,
    values_of_leaves,
)
from traces.bounds import MAX_STACK_DEPTH
from traces.errors import InvalidQuestion
from traces.handles import ALL, ProfileChoice, profile_at
from traces.kernels.trees import sum_by_node
from traces.levels import levels_of
from traces.mapped_profile import node_refs
from traces.model import NONE, CallTree, Int32, Int64, Profile, Trace, UInt8
from traces.unfinished import outermost_ended
from traces.values import Counts, ProfileKind, Unit

MERGED_KEPT = 4
"""Merged trees that a trace keeps: a conversation asks of one or two, and each holds some 40 bytes a node, 60 once it
was walked by depth."""


@dataclass(frozen=True, slots=True)
class _Merged:
    """One call tree of several, or of what a filter leaves. `node[i]` says where each node of profile `i` went (-1:
    nowhere is a shown frame above it), `shown[i]` the same of those whose frame is shown (-1: it is not)."""

    tree: CallTree
    refs: Int64
    node: tuple[Int32, ...]
    shown: tuple[Int32, ...]


@dataclass(frozen=True)
class Selection:
    """`value[i]` is the value of `profiles[i]` that is looked at. `left_out` profiles measure something else."""

    trace: Trace
    profiles: tuple[Profile, ...]
    value: tuple[int, ...]
    handle: str
    name: str
    left_out: int
    frame_filter: FrameFilter | None

    @property
    def unit(self) -> Unit:
        return self.profiles[0].values[self.value[0]].unit

    @property
    def kind(self) -> ProfileKind:
        return self.profiles[0].kind

    @property
    def counts(self) -> Counts:
        return self.profiles[0].counts

    @property
    def count_name(self) -> str | None:
        """What counts are a number of, None without counts."""
        return self.profiles[0].count_name

    @property
    def has_times(self) -> bool:
        return all(p.has_times for p in self.profiles)

    @property
    def axis(self) -> Unit:
        return self.profiles[0].axis

    @property
    def axis_start(self) -> float:
        return min(p.axis_start for p in self.profiles)

    @property
    def axis_end(self) -> float:
        return max(p.axis_end for p in self.profiles)

    @property
    def tree(self) -> CallTree:
        """The call tree that questions walk; its own value columns are those of the first profile only where nothing
        is merged: ask `values`."""
        return self._merged.tree if self._merged is not None else self.profiles[0].tree

    @cached_property
    def outermost(self) -> UInt8:
        """1 for the nodes of `tree` whose totals make up those of functions: recursion counts once, and calls that
        never ended do not."""
        merged = self._merged
        if merged is None:
            return self.profiles[0].outermost_ended
        size = len(merged.tree)
        known = np.zeros(size + 1, np.bool_)  # the last row answers for NONE
        for p, node in zip(self.profiles, merged.shown, strict=True):
            known[node if p.spans is None else node[~p.spans.never_ended]] = True
        return outermost_ended(merged.tree.frame, merged.tree.parent, ~known[:-1], merged.tree.outermost)

    def refs(self, nodes: Int64) -> Int64:
        """The numbers behind the handles of nodes; of a merged one, of the first that went into it."""
        return self._merged.refs[nodes] if self._merged is not None else node_refs(self.profiles[0], nodes)

    def in_profiles(self, nodes: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], ...]:
        """Which nodes of each profile went into these nodes of `tree`."""
        if self._merged is None:
            return (nodes,)
        return tuple(np.append(nodes, np.False_)[to] for to in self._merged.node)

    def values(self, window: Window | None = None) -> NodeValues:
        """What each node of `tree` has inside the window (None: all). Raises NoTimes."""
        if window is not None:
            need_times(self.profiles, IN_A_WINDOW)
        merged = self._merged
        if merged is None:
            return node_values(self.profiles[0], window, self.value[0])
        if window is not None and self.kind is ProfileKind.SAMPLED:
            return self._values_of_samples(merged, window)
        parts = [node_values(p, window, v) for p, v in zip(self.profiles, self.value, strict=True)]
        size = len(merged.tree)
        own, total = (np.zeros(size, parts[0].self_value.dtype) for _ in range(2))
        count = np.zeros(size, np.int64)
        hidden = 0.0
        # A hidden call is no call of its caller, but a sample in it is a sample in its caller.
        counted = merged.shown if self.counts is Counts.CALLS else merged.node
        for part, node, shown, counts in zip(parts, merged.node, merged.shown, counted, strict=True):
            own += sum_by_node(node, part.self_value, size)
            total += sum_by_node(shown, part.total_value, size)
            count += sum_by_node(counts, part.count, size)
            if self.frame_filter:
                hidden += float(part.self_value[node < 0].sum())
        return NodeValues(own, total, count, hidden)

    def _values_of_samples(self, merged: _Merged, window: Window) -> NodeValues:
        """The same, by what the few samples of a window come to in the merged tree instead of node by node."""
        inside = [samples_inside(p, v, window) for p, v in zip(self.profiles, self.value, strict=True)]
        node = np.concatenate([to[one.leaf] for to, one in zip(merged.node, inside, strict=True)])
        weights = np.concatenate([one.weights for one in inside])
        counts = None
        if any(one.counts is not None for one in inside):
            each = [np.ones(len(one.leaf), np.int64) if one.counts is None else one.counts for one in inside]
            counts = np.concatenate(each)
        hidden = 0.0
        if self.frame_filter:
            shown = node >= 0
            hidden = float(weights[~shown].sum())
            node, weights, counts = node[shown], weights[shown], None if counts is None else counts[shown]
        return replace(values_of_leaves(merged.tree, node, weights, counts), hidden=hidden)

    def total(self, values: NodeValues) -> float:
        """All that is not idle, with what a filter hides altogether."""
        return root_total(self.tree, values.total_value) + values.hidden

    @cached_property
    def _merged(self) -> _Merged | None:
        if len(self.profiles) == 1 and not self.frame_filter:
            return None
        kept = self.trace.merged_trees
        key = tuple(p.index for p in self.profiles), self.frame_filter
        if key not in kept:
            kept[key] = _merge(self.trace, self.profiles, self.frame_filter)
            for oldest in list(kept)[:-MERGED_KEPT]:
                kept.pop(oldest, None)
        merged: _Merged = kept[key]
        return merged


def select(
    trace: Trace,
    profile: ProfileChoice = None,
    *,
    value: str | None = None,
    frame_filter: FrameFilter | None = None,
) -> Selection:
    """The selection. `value` is the name of one of the profile's values (None: what people see first).

    `ALL` takes the profiles of the main one's kind that measure and count the same, so that no moment is counted twice.
    Raises UnknownHandle, InvalidQuestion.
    """
    main = profile_at(trace, None if profile == ALL else profile)
    index = _value_index(main, value)
    if profile != ALL:
        return Selection(trace, (main,), (index,), main.handle, main.name, 0, frame_filter or None)
    chosen_value = main.values[index]
    chosen = [
        p
        for p in trace.profiles
        if (p.kind, p.axis, p.order, p.counts) == (main.kind, main.axis, main.order, main.counts)
        and chosen_value in p.values
    ]
    return Selection(
        trace,
        tuple(chosen),
        tuple(p.values.index(chosen_value) for p in chosen),
        ALL,
        f"{len(chosen)} profiles added up",
        len(trace.profiles) - len(chosen),
        frame_filter or None,
    )


def _value_index(profile: Profile, name: str | None) -> int:
    if name is None:
        return profile.default_value
    for index, known in enumerate(profile.values):
        if known.name == name:
            return index
    names = ", ".join(known.name for known in profile.values)
    raise InvalidQuestion(f"{profile.handle} has no value of that name: it has {names}.")


def _merge(trace: Trace, profiles: Sequence[Profile], frame_filter: FrameFilter | None) -> _Merged:
    sizes = [len(p.tree) for p in profiles]
    offsets = np.cumsum([0, *sizes])
    frame = np.concatenate([p.tree.frame for p in profiles])
    parent = np.concatenate(
        [np.where(p.tree.parent >= 0, p.tree.parent + o, NONE) for p, o in zip(profiles, offsets[:-1], strict=True)]
    ).astype(np.int32)
    levels = levels_of(np.concatenate([p.tree.depth for p in profiles]), parent)
    visible = shown_frames(trace, frame_filter)[frame] if frame_filter else np.ones(len(frame), bool)
    nearest = levels.nearest(visible)
    kept = np.flatnonzero(visible)
    above = np.where(parent[kept] >= 0, nearest[parent[kept]], NONE)
    paths = shared_paths(frame, visible, above, MAX_STACK_DEPTH)
    node = np.full(len(frame) + 1, NONE, np.int32)  # the last row answers for NONE
    node[kept] = paths.leaf
    first = np.empty(len(paths), np.int64)
    first[paths.leaf[::-1]] = kept[::-1]
    refs = np.concatenate([node_refs(p, np.arange(len(p.tree), dtype=np.int64)) for p in profiles])
    outermost = np.concatenate([p.tree.outermost for p in profiles])
    tree = CallTree(
        frame=paths.frame,
        parent=paths.parent,
        depth=paths.depth,
        count=np.zeros(len(paths), np.int64),
        outermost=outermost[first],  # a filter hides all calls of a frame or none
        self_values=(),
        total_values=(),
    )
    places, shown = np.split(node[nearest], offsets[1:-1]), np.split(node[:-1], offsets[1:-1])
    return _Merged(tree, refs[first], tuple(places), tuple(shown))
