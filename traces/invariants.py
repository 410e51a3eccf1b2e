"""What must hold for every trace, whatever it was read from. Importer tests call `check` on all they read."""

from dataclasses import fields
from itertools import pairwise

import numpy as np

from traces.edges import EVERYONE
from traces.model import NONE, CallTree, Profile, Trace, Values
from traces.values import Clock, Counts, Order, ProfileKind, Role, RoleRule, ThreadState, Unit


def check(trace: Trace) -> None:
    """Returns nothing; raises AssertionError naming the first law that is broken."""
    strings, frames = trace.strings, trace.frames
    assert strings.offsets[0] == 0, "strings begin at 0"
    assert strings.offsets[-1] == len(strings.arena), "strings fill their arena"
    assert (np.diff(strings.offsets) >= 0).all(), "string offsets do not decrease"
    for column, lowest in ((frames.name, 0), (frames.file, NONE), (frames.category, NONE)):
        _within(column, lowest, len(strings), "a frame's string exists")
    assert trace.profiles, "a trace has a profile"
    assert 0 <= trace.default_profile < len(trace.profiles), "the default profile exists"
    nodes = spans = 0
    for index, profile in enumerate(trace.profiles):
        assert profile.index == index, "profiles know their index"
        assert (profile.node_base, profile.span_base) == (nodes, spans), "handles count through all profiles"
        nodes += len(profile.tree)
        spans += len(profile.spans) if profile.spans is not None else 0
        _check_tree(profile.tree, len(frames), profile)
        _check_facts(profile)
        if profile.spans is not None:
            assert profile.samples is None, "a profile has samples or spans, not both"
            _check_spans(profile)
        else:
            _check_samples(profile)
    moments = [p.axis_start for p in trace.profiles if p.has_times]
    assert not moments or min(moments) == 0, "the earliest moment is the trace's zero"
    for name in (trace.instants.name, trace.counters.name, trace.async_spans.name, trace.flows.name):
        _within(name, 0, len(strings), "a side table's name exists")
    flows, intervals = trace.flows, trace.async_spans
    for profiles in (trace.instants.profile, trace.counters.profile, intervals.profile, flows.from_profile):
        _within(profiles, NONE, len(trace.profiles), "a side table's profile exists")
    _within(flows.to_profile, NONE, len(trace.profiles), "an arrow ends in a profile that exists")
    _within(intervals.ident, 0, len(strings), "an interval's id exists")
    assert (intervals.end >= intervals.start).all(), "intervals do not run backwards"
    asked = trace.requests
    _within(asked.profile, NONE, len(trace.profiles), "a request's profile exists")
    assert (asked.end >= asked.start).all(), "requests do not run backwards"
    for text in (asked.url, asked.kind, asked.priority, asked.blocking, asked.found_in, asked.document):
        _within(text, NONE, len(strings), "a request's text exists")
    _check_states(trace)
    _check_edges(trace)


def _check_states(trace: Trace) -> None:
    states = trace.thread_states
    _within(states.profile, 0, len(trace.profiles), "a state's profile exists")
    _within(states.state, 0, len(ThreadState), "a state is one of those known")
    assert (states.end > states.start).all(), "states do not run backwards"
    same = np.diff(states.profile) == 0
    assert (np.diff(states.profile) >= 0).all(), "states are in order of their profiles"
    assert (states.start[1:][same] >= states.end[:-1][same]).all(), "a thread does one thing at a time"


