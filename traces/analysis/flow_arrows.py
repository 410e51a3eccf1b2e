"""The arrows of flows that leave a call or arrive at it, with the calls at their other ends."""

from dataclasses import dataclass

import numpy as np

from traces.handles import profile_of_span, resolve
from traces.model import NONE, Int64, Profile, Spans, Trace

MOST_ARROWS = 50
"""Arrows of one call, the earliest."""


@dataclass(frozen=True, slots=True)
class ArrowEnd:
    """A moment of a thread, and the call that was innermost then: None where none was, or the thread is not known."""

    profile: int | None
    time: int
    handle: str | None
    function: str | None
    depth: int | None


@dataclass(frozen=True, slots=True)
class Arrow:
    """`leaves` the call at `time`, or arrives at it then."""

    name: str
    leaves: bool
    time: int
    other: ArrowEnd


def arrows_of(trace: Trace, call: str) -> tuple[list[Arrow], int]:
    """The earliest 50 arrows of a call, and how many it has. Raises UnknownHandle."""
    profile, row = profile_of_span(trace, resolve(trace, call, "span").index)
    flows, spans = trace.flows, profile.spans
    assert spans is not None
    leaving = np.flatnonzero(flows.from_profile == profile.index)
    arriving = np.flatnonzero(flows.to_profile == profile.index)
    leaving = leaving[innermost(spans, flows.from_time[leaving]) == row]
    arriving = arriving[_arrived_at(spans, flows.to_time[arriving]) == row]
    found = [(int(flows.from_time[at]), True, at) for at in leaving.tolist()]
    found += [(int(flows.to_time[at]), False, at) for at in arriving.tolist()]
    found.sort()
    return [_arrow(trace, at, time, leaves=leaves) for time, leaves, at in found[:MOST_ARROWS]], len(found)


def innermost(spans: Spans, times: Int64) -> Int64:
    """The row of the innermost call at each moment, the later of two that meet there; -1 for none."""
    row = np.searchsorted(spans.start, times, side="right") - 1
    while len(outside := np.flatnonzero((row != NONE) & (spans.end[row] < times))):
        row[outside] = spans.parent[row[outside]]
    return row


def _arrived_at(spans: Spans, times: Int64) -> Int64:
    """As `innermost`; where no call is open, the next one to begin, which is what an arrow waits for."""
    row = innermost(spans, times)
    following = np.searchsorted(spans.start, times, side="left")
    return np.where((row == NONE) & (following < len(spans.start)), following, row)


def _arrow(trace: Trace, at: int, time: int, *, leaves: bool) -> Arrow:
    flows = trace.flows
    index = int((flows.to_profile if leaves else flows.from_profile)[at])
    other = int((flows.to_time if leaves else flows.from_time)[at])
    name = int(flows.name[at])
    known = None if index == NONE else trace.profiles[index]
    end = _end(trace, known, other, is_arrival=leaves)
    return Arrow("" if name == NONE else trace.strings[name], leaves, time, end)


def _end(trace: Trace, profile: Profile | None, time: int, *, is_arrival: bool) -> ArrowEnd:
    if profile is None or profile.spans is None:
        return ArrowEnd(None if profile is None else profile.index, time, None, None, None)
    find = _arrived_at if is_arrival else innermost
    row = int(find(profile.spans, np.array([time], np.int64))[0])
    if row == NONE:
        return ArrowEnd(profile.index, time, None, None, None)
    node = int(profile.spans.node[row])
    function = trace.frame_names[int(profile.tree.frame[node])]
    return ArrowEnd(profile.index, time, f"s{profile.span_base + row}", function, int(profile.tree.depth[node]))
