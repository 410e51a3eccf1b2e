"""The raw columns of the SQL tables: numpy arrays as they lie in the trace, zero-copy where it has one profile.

Times and values in their own units, handles as numbers that count through all profiles, -1 for none.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from traces.analysis.thread_states import of_spans
from traces.analysis.thread_time import thread_time
from traces.model import NONE, Int32, Int64, Profile, Spans, Trace, UInt8
from traces.values import ThreadState

Columns = dict[str, "np.ndarray[Any, Any]"]


def _joined(parts: Sequence["np.ndarray[Any, Any]"], kind: str) -> "np.ndarray[Any, Any]":
    if not parts:
        return np.zeros(0, kind)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _shifted(indices: "np.ndarray[Any, Any]", base: int) -> "np.ndarray[Any, Any]":
    return indices if base == 0 else np.where(indices == NONE, NONE, indices.astype(np.int64) + base)


def _of_profiles(profiles: Sequence[Profile], lengths: Sequence[int]) -> "np.ndarray[Any, Any]":
    return np.repeat(np.array([profile.index for profile in profiles], np.int32), lengths)


def _texts(trace: Trace, indices: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Interned strings by index; None for -1. Each string is decoded once."""
    known, places = np.unique(indices, return_inverse=True)
    texts = np.empty(len(known), dtype=object)
    for place, index in enumerate(known.tolist()):
        texts[place] = None if index == NONE else trace.strings[index]
    return texts[places] if len(known) else texts


def frames(trace: Trace) -> Columns:
    table = trace.frames
    return {
        "id": np.arange(len(table), dtype=np.int32),
        "name": _texts(trace, table.name),
        "file": _texts(trace, table.file),
        "line": table.line,
        "col": table.column,
        "category": _texts(trace, table.category),
    }


def profiles(trace: Trace) -> Columns:
    every = trace.profiles
    text = {
        "name": [profile.name for profile in every],
        "pid": [profile.pid for profile in every],
        "tid": [profile.tid for profile in every],
        "kind": [profile.kind.value for profile in every],
        "unit": [profile.unit.value for profile in every],
        "axis": [profile.axis.value for profile in every],
        "counted": [profile.count_name for profile in every],
        "role": [profile.role.value for profile in every],
    }
    return (
        {"profile": np.arange(len(every), dtype=np.int32)}
        | {name: np.array(values, dtype=object) for name, values in text.items()}
        | {
            "has_times": np.array([profile.has_times for profile in every]),
            "axis_start": np.array([profile.axis_start for profile in every]),
            "axis_end": np.array([profile.axis_end for profile in every]),
            **_time_of(trace),
            "samples": np.array([len(profile.samples) if profile.samples else 0 for profile in every]),
            "spans": np.array([len(profile.spans) if profile.spans else 0 for profile in every]),
            "nodes": np.array([len(profile.tree) for profile in every]),
        }
    )


def _time_of(trace: Trace) -> Columns:
    """How each profile's time was spent, in nanoseconds; -1 where it measures none."""
    every = [thread_time(trace, profile) for profile in trace.profiles]
    parts = ("busy", "waiting", "idle", "unknown")
    return {part: np.array([-1 if one is None else getattr(one, part) for one in every], np.int64) for part in parts}


def nodes(trace: Trace) -> Columns:
    every = trace.profiles
    trees = [profile.tree for profile in every]
    lengths = [len(tree) for tree in trees]
    return {
        "id": np.arange(sum(lengths), dtype=np.int64),
        "profile": _of_profiles(every, lengths),
        "frame": _joined([tree.frame for tree in trees], "i4"),
        "parent": _joined(
            [_shifted(tree.parent, profile.node_base) for profile, tree in zip(every, trees, strict=True)], "i4"
        ),
        "depth": _joined([tree.depth for tree in trees], "i4"),
        "count": _joined([tree.count for tree in trees], "i8"),
        "outermost": _joined([profile.outermost_ended for profile in every], "u1"),
        "self_value": _joined([p.tree.self_values[p.default_value] for p in every], "f8"),
        "total_value": _joined([p.tree.total_values[p.default_value] for p in every], "f8"),
    }


