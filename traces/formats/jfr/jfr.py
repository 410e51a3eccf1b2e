"""Java Flight Recorder files, of the JDK and of async-profiler.

A JDK samples Java code and native code as two kinds of event; allocations and waits for locks are others. Each becomes
a profile of all threads, with a count or a size as its value and the moments of its samples.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from traces.builder import TraceBuilder
from traces.formats.format import RUNNING, SAMPLED, break_off
from traces.formats.jfr import ALLOCATIONS, LOCKS, PROCESSOR_TIME
from traces.formats.jfr import EVENTS as EVENTS_ADDED
from traces.formats.jfr.jfr_chunk import BreaksOff, Chunk, chunks
from traces.formats.jfr.jfr_origin import OF_THE_RUN, read_origin
from traces.formats.jfr.jfr_timelines import EVENTS as LASTING
from traces.formats.jfr.jfr_timelines import Timelines
from traces.formats.jfr.jfr_types import BrokenChunk
from traces.formats.jfr.jfr_v0 import ChunkV0
from traces.losses import LOST
from traces.model import NONE
from traces.stacks import StackTable
from traces.values import Facts, Order, Unit, ValueType

AnyChunk = Chunk | ChunkV0
RECORDER = "oracle.jrockit.jfr."
"""Packages of the recorder of Java 7 and 8, whose frames Java Mission Control leaves out, too."""
NOT_FINISHED = "the recording breaks off, or was not finished: {kept:,} of its {size:,} bytes were read"
MOST = 1 << 53
NATIVE_FRAMES = frozenset({"Native", "C++", "Kernel"})
SAMPLES = ValueType("samples", Unit.COUNT)
ALLOCATED = ValueType("allocated", Unit.BYTES)
THROWN = ValueType("exceptions", Unit.COUNT)
WAITED = ValueType("time", Unit.NANOSECONDS)


@dataclass(frozen=True, slots=True)
class Kind:
    """Events that make up one profile: `weight` says what one of them weighs."""

    name: str
    events: tuple[str, ...]
    value: ValueType
    weight: Callable[[AnyChunk, dict[str, Any]], int]
    facts: Facts


@dataclass(slots=True)
class Rows:
    """Samples of one kind, in file order."""

    times: list[int] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
    stacks: StackTable = field(default_factory=StackTable)


def _one(_: AnyChunk, __: dict[str, Any]) -> int:
    return 1


def _ticks(chunk: AnyChunk, event: dict[str, Any]) -> int:
    return max(0, chunk.lasting(event.get("duration", 0)))


EXECUTION, NATIVE = "jdk.ExecutionSample", "jdk.NativeMethodSample"
WITH_NATIVE = Kind("With native calls", (EXECUTION, NATIVE), SAMPLES, _one, RUNNING)
KINDS = (
    Kind("Without native calls", (EXECUTION,), SAMPLES, _one, RUNNING),
    WITH_NATIVE,
    Kind(
        "Processor time",
        ("jdk.CPUTimeSample",),
        WAITED,
        lambda chunk, e: chunk.lasting(e.get("samplingPeriod", 0)),
        PROCESSOR_TIME,
    ),
    Kind(
        "Wall clock",
        ("profiler.WallClockSample",),
        SAMPLES,
        lambda _, e: e.get("samples", 1),
        replace(SAMPLED, count_value=0),
    ),
    Kind("Allocations", ("jdk.ObjectAllocationSample",), ALLOCATED, lambda _, e: e.get("weight", 0), ALLOCATIONS),
    Kind(
        "Allocations of thread-local buffers and beside them",
        ("jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"),
        ALLOCATED,
        lambda _, e: e.get("tlabSize", e.get("allocationSize", 0)),
        ALLOCATIONS,
    ),
    Kind("Waits for locks", ("jdk.JavaMonitorEnter",), WAITED, _ticks, LOCKS),
    Kind("Parked threads", ("jdk.ThreadPark",), WAITED, _ticks, LOCKS),
    Kind("Exceptions", ("jdk.JavaExceptionThrow", "jdk.JavaErrorThrow"), THROWN, _one, EVENTS_ADDED),
)
OF_EVENT = {
    event: [at for at, kind in enumerate(KINDS) if event in kind.events] for kind in KINDS for event in kind.events
}
DATA_LOSS = "jdk.DataLoss"
REQUESTED = frozenset(OF_EVENT) | LASTING | OF_THE_RUN | {DATA_LOSS}


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed a profile for each kind of event that is there. Raises DamagedTrace."""
    rows = [Rows() for _ in KINDS]
    native = 0
    began: int | None = None
    timelines = Timelines(builder)
    try:
        for chunk in chunks(bytes(content)):
            builder.recorded(chunk.start_ns, utc_offset_minutes=chunk.types.utc_offset_minutes)
            began = chunk.start_ns if began is None else min(began, chunk.start_ns)
            native += _collect(chunk, rows, timelines, builder)
            builder.progress.advance(chunk.end)
    except BreaksOff as error:
        if began is None:
            raise builder.damaged(f"{error}.") from error
        break_off(builder, error.kept)
        builder.warn("unfinished", NOT_FINISHED.format(kept=error.kept, size=len(content)))
    except BrokenChunk as error:
        raise builder.damaged(f"{error}.") from error
    except (LookupError, TypeError, AttributeError, struct.error) as error:
        raise builder.damaged("an event or a stack lacks what belongs to it, or it breaks off.") from error
    for kind, sampled in zip(KINDS, rows, strict=True):
        if kind is not WITH_NATIVE or native:
            _add(kind, sampled, began, builder)
    timelines.add(began)
    builder.default_profile = 0 if builder.profile_count else None


