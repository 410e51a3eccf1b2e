"""A recording with other call trees: every question of it answers by the transforms, and with the same handles."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from traces.analysis.merged import above
from traces.analysis.selection import Selection, select
from traces.analysis.window import Window, node_values, root_total
from traces.handles import ProfileChoice, profile_of_node, profile_of_span, resolve
from traces.kernels.columns import pick
from traces.kernels.shown_spans import shown_spans
from traces.kernels.trees import outermost, sum_by_node, sum_upwards
from traces.mapped_profile import MappedProfile
from traces.model import NONE, CallTree, Int64, Profile, Samples, Spans, Trace, Values
from traces.transforms.tree_steps import Mapped, first_of_each, step, unchanged
from traces.transforms.vocabulary import Kind, Transforms
from traces.values import Clock, Counts, Order, ProfileKind, Unit

KEPT = 3
"""Transformed recordings that a trace keeps: a chart that is moved asks of one again and again."""
LARGEST_INVERTED = 5_000
"""Nodes of an inverted tree that are followed: more than a chart can show; what is lighter counts for the last callee
that is."""
WITHOUT_BASE = tuple(field.name for field in fields(Profile))


@dataclass(frozen=True, slots=True)
class Left:
    """How much of what was recorded the transforms leave."""

    left: float
    of: float
    unit: Unit

    @property
    def is_nothing(self) -> bool:
        return self.left <= 0

    @property
    def share(self) -> float:
        return self.left / self.of if self.of else 0.0


def transformed(
    trace: Trace,
    transforms: Transforms,
    profile: ProfileChoice = None,
    *,
    value: str | None = None,
    window: Window | None = None,
) -> Trace:
    """The recording with the transformed trees in the profiles chosen; the others are as they were.

    An inverted tree is of one of the values, inside the window, and has no order in time: ask of it without a window.
    Raises UnknownHandle, InvalidQuestion, NoTimes.
    """
    if not transforms:
        return trace
    chosen = select(trace, profile, value=value)
    key = "transformed", transforms, chosen.handle, chosen.value, window if transforms.inverts else None
    kept: dict[object, Trace] = trace.answers.setdefault("transformed", {})
    if key not in kept:
        kept[key] = _transformed(trace, chosen, transforms, window)
        for oldest in list(kept)[:-KEPT]:
            kept.pop(oldest, None)
    return kept[key]


def what_is_left(before: Selection, after: Selection, window: Window | None = None) -> Left:
    """Of the same profiles, before and after; an inverted tree is that of the window already."""
    left = sum(
        root_total(p.tree, node_values(p, None if _is_inverted(p) else window, v).total_value)
        for p, v in zip(after.profiles, after.value, strict=True)
    )
    of = sum(
        root_total(p.tree, node_values(p, window, v).total_value)
        for p, v in zip(before.profiles, before.value, strict=True)
    )
    return Left(left, of, before.unit)


def profile_of_subtree(trace: Trace, transforms: Transforms) -> int | None:
    """The profile of the first node or span that is focused on: that is meant where none is named. Raises
    UnknownHandle."""
    for one in transforms:
        if one.kind is Kind.FOCUS_SUBTREE:
            handle = resolve(trace, one.argument or "", "node", "span")
            find = profile_of_node if handle.kind == "node" else profile_of_span
            return find(trace, handle.index)[0].index
    return None


def _transformed(trace: Trace, chosen: Selection, transforms: Transforms, window: Window | None) -> Trace:
    profiles = list(trace.profiles)
    for profile, value in zip(chosen.profiles, chosen.value, strict=True):
        mapped = unchanged(profile)
        for transform in transforms.upright:
            mapped = step(trace, profile, mapped, transform)
        other = _upright(profile, mapped, with_calls=not transforms.inverts)
        profiles[profile.index] = _inverted(other, value, window) if transforms.inverts else other
    edges = trace.edges.without([profile.index for profile in chosen.profiles]) if len(trace.edges) else trace.edges
    result = replace(trace, profiles=tuple(profiles), edges=edges)
    for name in ("frame_names", "name_ranks"):  # what does not depend on the trees
        if name in vars(trace):
            vars(result)[name] = vars(trace)[name]
    return result


def _upright(profile: Profile, mapped: Mapped, *, with_calls: bool) -> MappedProfile:
    own = [sum_by_node(mapped.leaf, column, len(mapped.frame)) for column in profile.tree.self_values]
    # A merged call is no call of its caller, but a sample in it is a sample in its caller.
    counted = mapped.shown if profile.counts is Counts.CALLS else mapped.leaf
    tree = CallTree(
        frame=mapped.frame,
        parent=mapped.parent,
        depth=mapped.depth,
        count=sum_by_node(counted, profile.tree.count, len(mapped.frame)),
        outermost=outermost(mapped.frame, mapped.parent),
        self_values=tuple(own),
        total_values=tuple(sum_upwards(column, mapped.parent) for column in own),
    )
    spans, rows = None, np.zeros(0, np.int64)
    if profile.spans is not None and with_calls:
        spans, rows = _spans(profile.spans, mapped)
    samples = profile.samples
    if samples is not None:
        samples = replace(samples, leaf=pick(np.append(mapped.leaf, np.int32(NONE)), samples.leaf))
    changed: dict[str, Any] = {"tree": tree, "samples": samples, "spans": spans}
    same = {name: getattr(profile, name) for name in WITHOUT_BASE} | changed
    refs = first_of_each(mapped)
    return MappedProfile(
        **same, base=profile, leaf=mapped.leaf, shown=mapped.shown, refs=refs, span_rows=rows, inverted=False
    )


def _spans(spans: Spans, mapped: Mapped) -> tuple[Spans, Int64]:
    """The calls that are shown, and their rows."""
    found = shown_spans(spans.node, spans.parent, spans.self_value, mapped.shown, mapped.leaf)
    rows = found.row
    unfinished = spans.unfinished[mapped.shown[spans.node[spans.unfinished]] >= 0]

    def those(column: Values) -> Values:
        return column if len(rows) == len(column) else column[rows]

    columns = Spans.known(
        depth=pick(mapped.depth, found.node),
        self_value=found.own,
        start=those(spans.start),
        end=those(spans.end),
        parent=found.above,
        node=found.node,
        node_depth=mapped.depth,
        args_offset=those(spans.args_offset),
        args_length=those(spans.args_length),
        unfinished=found.place[unfinished],
        running=those(spans.running) if len(spans.running) else spans.running,
    )
    return columns, rows


def _inverted(profile: MappedProfile, value: int, window: Window | None) -> MappedProfile:
    """Functions by what they spent themselves, below each its callers: sums without an order in time."""
    values = node_values(profile, window, value)
    starts = np.flatnonzero(values.self_value > 0)
    grown = above(profile.tree, starts, values.self_value[starts], values.count[starts], largest=LARGEST_INVERTED)
    total, size = grown.total_value, len(grown)
    own = total - sum_by_node(grown.parent, total, size)
    tree = CallTree(
        frame=grown.frame,
        parent=grown.parent,
        depth=grown.depth,
        count=grown.count,
        outermost=outermost(grown.frame, grown.parent),
        self_values=(own,),
        total_values=(total,),
    )
    leaf = np.flatnonzero(own > 0).astype(np.int32)
    weights = own[leaf]
    everything = root_total(tree, total)
    samples = Samples(np.concatenate((np.zeros(1, own.dtype), np.cumsum(weights)))[: len(leaf)], leaf, (weights,))
    kind = profile.values[value]
    facts = replace(profile.facts, order=Order.NONE, clock=Clock.NONE, count_value=None)
    nobody = np.full(len(profile.base.tree), NONE, np.int32)
    return replace(
        profile,
        kind=ProfileKind.SAMPLED,
        axis=kind.unit,
        axis_start=0,
        axis_end=int(everything) if kind.unit.is_time else everything,
        values=(kind,),
        default_value=0,
        tree=tree,
        samples=samples,
        spans=None,
        facts=facts,
        leaf=nobody,
        shown=nobody,
        refs=profile.refs[grown.ref],
        inverted=True,
    )


def _is_inverted(profile: Profile) -> bool:
    return isinstance(profile, MappedProfile) and profile.inverted