def spans(trace: Trace) -> Columns:
    found = [(profile, profile.spans) for profile in trace.profiles if profile.spans is not None]
    lengths = [len(one) for _, one in found]
    first = found[0][0].span_base if found else 0
    return {
        "id": np.arange(first, first + sum(lengths), dtype=np.int64),
        "profile": _of_profiles([profile for profile, _ in found], lengths),
        "frame": _joined([profile.tree.frame[one.node] for profile, one in found], "i4"),
        "node": _joined([_shifted(one.node, profile.node_base) for profile, one in found], "i4"),
        "parent": _joined([_shifted(one.parent, profile.span_base) for profile, one in found], "i4"),
        "depth": _joined([one.depth for _, one in found], "i4"),
        "start": _joined([one.start for _, one in found], "i8"),
        "dur": _joined([one.end - one.start for _, one in found], "i8"),
        "self": _joined([one.self_value for _, one in found], "i8"),
        **_states(trace, found),
        "unfinished": _joined([_marked(len(one), one.unfinished) for _, one in found], "u1"),
    }


def _states(trace: Trace, found: list[tuple[Profile, Spans]]) -> Columns:
    """How long each span's thread was in each state; -1 where the file does not say."""
    columns: dict[ThreadState, list[Int64]] = {state: [] for state in ThreadState}
    for profile, spans in found:
        states = of_spans(trace, profile)
        for state, parts in columns.items():
            if states is not None:
                parts.append(states[state])
            elif state is ThreadState.RUNNING and len(spans.running):
                parts.append(spans.running)
            else:
                parts.append(np.full(len(spans), NONE, np.int64))
    return {state.name.lower(): _joined(parts, "i8") for state, parts in columns.items()}


def thread_states(trace: Trace) -> Columns:
    table = trace.thread_states
    return {"profile": table.profile, "start": table.start, "dur": table.end - table.start, "state": table.state}


def edges(trace: Trace) -> Columns:
    """Of each profile's default value, without the rows of functions with all their callers."""
    table = trace.edges
    default = np.array([profile.default_value for profile in trace.profiles], np.int32)
    rows = np.flatnonzero((table.caller != NONE) & (table.value == default[table.profile]))
    names = ("profile", "caller", "callee", "calls", "self_value", "total_value")
    return {name: getattr(table, name)[rows] for name in names}


def _marked(length: int, rows: Int32) -> UInt8:
    marked = np.zeros(length, np.uint8)
    marked[rows] = 1
    return marked


def samples(trace: Trace) -> Columns:
    found = [(profile, profile.samples) for profile in trace.profiles if profile.samples is not None]
    lengths = [len(one) for _, one in found]
    return {
        "profile": _of_profiles([profile for profile, _ in found], lengths),
        "node": _joined([_shifted(one.leaf, profile.node_base) for profile, one in found], "i4"),
        "frame": _joined(
            [
                np.where(one.leaf == NONE, NONE, profile.tree.frame[one.leaf]) if len(profile.tree) else one.leaf
                for profile, one in found
            ],
            "i4",
        ),
        "time": _joined([one.time for _, one in found], "i8"),
        "weight": _joined([one.weights[profile.default_value] for profile, one in found], "f8"),
    }


def counters(trace: Trace) -> Columns:
    table = trace.counters
    return {
        "name": _texts(trace, table.name),
        "profile": table.profile,
        "time": table.time,
        "value": table.value,
    }


def instants(trace: Trace) -> Columns:
    table = trace.instants
    return {"name": _texts(trace, table.name), "profile": table.profile, "time": table.time}


def async_spans(trace: Trace) -> Columns:
    table = trace.async_spans
    return {
        "name": _texts(trace, table.name),
        "ident": _texts(trace, table.ident),
        "profile": table.profile,
        "start": table.start,
        "dur": table.end - table.start,
    }


def requests(trace: Trace) -> Columns:
    table = trace.requests
    texts = ("url", "kind", "priority", "blocking", "found_in")
    return {
        **{name: _texts(trace, getattr(table, name)) for name in texts},
        "profile": table.profile,
        "start": table.start,
        "dur": table.end - table.start,
        "server": table.server,
        "size": table.size,
    }


def flows(trace: Trace) -> Columns:
    table = trace.flows
    return {
        "name": _texts(trace, table.name),
        "from_profile": table.from_profile,
        "from_time": table.from_time,
        "to_profile": table.to_profile,
        "to_time": table.to_time,
    }
