"""Timeline recordings of Safari's Web Inspector. Format: WebKit, Source/WebInspectorUI (TimelineRecording.js)."""

from itertools import pairwise

import msgspec
import numpy as np

from traces.builder import TraceBuilder
from traces.formats.time_units import nanoseconds
from traces.model import NONE
from traces.stacks import StackTable

SECOND = 1_000_000_000
LEAST_GAP = 0.002
"""Seconds. Times and durations of samples contradict each other by up to this much; only a longer gap is idle time."""


class StackFrame(msgspec.Struct, gc=False):
    name: str = ""
    url: str = ""
    line: int | None = None
    column: int | None = None


class StackTrace(msgspec.Struct):
    timestamp: float
    frames: list[StackFrame] = msgspec.field(name="stackFrames", default_factory=list)


class Recording(msgspec.Struct):
    traces: list[StackTrace] = msgspec.field(name="sampleStackTraces", default_factory=list)
    durations: list[float] = msgspec.field(name="sampleDurations", default_factory=list)
    name: str = msgspec.field(name="displayName", default="")


class File(msgspec.Struct):
    recording: Recording


def read(content: memoryview, builder: TraceBuilder) -> None:
    """Feed the samples of the one thread; they and the gaps between them lie end to end. Raises DamagedTrace."""
    recording = msgspec.json.decode(content, type=File).recording
    if builder.breaks_off:
        _complete(recording)
    if len(recording.traces) != len(recording.durations):
        raise builder.damaged(
            f"it has {len(recording.traces):,} samples but {len(recording.durations):,} durations of samples."
        )
    ends, lasting = np.array([t.timestamp for t in recording.traces]), np.array(recording.durations, np.float64)
    gaps = np.diff(ends, prepend=ends[:1]) - lasting
    gaps[:1] = 0
    gaps[gaps <= LEAST_GAP] = 0
    stacks = StackTable()
    leaves = stacks.leaves([_frame(frame, builder) for frame in reversed(trace.frames)] for trace in recording.traces)
    # A gap before each sample, most of them of no length. Sums are rounded, not their parts.
    parts = np.stack((gaps, lasting), axis=1).reshape(-1)
    try:
        weights = np.diff(nanoseconds(np.cumsum(parts), SECOND), prepend=0)
    except ValueError as error:
        raise builder.damaged(f"{error}.") from error
    with_gaps = np.stack((np.full(len(leaves), NONE), np.array(leaves, np.int32)), axis=1).reshape(-1)
    kept = weights != 0
    builder.add_sampled(recording.name or builder.name, stacks, with_gaps[kept], [weights[kept]])


def _complete(recording: Recording) -> None:
    """Durations stand behind all samples in the file: one that is not there is how long the sample before is ago."""
    del recording.durations[len(recording.traces) :]
    for before, now in pairwise(recording.traces[max(0, len(recording.durations) - 1) :]):
        recording.durations.append(max(0.0, now.timestamp - before.timestamp))
    if len(recording.durations) < len(recording.traces):
        recording.durations.insert(0, 0.0)


def _frame(frame: StackFrame, builder: TraceBuilder) -> int:
    name = frame.name
    if not name:
        name = f"(anonymous {frame.url.rsplit('/', 1)[-1]}:{frame.line})" if frame.url else "(anonymous)"
    return builder.frame(name, frame.url or None, frame.line, frame.column)