def _check_edges(trace: Trace) -> None:
    edges = trace.edges
    for column in fields(edges):
        assert len(getattr(edges, column.name)) == len(edges), "an edge has all its columns"
    _within(edges.profile, 0, len(trace.profiles), "an edge's profile exists")
    _within(edges.caller, NONE, len(trace.frames), "an edge's caller exists")
    _within(edges.callee, 0, len(trace.frames), "an edge's callee exists")
    for numbers in (edges.calls, edges.primitive, edges.self_value, edges.total_value):
        assert np.isfinite(numbers).all(), "a number of an edge is finite"
        assert ((numbers == NONE) | (numbers >= 0)).all(), "a number of an edge is none or not negative"
    if not len(edges):
        return
    values = np.array([len(profile.values) for profile in trace.profiles])
    assert ((edges.value >= 0) & (edges.value < values[edges.profile])).all(), "an edge's value exists"
    place = edges.profile.astype(np.int64) << 32 | edges.value
    assert (np.diff(place) >= 0).all(), "edges are in order of profiles and values"
    for low, high in pairwise([0, *(np.flatnonzero(np.diff(place)) + 1).tolist(), len(edges)]):
        ends = (edges.caller[low:high].astype(np.int64) + 1) << 32 | edges.callee[low:high]
        assert len(np.unique(ends)) == high - low, "a caller and a callee have one row"
        of_functions = edges.caller[low:high] == EVERYONE
        everything = edges.self_value[low:high][of_functions].sum() * (1 + 2e-3)
        assert (edges.total_value[low:high][of_functions] <= everything).all(), "a function has no more than all"
    known = (edges.caller == EVERYONE) & (edges.total_value >= 0)
    assert (edges.total_value[known] >= edges.self_value[known] * (1 - 2e-3)).all(), "self is part of the total"


def _check_facts(profile: Profile) -> None:
    facts = profile.facts
    assert facts.order is Order.NONE or profile.axis.is_time, "only a time axis has moments"
    assert (facts.order is Order.NONE) == (facts.clock is Clock.NONE), "what has moments has a clock, and only that"
    assert (profile.role is Role.UNKNOWN) == (profile.role_rule is RoleRule.NONE), "a role is known by a rule"
    if profile.kind is ProfileKind.EVENTED:
        assert facts.counts is Counts.CALLS, "an evented profile counts calls"
        assert facts.count_value is None, "an evented profile counts its spans"
    if facts.counts is Counts.NONE:
        assert facts.count_value is None, "what counts nothing has no value of counts"
        assert not profile.tree.count.any(), "without counts all are 0"
    if facts.count_value is not None:
        assert 0 <= facts.count_value < len(profile.values), "the value of the counts exists"
        assert profile.values[facts.count_value].unit is Unit.COUNT, "the value of the counts is a number"
        values = profile.tree.self_values[facts.count_value]
        assert np.allclose(profile.tree.count, values, rtol=1e-9, atol=1), "count is the value that holds the counts"
        sums, exact = (np.bincount(profile.tree.frame, column) for column in (profile.tree.count, values))
        assert np.allclose(sums, exact, rtol=1e-9, atol=0.5), "counts of a function add up to its value"
    if facts.counts is Counts.CALLS and profile.samples is not None:
        assert facts.count_value is not None, "calls of a profile without spans are a value of it"


def _within(column: Values, lowest: int, end: int, law: str) -> None:
    assert len(column) == 0 or (lowest <= column.min() and column.max() < end), law


def _same(left: Values, right: Values, law: str) -> None:
    if left.dtype.kind == "i":
        assert (left == right).all(), law
    else:
        assert np.allclose(left, right, rtol=1e-9, atol=1e-6), law


def _check_tree(tree: CallTree, frame_count: int, profile: Profile) -> None:
    size = len(tree)
    index = np.arange(size)
    child = tree.parent >= 0
    up = tree.parent[child]
    _within(tree.frame, 0, frame_count, "a node's frame exists")
    _within(tree.parent, NONE, size, "a node's parent exists")
    assert (tree.parent < index).all(), "parents come first"
    assert (tree.depth[~child] == 0).all(), "roots have depth 0"
    assert (tree.depth[child] == tree.depth[up] + 1).all(), "depth counts from the root"
    pairs = tree.parent.astype(np.int64) << 32 | tree.frame
    assert len(np.unique(pairs)) == size, "no two nodes share parent and frame"
    assert len(tree.self_values) == len(tree.total_values) == len(profile.values), "one column a value"
    for own, total in zip(tree.self_values, tree.total_values, strict=True):
        children = np.zeros(size, total.dtype)
        np.add.at(children, up, total[child])
        _same(own + children, total, "self + children = total")
        assert (own >= 0).all(), "no self value is negative"
    again = np.ones(size, np.uint8)
    nodes, ancestors = np.flatnonzero(child), up
    while len(nodes):
        again[nodes[tree.frame[nodes] == tree.frame[ancestors]]] = 0
        ancestors = tree.parent[ancestors]
        nodes, ancestors = nodes[ancestors >= 0], ancestors[ancestors >= 0]
    assert (again == tree.outermost).all(), "outermost nodes have no ancestor of their frame"


