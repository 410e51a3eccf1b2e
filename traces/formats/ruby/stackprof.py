"""stackprof (Ruby) as JSON. Format: https://github.com/tmm1/stackprof, `StackProf.results`.

`raw` holds, over and over, how deep a stack is, its frames from the outermost, and how many samples in a row had it.
Without `raw` only sums and who called whom are known: paths are then estimates.
"""

from dataclasses import replace
from itertools import accumulate

import msgspec
import numpy as np

from traces.bounds import MAX_STACK_DEPTH
from traces.builder import TraceBuilder
from traces.edges import UNKNOWN
from traces.formats.call_graph.call_graph import CallGraph
from traces.formats.call_graph.call_paths import paths_of_graph
from traces.formats.call_graph.graph_edges import edges_as_recorded, functions_as_recorded
from traces.formats.time_units import nanoseconds
from traces.kernels.trees import paths_of_stacks
from traces.model import Values
from traces.values import Clock, Order, Unit, ValueType, Waits

GARBAGE_COLLECTION = "(garbage collection)"
NAMES_OF_GC = frozenset({GARBAGE_COLLECTION, "(marking)", "(sweeping)"})
SAMPLES = ValueType("samples", Unit.COUNT)
WAITS = {"wall": Waits.BOTH, "cpu": Waits.WORK, "object": Waits.NEITHER}


class Frame(msgspec.Struct, gc=False):
    name: str | None = None
    file: str | None = None
    line: int | None = None
    samples: int = 0
    total_samples: int = UNKNOWN
    edges: dict[str, int] = {}


class File(msgspec.Struct):
    mode: str
    frames: dict[str, Frame]
    interval: float | int | None = None
    raw: list[int] | None = None
    deltas: list[float | int] | None = msgspec.field(name="raw_timestamp_deltas", default=None)


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the one profile: wall or CPU time and samples, or sampled objects. Raises DamagedTrace."""
    file = msgspec.json.decode(content, type=File)
    frames = {key: _frame(frame, builder) for key, frame in file.frames.items()}
    if file.raw:
        _add_raw(file, file.raw, frames, builder)
    else:
        _add_graph(file, frames, builder)


def _frame(frame: Frame, builder: TraceBuilder) -> int:
    name = frame.name or "(unknown)"
    return builder.frame(name, frame.file or None, frame.line, category="gc" if name in NAMES_OF_GC else None)


def _add_raw(file: File, raw: list[int], frames: dict[str, int], builder: TraceBuilder) -> None:
    collector = next((key for key, frame in file.frames.items() if frame.name == GARBAGE_COLLECTION), None)
    alone = [int(collector)] if collector is not None and collector.isdigit() else None
    flat: list[int] = []
    ends: list[int] = []
    counts: list[int] = []
    before: list[int] = []
    at = 0
    while at < len(raw):
        depth = raw[at]
        stack, counted = raw[at + 1 : at + 1 + depth], raw[at + 1 + depth : at + 2 + depth]
        if builder.breaks_off and not counted:
            break
        if depth < 0 or not counted or not 0 <= counted[0] < 1 << 40:
            raise builder.damaged("its list of raw samples breaks off or contradicts itself.")
        at += depth + 2
        if stack == alone:
            stack = before + stack  # the collector runs while the code before it is on the stack
        else:
            before = stack
        flat += stack
        ends.append(len(flat))
        counts += counted
    numbers = {int(key): frame for key, frame in frames.items() if key.isdigit()}
    try:
        column = np.fromiter(map(numbers.__getitem__, flat), np.int32, len(flat))
    except KeyError as error:
        raise builder.damaged("a sample names a frame that is not in its list.") from error
    paths = paths_of_stacks(column, np.array(ends, np.int64), MAX_STACK_DEPTH)
    samples = np.array(counts, np.int64)
    weights: list[Values] = [samples]
    values = [SAMPLES]
    facts = replace(builder.facts, waits=WAITS.get(file.mode, Waits.UNKNOWN))
    time = _time(file, samples, builder)
    if time is not None and _has_times(file, builder):
        facts = replace(facts, order=Order.TIME, clock=Clock.TRACE)
    if time is not None:
        weights.insert(0, time)
        values.insert(0, ValueType("CPU time" if file.mode == "cpu" else "wall time", Unit.NANOSECONDS))
    facts = replace(facts, count_value=len(values) - 1)
    builder.add_sampled(builder.name, paths, paths.leaf, weights, values=tuple(values), facts=facts)


def _has_times(file: File, builder: TraceBuilder) -> bool:
    """Whether the file says how long after the one before each sample was taken, by the clock on the wall, and goes on
    to where it says that of the last."""
    return file.mode == "wall" and bool(file.deltas) and not builder.breaks_off


def _time(file: File, samples: Values, builder: TraceBuilder) -> Values | None:
    """What each row of equal samples lasted; None where samples are not taken by a clock."""
    if file.mode not in {"wall", "cpu"}:
        return None
    try:
        if _has_times(file, builder):
            assert file.deltas is not None
            ends = np.cumsum(samples)
            if ends[-1] > len(file.deltas):
                raise builder.damaged("it has fewer times than samples.")
            sums = np.array([0, *accumulate(nanoseconds(file.deltas, 1_000).tolist())], np.int64)
            lasted: Values = np.diff(sums[ends], prepend=0)
        else:
            lasted = samples * nanoseconds([file.interval or 0], 1_000)[0]
    except (ValueError, OverflowError) as error:
        raise builder.damaged("a time is out of range.") from error
    return lasted


def _add_graph(file: File, frames: dict[str, int], builder: TraceBuilder) -> None:
    graph = CallGraph(1)
    functions: list[tuple[int, ...]] = []
    ends: list[tuple[int, int]] = []
    weights: list[tuple[int, ...]] = []
    numbers = {key: graph.add_function(key, frame) for key, frame in frames.items()}
    for key, frame in file.frames.items():
        graph.add_own(numbers[key], [frame.samples])
        functions.append((UNKNOWN, UNKNOWN, frame.samples, frame.total_samples))
        for callee, samples in frame.edges.items():
            if callee not in numbers or samples < 0:
                raise builder.damaged("an edge names a frame that is not in its list.")
            graph.add_call(numbers[key], numbers[callee], [samples], samples)
            ends.append((frames[key], frames[callee]))
            weights.append((UNKNOWN, UNKNOWN, UNKNOWN, samples))
    stacks, leaves, columns = paths_of_graph(graph.columns(), builder)
    facts = replace(builder.facts, waits=WAITS.get(file.mode, Waits.UNKNOWN), count_value=0)
    profile = builder.add_sampled(builder.name, stacks, leaves, columns[:1], values=(SAMPLES,), facts=facts)
    named, pairs = np.array(graph.frames, np.int32), np.array(ends, np.int32).reshape(-1, 2)
    builder.side_tables.edges.append(
        functions_as_recorded(profile, named, np.array(functions, np.float64).reshape(-1, 4))
    )
    builder.side_tables.edges.append(edges_as_recorded(profile, pairs, np.array(weights, np.float64).reshape(-1, 4)))
