"""Where in a trace a handle is: the profile, the call path and the moment that show most of it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from traces.analysis.time_axis import is_in_order
from traces.analysis.window import sample_extent
from traces.errors import UnknownHandle
from traces.handles import Handle, place_behind, profile_at, profile_of_node, profile_of_span, resolve
from traces.model import Profile, Trace


@dataclass(frozen=True, slots=True)
class Moment:
    """A time on a profile's axis, which may have no length."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Place:
    """`profile` is a handle; `frame` and `node` are None for a profile itself, `span` wherever a handle is none.

    `window` is where a chart in time order shows it, on the profile's axis: the longest call, or the longest run of
    samples with the heaviest path. None where the profile has no order in time. Both ends are equal for what has no
    length.
    """

    handle: str
    profile: str
    frame: str | None
    node: str | None
    span: str | None
    depth: int
    name: str
    file: str | None
    line: int | None
    window: Moment | None


@dataclass(frozen=True, slots=True)
class NoPlace:
    """What a text that names nothing of the trace is answered with."""

    handle: str
    problem: str


def places(
    trace: Trace, handles: Sequence[str], *, scopes: Sequence[str | None] | None = None
) -> list[Place | NoPlace]:
    """A place for each handle, in order.

    A function's is in its profile of `scopes`, if it occurs there, else in the trace's first one, else in the
    one of the same unit where it weighs most.
    """
    requested = list(zip(handles, scopes or [None] * len(handles), strict=True))
    found = [_resolved(trace, text, scope) for text, scope in requested]
    frames = {one[0].index for one in found if not isinstance(one, NoPlace) and one[0].kind == "frame"}
    weights = _weights(trace, frames)
    return [one if isinstance(one, NoPlace) else _place(trace, *one, weights) for one in found]


def _resolved(trace: Trace, text: str, scope: str | None) -> tuple[Handle, int] | NoPlace:
    """The handle, and the profile that is looked at first."""
    try:
        preferred = trace.default_profile if scope is None else resolve(trace, scope, "profile").index
        return resolve(trace, text), preferred
    except UnknownHandle as error:
        return NoPlace(text, str(error))


Weights = dict[int, dict[int, float]]
"""Of frames, the heaviest path with each in each profile that has one."""


def _weights(trace: Trace, frames: Collection[int]) -> Weights:
    requested = np.zeros(len(trace.frames), np.bool_)
    requested[list(frames)] = True
    weights: Weights = {frame: {} for frame in frames}
    for profile in trace.profiles if frames else ():
        nodes = np.flatnonzero(requested[profile.tree.frame])
        totals = profile.tree.total_values[profile.default_value][nodes]
        for frame, total in zip(profile.tree.frame[nodes].tolist(), totals.tolist(), strict=True):
            known = weights[frame]
            known[profile.index] = max(total, known.get(profile.index, 0.0))
    return weights


def _place(trace: Trace, handle: Handle, preferred: int, weights: Weights) -> Place | NoPlace:
    if handle.kind == "profile":
        return _of_profile(profile_at(trace, handle.index))
    if handle.kind == "span":
        return _of_span(trace, handle, *profile_of_span(trace, handle.index))
    if handle.kind == "node":
        return _of_node(trace, handle, *profile_of_node(trace, handle.index))
    known = weights[handle.index]
    if not known:
        return NoPlace(str(handle), f"{handle} is called nowhere in this trace.")
    first = trace.profiles[trace.default_profile]

    def rank(index: int) -> tuple[bool, bool, bool, float]:
        return index == preferred, index == first.index, trace.profiles[index].unit is first.unit, known[index]

    return _of_frame(trace, handle, trace.profiles[max(known, key=rank)])


def _of_frame(trace: Trace, handle: Handle, profile: Profile) -> Place:
    """The longest call of a function, or its heaviest path."""
    tree, spans = profile.tree, profile.spans
    nodes = np.flatnonzero(tree.frame == handle.index)
    if spans is not None:
        rows = np.flatnonzero((tree.frame == handle.index)[spans.node])
        if len(rows):
            return _of_span(trace, handle, profile, int(rows[np.argmax(spans.end[rows] - spans.start[rows])]))
    total = tree.total_values[profile.default_value][nodes]
    return _of_node(trace, handle, profile, int(nodes[np.argmax(total)]))


def _of_profile(profile: Profile) -> Place:
    window = Moment(float(profile.axis_start), float(profile.axis_end)) if is_in_order(profile) else None
    return Place(profile.handle, profile.handle, None, None, None, 0, profile.name, None, None, window)


def _of_span(trace: Trace, handle: Handle, profile: Profile, row: int) -> Place:
    spans = profile.spans
    assert spans is not None
    window = Moment(float(spans.start[row]), float(spans.end[row]))
    span = f"s{profile.span_base + row}"
    return _at(trace, handle, profile, int(spans.node[row]), span, window)


def _of_node(trace: Trace, handle: Handle, profile: Profile, node: int) -> Place:
    return _at(trace, handle, profile, node, None, _longest_run(profile, node))


def _at(trace: Trace, handle: Handle, profile: Profile, node: int, span: str | None, window: Moment | None) -> Place:
    name, file, line = place_behind(trace, handle)
    return Place(
        str(handle),
        profile.handle,
        f"f{int(profile.tree.frame[node])}",
        f"n{profile.node_base + node}",
        span,
        int(profile.tree.depth[node]),
        name,
        file,
        line,
        window,
    )


def _longest_run(profile: Profile, node: int) -> Moment | None:
    """The longest time without a break in which a path was on the stack; None where rows have no order in time."""
    if not is_in_order(profile):
        return None
    if profile.spans is not None:
        rows = np.flatnonzero(profile.spans.node == node)
        row = int(rows[np.argmax(profile.spans.end[rows] - profile.spans.start[rows])])
        return Moment(float(profile.spans.start[row]), float(profile.spans.end[row]))
    samples = profile.samples
    assert samples is not None
    is_it = np.zeros(len(profile.tree), np.bool_)
    is_it[node] = True
    under = np.append(profile.tree.levels.at_or_below(is_it), np.False_)  # the last row answers for idle samples
    begins, ends = sample_extent(profile, samples)
    on_stack = under[samples.leaf] & (ends > begins)
    goes_on = np.zeros(len(on_stack) + 1, np.bool_)
    goes_on[1:-1] = on_stack[1:] & on_stack[:-1] & (begins[1:] <= ends[:-1])
    first, last = np.flatnonzero(on_stack & ~goes_on[:-1]), np.flatnonzero(on_stack & ~goes_on[1:])
    if not len(first):
        return None
    longest = int(np.argmax(ends[last] - begins[first]))
    return Moment(float(begins[first[longest]]), float(ends[last[longest]]))