def _check_samples(profile: Profile) -> None:
    samples, tree = profile.samples, profile.tree
    assert samples is not None, "a profile has samples or spans"
    _within(samples.leaf, NONE, len(tree), "a sample's leaf exists")
    assert len(samples.time) == len(samples.leaf), "one time a sample"
    assert (np.diff(samples.time) >= 0).all(), "samples are in time order"
    busy = samples.leaf >= 0
    if profile.counts is not Counts.NONE and profile.facts.count_value is None:
        rows = np.bincount(samples.leaf[busy], minlength=len(tree))
        assert (rows == tree.count).all(), "count is the samples per leaf"
    for weights, own in zip(samples.weights, tree.self_values, strict=True):
        assert len(weights) == len(samples.leaf), "one weight a sample"
        assert (weights >= 0).all(), "no weight is negative"
        sums = np.zeros(len(tree), weights.dtype)
        np.add.at(sums, samples.leaf[busy], weights[busy])
        _same(sums, own, "self is the sum of the samples")
    if len(samples):
        ends = samples.time
        if profile.unit == profile.axis:
            ends = samples.time + samples.weights[profile.default_value]
            assert (ends[:-1] <= samples.time[1:] + _slack(profile)).all(), "samples do not overlap"
        assert profile.axis_start <= samples.time[0], "samples begin inside the axis"
        assert ends[-1] <= profile.axis_end + _slack(profile), "samples end inside the axis"


def _slack(profile: Profile) -> float:
    return 0 if profile.axis.is_time else 1e-9 * max(1.0, abs(profile.axis_end))


def _check_spans(profile: Profile) -> None:
    spans, tree = profile.spans, profile.tree
    assert spans is not None, "an evented profile has spans"
    size = len(spans)
    child = spans.parent >= 0
    up = spans.parent[child]
    assert (spans.parent < np.arange(size)).all(), "parent spans come first"
    _within(spans.node, 0, len(tree), "a span's node exists")
    assert (spans.end >= spans.start).all(), "spans do not run backwards"
    assert (spans.start[1:] >= spans.start[:-1]).all(), "spans are in order of their start"
    assert (spans.start[child] >= spans.start[up]).all(), "a span begins inside its parent"
    assert (spans.end[child] <= spans.end[up]).all(), "a span ends inside its parent"
    assert (spans.depth[~child] == 0).all(), "root spans have depth 0"
    assert (spans.depth[child] == spans.depth[up] + 1).all(), "span depth counts from the root"
    assert (tree.parent[spans.node[child]] == spans.node[up]).all(), "nodes nest as their spans do"
    assert (tree.parent[spans.node[~child]] == NONE).all(), "root spans have root nodes"
    order = np.argsort(spans.depth, kind="stable")
    starts, ends, depths = spans.start[order], spans.end[order], spans.depth[order]
    same_row = depths[1:] == depths[:-1]
    assert (starts[1:][same_row] >= ends[:-1][same_row]).all(), "spans of one depth are disjoint and in time order"
    _within(spans.unfinished, 0, size, "an unfinished span exists")
    assert (np.diff(spans.unfinished) > 0).all(), "unfinished spans are in order"
    own = spans.end - spans.start
    np.subtract.at(own, up, (spans.end - spans.start)[child])
    for row in spans.unfinished[::-1].tolist():  # callees first
        if spans.parent[row] >= 0:
            own[spans.parent[row]] += own[row]
        own[row] = 0
    _same(spans.self_value, own, "self is the duration without children, and nothing without an end")
    sums = np.zeros(len(tree), spans.self_value.dtype)
    np.add.at(sums, spans.node, spans.self_value)
    _same(sums, tree.self_values[0], "a node's self is the sum of its spans")
    assert (np.bincount(spans.node, minlength=len(tree)) == tree.count).all(), "count is the calls per node"
    if size:
        assert profile.axis_start <= spans.start.min(), "spans begin inside the axis"
        assert spans.end.max() <= profile.axis_end, "spans end inside the axis"
