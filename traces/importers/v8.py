"""What V8's sampling profiler records, in `.cpuprofile` files and inside Chrome traces.

Format: the Profiler domain of the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/v8/Profiler/).
"""

from dataclasses import dataclass, field

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.importers.time import nanoseconds
from traces.model import NONE, Int64
from traces.stacks import StackTable

ROOT = "(root)"
IDLE = "(idle)"
ON_TOP = frozenset({"(program)", "(garbage collector)"})
"""V8 reports these as roots; they happen while the code before them is on the stack, so that is where they are put."""


class CallFrame(msgspec.Struct, gc=False):
    name: str = msgspec.field(name="functionName", default="")
    url: str = ""
    line: float | None = msgspec.field(name="lineNumber", default=None)
    column: float | None = msgspec.field(name="columnNumber", default=None)


class Node(msgspec.Struct):
    id: int
    call_frame: CallFrame = msgspec.field(name="callFrame")
    parent: int | None = None
    children: list[int] | None = None


@dataclass(slots=True)
class V8Profile:
    """Times in microseconds. Sample i is taken `deltas[0..i]` after `start`."""

    start: float = 0
    nodes: list[Node] = field(default_factory=list)
    samples: list[int] = field(default_factory=list)
    deltas: list[float] = field(default_factory=list)


def add_v8_profile(builder: TraceBuilder, profile: V8Profile, name: str, *, pid: str = "", tid: str = "") -> int:
    """Add the samples; returns the profile's index. Raises DamagedTrace.

    A sample lasts until the next one, the last has no weight. Idle samples have no stack. Where the clock runs
    backwards, samples wait for the latest time seen.
    """
    if len(profile.samples) > len(profile.deltas):
        raise builder.damaged(f"it has {len(profile.samples):,} samples but {len(profile.deltas):,} time deltas.")
    stacks = StackTable()
    ids = np.array(profile.samples, np.int64)
    changes = np.flatnonzero(np.diff(ids, prepend=ids[0] - 1 if len(ids) else 0) != 0)
    try:
        start = nanoseconds([profile.start], 1_000)[0]
        times = start + np.cumsum(nanoseconds(profile.deltas[: len(profile.samples)], 1_000))
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error
    leaf_of_run = _leaves(builder, profile.nodes, ids[changes].tolist(), stacks)
    run = np.repeat(np.arange(len(changes)), np.diff(np.append(changes, len(ids))))
    times = _forward_only(builder, times, changes, run)
    return builder.add_sampled(
        name,
        stacks,
        np.array(leaf_of_run, np.int32)[run] if len(run) else [],
        [np.diff(times, append=times[-1:])],
        time=times,
        axis_start=min(start, times[0]) if len(times) else start,
        axis_end=times[-1] if len(times) else start,
        pid=pid,
        tid=tid,
    )


def _forward_only(builder: TraceBuilder, times: Int64, changes: Int64, run: Int64) -> Int64:
    """A run of equal samples begins no earlier than the run before it; inside a run times only rise."""
    backwards = int((np.diff(times) < 0).sum())
    if backwards == 0:
        return times
    builder.warn(
        "clock_backwards", "samples that went back in time were moved to the latest time before them", backwards
    )
    begins = np.maximum.accumulate(times[changes])
    ends = np.append(begins[1:], max(begins[-1], times[-1]))
    return np.maximum.accumulate(np.clip(times, begins[run], ends[run]))


def _leaves(builder: TraceBuilder, nodes: list[Node], ids: list[int], stacks: StackTable) -> list[int]:
    """The call path of each run of equal samples."""
    by_id = {node.id: node for node in nodes}
    parents = {child: node.id for node in nodes for child in node.children or ()}
    parents.update((node.id, node.parent) for node in nodes if node.parent is not None)
    frames: dict[int, int] = {}
    paths: dict[int, int] = {}  # V8 node -> our node, for those that do not go on top of others
    on_top: set[int] = set()  # our frames of (program) and (garbage collector)

    def path_of(wanted: int) -> int:
        pending: list[int] = []
        at: int | None = wanted
        while at is not None and at not in paths:
            node = by_id.get(at)
            if node is None:
                raise builder.damaged("a sample names a call-tree node that is not in the file.")
            if len(pending) > len(by_id):
                raise builder.damaged("its call tree has a cycle.")
            if node.call_frame.name in (ROOT, IDLE) or node.call_frame.url == "native dummy.js":
                paths[at] = NONE
                break
            pending.append(at)
            at = parents.get(at)
        leaf = paths[at] if at is not None else NONE
        for ident in reversed(pending):
            leaf = paths[ident] = stacks.child(
                leaf, frames.setdefault(ident, frame_of(builder, by_id[ident].call_frame))
            )
        return leaf

    leaves: list[int] = []
    previous = NONE
    for ident in ids:
        node = by_id.get(ident)
        if node is not None and node.call_frame.name in ON_TOP:
            frame = frame_of(builder, node.call_frame)
            on_top.add(frame)
            # Already on top of the stack before: back to it. Only such frames can lie above it.
            at = previous
            while at >= 0 and stacks.frame[at] in on_top and stacks.frame[at] != frame:
                at = stacks.parent[at]
            previous = at if at >= 0 and stacks.frame[at] == frame else stacks.child(previous, frame)
        else:
            previous = path_of(ident)
        leaves.append(previous)
    return leaves


def frame_of(builder: TraceBuilder, call: CallFrame) -> int:
    """The builder's frame; lines and columns become 1-based, functions without a name say where they are."""
    line = int(call.line) + 1 if call.line is not None and call.line >= 0 else None
    column = int(call.column) + 1 if call.column is not None and call.column >= 0 else None
    name = call.name
    if not name:
        file = call.url.rsplit("/", 1)[-1]
        written = "" if call.line is None else f":{int(call.line) + 1}"  # V8 says -1 for "unknown", shown as 0
        name = f"(anonymous {file}{written})" if file else "(anonymous)"
    category = "gc" if name == "(garbage collector)" else None
    return builder.frame(name, call.url or None, line, column, category)
