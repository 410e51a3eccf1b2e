"""What V8's sampling profiler records, in `.cpuprofile` files and inside Chrome traces.

Format: the Profiler domain of the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/v8/Profiler/).
"""

from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from traces.analysis.units import format_value
from traces.bounds import MAX_STACK_DEPTH
from traces.builder import MAX_TIME_NS, TraceBuilder
from traces.equal_rows import distinct_rows
from traces.formats.samples_in_order import order_of_time
from traces.formats.v8 import COUNTED
from traces.kernels.record_columns import Field, Kind, Table
from traces.kernels.scaled import MISSING
from traces.kernels.trees import CycleFound, Paths, paths_of_nodes
from traces.model import NONE, Int32, Int64
from traces.values import Unit, ValueType

ROOT = "(root)"
IDLE = "(idle)"
PROGRAM = "(program)"
COLLECTOR = "(garbage collector)"
NO_SCRIPT = frozenset({PROGRAM, COLLECTOR})
"""V8 reports these as roots, as no stack is known for them; they stay that: whose time it was is not said."""
MAX_DELTA_NS = 3_600 * 10**9
"""A clock that jumps by more than an hour between two samples, or by more than the recording is long, was set: V8 takes
a sample a millisecond, or a tenth of it."""

SAME_LENGTH = 1.1
"""Samples that last longer than the recording by this factor contradict its length."""


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
    """`nodes` are rows of `table`. Sample i, a node's id, is taken `deltas[0..i]` after `start`; in nanoseconds.

    `length` is how long the file says that the recording was, 0 where it does not.
    """

    start: int
    table: Table
    nodes: Int64
    samples: Int64
    deltas: Int64
    length: int = 0


def add_v8_profile(builder: TraceBuilder, profile: V8Profile, name: str, *, pid: str = "", tid: str = "") -> int:
    """Add the samples; returns the profile's index. Raises DamagedTrace.

    Samples are put in order of time, as Chrome's own panel does. One lasts until the next, the last has no weight. Idle
    samples have no stack.
    """
    ids, deltas = profile.samples, profile.deltas
    if len(ids) != len(deltas):
        raise builder.damaged(f"it has {len(ids):,} samples but {len(deltas):,} time deltas.")
    start, deltas = _bounded(builder, profile, deltas)
    if np.abs(deltas.astype(np.float64)).sum() > MAX_TIME_NS:
        raise builder.damaged("a time is out of range.")
    times = start + np.cumsum(deltas)
    order = order_of_time(times, builder)
    ids, times = ids[order], times[order]
    changes = np.flatnonzero(np.diff(ids, prepend=ids[0] - 1 if len(ids) else 0) != 0)
    lengths = np.diff(np.append(changes, len(ids)))
    paths = _paths(builder, profile.table, profile.nodes, ids[changes], lengths == 1)
    del profile, ids, deltas  # all that is needed of them is in the paths
    run = np.repeat(np.arange(len(changes)), lengths)
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


def add_v8_counts(builder: TraceBuilder, table: Table, ids: Int64, counts: Int64, name: str) -> int:
    """Add how often nodes were sampled, by id, without times; returns the profile's index. Raises DamagedTrace."""
    paths = _paths(builder, table, np.arange(table.count), ids, np.zeros(len(ids), np.bool_))
    value = ValueType("samples", Unit.COUNT)
    return builder.add_sampled(name, paths, paths.leaf, [counts], values=(value,), facts=COUNTED)


