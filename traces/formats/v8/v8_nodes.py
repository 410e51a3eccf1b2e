"""What V8's sampling profiler records, in `.cpuprofile` files and inside Chrome traces.

Format: the Profiler domain of the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/v8/Profiler/).
"""

from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import MAX_TIME_NS, TraceBuilder
from traces.equal_rows import distinct_rows
from traces.kernels.record_columns import Field, Kind, Table
from traces.kernels.scaled import MISSING
from traces.kernels.trees import CycleFound, Paths, paths_of_nodes
from traces.model import NONE, Int32, Int64

ROOT = "(root)"
IDLE = "(idle)"
ON_TOP = frozenset({"(program)", "(garbage collector)"})
"""V8 reports these as roots; they happen while the code before them is on the stack, so that is where they are put."""


class CallFrame(msgspec.Struct, gc=False):
    name: str = msgspec.field(name="functionName", default="")
    url: str = ""
    line: float | None = msgspec.field(name="lineNumber", default=None)
    column: float | None = msgspec.field(name="columnNumber", default=None)


NODE = (
    Field("", "callFrame", Kind.OBJECT),
    Field("column", "columnNumber", Kind.SCALED, level=1),
    Field("function", "functionName", Kind.TEXT, level=1),
    Field("line", "lineNumber", Kind.SCALED, level=1),
    Field("url", "url", Kind.TEXT, level=1),
    Field("children", "children", Kind.INTEGERS),
    Field("id", "id", Kind.SCALED),
    Field("parent", "parent", Kind.SCALED),
)
"""A node of V8's call tree: `parent` in traces, `children` in files."""


@dataclass(frozen=True, slots=True)
class V8Profile:
    """`nodes` are rows of `table`. Sample i, a node's id, is taken `deltas[0..i]` after `start`; in nanoseconds."""

    start: int
    table: Table
    nodes: Int64
    samples: Int64
    deltas: Int64


def add_v8_profile(builder: TraceBuilder, profile: V8Profile, name: str, *, pid: str = "", tid: str = "") -> int:
    """Add the samples; returns the profile's index. Raises DamagedTrace.

    A sample lasts until the next one, the last has no weight. Idle samples have no stack. Where the clock runs
    backwards, samples wait for the latest time seen.
    """
    ids, deltas = profile.samples, profile.deltas
    if len(ids) != len(deltas):
        raise builder.damaged(f"it has {len(ids):,} samples but {len(deltas):,} time deltas.")
    if len(deltas) and np.abs(deltas.astype(np.float64)).sum() > MAX_TIME_NS:
        raise builder.damaged("a time is out of range.")
    changes = np.flatnonzero(np.diff(ids, prepend=ids[0] - 1 if len(ids) else 0) != 0)
    start, lengths = profile.start, np.diff(np.append(changes, len(ids)))
    times = start + np.cumsum(deltas)
    paths = _paths(builder, profile.table, profile.nodes, ids[changes])
    del profile, ids, deltas  # all that is needed of them is in the paths
    run = np.repeat(np.arange(len(changes)), lengths)
    times = _forward_only(builder, times, changes, run)
    return builder.add_sampled(
        name,
        paths,
        paths.leaf[run],
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


def _paths(builder: TraceBuilder, table: Table, nodes: Int64, ids: Int64) -> Paths:
    """The call path of each run of equal samples."""
    ident = table.numbers("id")[nodes]
    order = np.argsort(ident, kind="stable")
    place = _Places(ident[order], order)
    samples = _known(builder, place.of(ids), len(nodes))
    above = np.full(len(nodes) + 1, NONE, np.int32)
    children = table.columns["children"]
    counts = children.ids[nodes]
    child = place.of(children.items[ranges(children.values[nodes], counts)])
    above[child[child >= 0]] = np.repeat(np.arange(len(nodes)), counts)[child >= 0]
    parent = table.numbers("parent")[nodes]
    said = np.flatnonzero(parent != MISSING)
    found = place.of(parent[said])
    above[place.of(ident[said])] = found  # a node of an id that comes again is the later one
    builder.warn(
        "lost_callers",
        "call-tree nodes whose callers are not in the file were drawn without them",
        int((found < 0).sum()),
    )
    frame, on_top = _frames(builder, table, nodes)
    frame, on_top = np.append(frame, np.int32(NONE)), np.append(on_top, False)
    try:
        return paths_of_nodes(above, frame, on_top, samples, MAX_STACK_DEPTH)
    except CycleFound as error:
        raise builder.damaged("its call tree has a cycle.") from error


def _known(builder: TraceBuilder, samples: Int32, idle: int) -> Int32:
    """A sample of a node that is not in the file shows what ran before it, or is idle. Chrome drops pieces of a profile
    when its buffer is full. Raises DamagedTrace where no node is there."""
    lost = samples < 0
    if not lost.any():
        return samples
    if lost.all():
        raise builder.damaged("its samples name a call-tree node that is not in the file.")
    builder.warn(
        "lost_nodes", "runs of samples whose call-tree node is not in the file show what ran before", int(lost.sum())
    )
    before = np.maximum.accumulate(np.where(lost, NONE, np.arange(len(samples))))
    return np.where(before < 0, idle, samples[before]).astype(np.int32)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where ids stand in a list: the last place of each."""

    ordered: Int64
    order: Int64

    def of(self, ids: Int64) -> Int32:
        """The place of each id, -1 for those that are not there."""
        last = np.searchsorted(self.ordered, ids, "right") - 1
        known = (last >= 0) & (self.ordered[last] == ids) if len(self.ordered) else np.zeros(len(ids), np.bool_)
        return np.where(known, self.order[last] if len(self.order) else NONE, NONE).astype(np.int32)


def ranges(first: Int64, count: Int32 | Int64) -> Int64:
    """The indices of some ranges, one after another."""
    ends: Int64 = np.cumsum(count)
    indices: Int64 = np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - (ends - count), count)
    return indices


def _frames(builder: TraceBuilder, table: Table, nodes: Int64) -> tuple[Int32, npt.NDArray[np.bool_]]:
    """The builder's frame of each node, -1 for what is no call, and which nodes go on top of others."""
    names, urls = table.texts("function"), table.texts("url")
    said = [table.ids_at("function", nodes), table.ids_at("url", nodes)]
    said += [_position(table.numbers(column)[nodes]) for column in ("line", "column")]
    which, first = distinct_rows(*(part + 1 for part in said))
    frames = np.full(len(first), NONE, np.int32)
    on_top = np.zeros(len(first), np.bool_)
    for kind, (name, url, line, column) in enumerate(zip(*(part[first].tolist() for part in said), strict=True)):
        call = CallFrame(names[name] if name >= 0 else "", urls[url] if url >= 0 else "", line, column)
        on_top[kind] = call.name in ON_TOP
        if on_top[kind] or (call.name not in (ROOT, IDLE) and call.url != "native dummy.js"):
            frames[kind] = frame_of(builder, call)
    return frames[which], on_top[which]


def _position(column: Int64) -> Int32:
    return np.clip(column, NONE, (1 << 31) - 3).astype(np.int32)


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