def _collect(chunk: AnyChunk, rows: list[Rows], timelines: Timelines, builder: TraceBuilder) -> int:
    """Sort a chunk's events into rows, one a kind; returns how many sampled native code."""
    paths = Paths(chunk, builder)
    native = without_stack = 0
    for name, event in chunk.events(REQUESTED):
        if name in OF_THE_RUN:
            read_origin(name, event, builder.origin)
            continue
        if name == DATA_LOSS:
            builder.warn(LOST, "bytes of events were lost while recording", min(max(event.get("amount") or 0, 0), MOST))
            continue
        path = paths.of(event.get("stackTrace"))
        if name in LASTING:
            timelines.collect(chunk, name, event, path)
            if name not in OF_EVENT:
                continue
        if not path:
            without_stack += 1
            continue
        native += name == NATIVE
        time = chunk.nanoseconds(event.get("startTime", chunk.start_ticks))
        for at in OF_EVENT[name]:
            rows[at].times.append(time)
            rows[at].leaves.append(_leaf(rows[at].stacks, path))
            rows[at].weights.append(KINDS[at].weight(chunk, event))
    builder.warn(
        "truncated_stacks", "stacks that were cut when they were recorded miss their outer frames", paths.truncated
    )
    builder.warn("no_stack", "events without a stack were dropped", without_stack)
    return native


def _add(kind: Kind, rows: Rows, began: int | None, builder: TraceBuilder) -> None:
    if not rows.times:
        return
    order = np.argsort(np.array(rows.times), kind="stable")
    leaves, weights = np.array(rows.leaves, np.int32)[order], np.array(rows.weights, np.float64)[order]
    if kind.facts.order is Order.NONE:
        builder.add_sampled(kind.name, rows.stacks, leaves, [weights], values=(kind.value,), facts=kind.facts)
        return
    times = np.array(rows.times)[order]
    builder.add_sampled(
        kind.name,
        rows.stacks,
        leaves,
        [weights],
        values=(kind.value,),
        time=times,
        axis=Unit.NANOSECONDS,
        axis_start=None if began is None else min(began, int(times[0])),
        facts=kind.facts,
    )


def _leaf(stacks: StackTable, path: list[int]) -> int:
    leaf = NONE
    for frame in path:
        leaf = stacks.child(leaf, frame)
    return leaf


class Paths:
    """The frames of a chunk's stack traces, outermost first, each read once."""

    def __init__(self, chunk: AnyChunk, builder: TraceBuilder) -> None:
        self.truncated = 0
        self._chunk = chunk
        self._builder = builder
        self._paths: dict[Any, list[int]] = {}
        self._frames: dict[Any, int] = {}

    def of(self, reference: Any) -> list[int]:
        """Empty where the event has no stack, or one that the file does not hold."""
        path = self._paths.get(reference)
        if path is None:
            trace = self._chunk.follow(reference)
            frames = self._chunk.follow(trace["frames"]) if trace else []
            self.truncated += bool(trace and trace.get("truncated"))
            path = [self._frame(self._chunk.follow(frame)) for frame in reversed(frames)]
            path = self._paths[reference] = [frame for frame in path if frame != NONE]
        return path

    def _frame(self, frame: dict[str, Any]) -> int:
        reference = frame["method"]
        known = self._frames.get(reference)
        if known is None:
            method: dict[str, Any] = self._chunk.follow(reference) or {}
            owner: dict[str, Any] = self._chunk.follow(method.get("type")) or {}
            where = self._symbol(owner.get("name")).replace("/", ".")
            if where.rpartition(".")[0].startswith(RECORDER):
                self._frames[reference] = NONE
                return NONE
            name = self._symbol(method.get("name")) or "(unknown)"
            written = self._chunk.follow(frame.get("type"))
            kind = written.get("description", written.get("desc")) if isinstance(written, dict) else written
            category = "native" if kind in NATIVE_FRAMES else None
            known = self._builder.frame(f"{where}:{name}" if where else name, category=category)
            self._frames[reference] = known
        return known

    def _symbol(self, reference: Any) -> str:
        """A text that may lie in the pool of symbols, of strings, or here."""
        found = self._chunk.follow(reference)
        if isinstance(found, dict):
            found = self._chunk.follow(found.get("string", found.get("utf8")))
        return found if isinstance(found, str) else ""
