"""Small closed sets and rows that cross the room: units, kinds, what a recording is, warnings."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Unit(StrEnum):
    """What a number in a column measures. Time is always nanoseconds: importers convert, nothing else does."""

    NANOSECONDS = "nanoseconds"
    BYTES = "bytes"
    COUNT = "count"

    @property
    def is_time(self) -> bool:
        return self is Unit.NANOSECONDS


class ProfileKind(StrEnum):
    SAMPLED = "sampled"  #: Rows are stacks with weights.
    EVENTED = "evented"  #: Rows are single calls with a start and an end.


class Order(StrEnum):
    """Whether the rows of a profile lie in time: only then can moments, durations, rates and intervals be asked for."""

    TIME = "time"  #: Each row has its moment on a time axis.
    NONE = "none"  #: Sums per call path, or rows without a time: their place in the file means nothing.


class Counts(StrEnum):
    """What the count of a function or a call path is a number of."""

    CALLS = "calls"  #: How often it was entered, exactly.
    SAMPLES = "samples"  #: How often the profiler found it running; never a number of calls.
    EVENTS = "events"  #: Allocations, contentions, faults: the name of the counted value says of what.
    NONE = "none"  #: The file has sums without counts.


class Waits(StrEnum):
    """Whether a profile shows a thread's waiting."""

    WORK = "work"  #: Only while code ran on a processor: waiting is not in it.
    WAITING = "waiting"  #: Only while code waited: for a lock, a timer, input or output.
    BOTH = "both"  #: By the clock on the wall, work and waiting alike.
    NEITHER = "neither"  #: It does not measure time: allocations.
    UNKNOWN = "unknown"  #: The file does not say how it was recorded.


class ThreadState(IntEnum):
    """What the operating system did with a thread."""

    RUNNING = 0  #: It was on a processor.
    RUNNABLE = 1  #: It could run and waited for a processor.
    SLEEPING = 2  #: It waited for something, and could be interrupted: a lock, a timer, a message.
    BLOCKED = 3  #: It waited and could not be interrupted, mostly for a disk.


class Clock(StrEnum):
    """How the zero of a profile's axis relates to the trace's."""

    TRACE = "trace"  #: The same axis: a moment here is the same moment in every other profile of this clock.
    OWN = "own"  #: An axis of its own: its moments say nothing about those of other profiles.
    NONE = "none"  #: No moments at all: sums laid end to end.


class Role(StrEnum):
    """What a thread is for."""

    MAIN = "main"  #: The thread on which the program started, or the page runs.
    UI = "ui"  #: Draws or handles input next to the main thread: a browser's own main thread, Android's RenderThread.
    WORKER = "worker"  #: Started by the program for one kind of work: a web worker, a background thread.
    IO = "io"  #: Network, files, messages between processes.
    GC = "gc"  #: The garbage collector's.
    COMPOSITOR = "compositor"  #: Puts layers of a page together.
    GPU = "gpu"  #: A device's stream, or the thread that feeds it.
    POOL = "pool"  #: One of many alike that take any work.
    KERNEL = "kernel"  #: The operating system's own.
    UNKNOWN = "unknown"  #: Nothing in the file says what it is for.


class RoleRule(StrEnum):
    """By what a thread's role was recognised."""

    NAME = "name"  #: The thread's or track's name.
    METADATA = "metadata"  #: The file says it of the thread.
    PID_IS_TID = "pid is tid"  #: On Linux the first thread of a process has the process's number.
    NONE = "none"  #: Not recognised.


@dataclass(frozen=True, slots=True)
class Facts:
    """What a profile is, as its importer knows it; a format's own are the default of its profiles.

    `count_value` is the index of the value that holds the counts, or None where each row counts once.
    """

    order: Order = Order.TIME
    counts: Counts = Counts.SAMPLES
    waits: Waits = Waits.UNKNOWN
    clock: Clock = Clock.TRACE
    count_value: int | None = None


@dataclass(frozen=True, slots=True)
class ValueType:
    """One quantity that a profile measures, such as CPU time or allocated bytes."""

    name: str
    unit: Unit


ESTIMATED_PATHS = "estimated_paths"
"""The warning of a file that has who called whom, and no call paths."""


@dataclass(frozen=True, slots=True)
class TraceWarning:
    """Something dropped, clamped or repaired while reading; `count` says how often. Shown to people and to the
    model."""

    code: str
    text: str
    count: int = 1

    @property
    def often(self) -> str:
        """Behind the text: how often, where that is more than once."""
        return f" ({self.count:,})" if self.count > 1 else ""