def _bounded(builder: TraceBuilder, profile: V8Profile, deltas: Int64) -> tuple[int, Int64]:
    """The start and deltas without jumps of the clock; the first delta is how far behind the start sampling begins."""
    start, most = profile.start, min(profile.length or MAX_DELTA_NS, MAX_DELTA_NS)
    jumps = (deltas > most) | (deltas < -most)
    if jumps.any() and np.abs(deltas[~jumps].astype(np.float64)).sum() > SAME_LENGTH * most:
        jumps = (deltas > MAX_DELTA_NS) | (deltas < -MAX_DELTA_NS)  # the file is wrong about its length
    if not jumps.any():
        return start, deltas
    left_out = float(np.abs(deltas[jumps].astype(np.float64)).sum())
    first = start + int(deltas[0])
    if jumps[0] and start == 0 and abs(first) <= MAX_TIME_NS:  # the file says when its first sample was, not its start
        start, left_out, jumps[0] = first, left_out - abs(first), False
        deltas = np.concatenate((np.zeros(1, np.int64), deltas[1:]))
    count = int(jumps.sum())
    said = "{} in all" if left_out < MAX_TIME_NS else "more than {}"
    amount = said.format(format_value(min(left_out, MAX_TIME_NS), Unit.NANOSECONDS))
    builder.warn("clock_jumps", f"jumps of the clock between samples were left out, {amount}", count)
    return start, np.where(jumps, 0, deltas)


def _paths(builder: TraceBuilder, table: Table, nodes: Int64, ids: Int64, alone: npt.NDArray[np.bool_]) -> Paths:
    """The call path of each run of equal samples, some of which are `alone`."""
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
    frame, system, program = _frames(builder, table, nodes)
    samples = _with_stacks_read(builder, samples, alone, above, np.append(system, True), np.append(program, False))
    frame = np.append(frame, np.int32(NONE))
    try:
        return paths_of_nodes(above, frame, np.zeros(len(frame), np.bool_), samples, MAX_STACK_DEPTH)
    except CycleFound as error:
        raise builder.damaged("its call tree has a cycle.") from error


def _with_stacks_read(
    builder: TraceBuilder,
    samples: Int32,
    alone: npt.NDArray[np.bool_],
    above: Int32,
    system: npt.NDArray[np.bool_],
    program: npt.NDArray[np.bool_],
) -> Int32:
    """The runs of samples; a single `(program)` between two stacks of one root shows the one before.

    V8 sometimes cannot read a stack. The rule is that of Chrome's panel, and nothing more is repaired
    (`fixMissingSamples`, front_end/models/cpu_profile/CPUProfileDataModel.ts of chrome-devtools-frontend).
    """
    if len(samples) < LEAST_AROUND or not (alone & program[samples]).any():
        return samples
    inside = np.append(above, NONE)[above] >= 0  # what has a caller besides the root
    outermost = np.where(inside, above, np.arange(len(above))).astype(np.int32)
    for _ in range(len(above).bit_length()):
        outermost = outermost[outermost]
    before, after = samples[:-2], samples[2:]
    unread = alone[1:-1] & program[samples[1:-1]] & ~system[before] & ~system[after]
    unread &= outermost[before] == outermost[after]
    builder.warn("unread_stacks", "single samples without a stack show what ran before and after", int(unread.sum()))
    repaired = samples.copy()
    repaired[1:-1][unread] = before[unread]
    return repaired


LEAST_AROUND = 3
"""Samples that such a repair takes: one, and its neighbours."""


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


def _frames(
    builder: TraceBuilder, table: Table, nodes: Int64
) -> tuple[Int32, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The builder's frame of each node, -1 for what is no call; which nodes are no script's; and which `(program)`."""
    names, urls = table.texts("function"), table.texts("url")
    said = [table.ids_at("function", nodes), table.ids_at("url", nodes)]
    said += [_position(table.numbers(column)[nodes]) for column in ("line", "column")]
    which, first = distinct_rows(*(part + 1 for part in said))
    frames = np.full(len(first), NONE, np.int32)
    system, program = np.zeros((2, len(first)), np.bool_)
    for kind, (name, url, line, column) in enumerate(zip(*(part[first].tolist() for part in said), strict=True)):
        call = CallFrame(names[name] if name >= 0 else "", urls[url] if url >= 0 else "", line, column)
        system[kind], program[kind] = call.name in NO_SCRIPT or call.name == IDLE, call.name == PROGRAM
        if call.name in NO_SCRIPT or (call.name not in (ROOT, IDLE) and call.url != "native dummy.js"):
            frames[kind] = frame_of(builder, call)
    return frames[which], system[which], program[which]


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
