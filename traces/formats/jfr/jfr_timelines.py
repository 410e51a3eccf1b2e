"""What a recording holds that lasts: each thread's waits, and the collections and pauses of the garbage collector."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from traces.builder import TraceBuilder
from traces.formats.jfr import WAITS_IN_TIME
from traces.formats.jfr.jfr_chunk import Chunk
from traces.formats.jfr.jfr_v0 import ChunkV0
from traces.model import NONE
from traces.nesting import nest_slices
from traces.stacks import StackTable
from traces.values import Unit, ValueType

WAIT_EVENTS = {
    "jdk.JavaMonitorEnter": "lock",
    "jdk.JavaMonitorWait": "wait",
    "jdk.ThreadPark": "park",
    "jdk.ThreadSleep": "sleep",
    "jdk.FileRead": "file read",
    "jdk.FileWrite": "file write",
    "jdk.FileForce": "file force",
    "jdk.SocketRead": "socket read",
    "jdk.SocketWrite": "socket write",
}
"""What a thread waited for: the innermost frame of its stack."""
COLLECTION = "jdk.GarbageCollection"
PAUSES = frozenset({"jdk.GCPhasePause", *(f"jdk.GCPhasePauseLevel{level}" for level in range(1, 5))})
EVENTS = frozenset({*WAIT_EVENTS, COLLECTION, *PAUSES})
CLASS_FIELDS = ("monitorClass", "parkedClass", "objectClass")
STOPS = "Garbage collections"
CYCLES = "Concurrent garbage collections"
ALL_OF_IT = 0.9
"""The part of a collection from which it is one pause: a cycle that goes on while the program runs pauses for less."""
MAX_THREADS = 1_000
WAITED = ValueType("time", Unit.NANOSECONDS)


@dataclass(slots=True)
class ThreadWaits:
    """One thread's waits, in the order of the file; moments and durations in nanoseconds."""

    name: str
    tid: str
    stacks: StackTable = field(default_factory=StackTable)
    rows: list[tuple[int, int, int]] = field(default_factory=list)
    """Begin, duration, leaf."""


class Timelines:
    """Collects them from the events of all chunks; `add` feeds the builder."""

    def __init__(self, builder: TraceBuilder) -> None:
        self._builder = builder
        self._threads: dict[tuple[str, str], ThreadWaits] = {}
        self._collections: list[tuple[int, int, int]] = []
        self._cycles: list[tuple[int, int, int]] = []
        self._pauses: list[tuple[int, int, int]] = []
        self._beyond = 0

    def collect(self, chunk: Chunk | ChunkV0, name: str, event: dict[str, Any], path: list[int]) -> None:
        """An event of `EVENTS`; `path` is its stack, outermost first."""
        begin = chunk.nanoseconds(event.get("startTime", chunk.start_ticks))
        lasting = max(0, chunk.lasting(event.get("duration") or 0))
        kind = WAIT_EVENTS.get(name)
        if kind is not None:
            if event.get("eventThread") is not None:
                self._wait(chunk, kind, event, path, (begin, lasting))
            return
        label = _text(chunk, event.get("name"), "name") or name.removeprefix("jdk.")
        if name == COLLECTION and (cause := _text(chunk, event.get("cause"), "cause")):
            label = f"{label} ({cause})"
        rows = self._pauses
        if name == COLLECTION:
            paused = event.get("sumOfPauses")
            goes_on = isinstance(paused, int) and chunk.lasting(paused) < ALL_OF_IT * lasting
            rows = self._cycles if goes_on else self._collections
        rows.append((begin, begin + lasting, self._builder.frame(label)))

    def _wait(
        self, chunk: Chunk | ChunkV0, kind: str, event: dict[str, Any], path: list[int], when: tuple[int, int]
    ) -> None:
        key = _thread(chunk, event.get("eventThread"))
        thread = self._threads.get(key)
        if thread is None:
            if len(self._threads) >= MAX_THREADS:
                self._beyond += 1
                return
            thread = self._threads[key] = ThreadWaits(*key)
        awaited = next((found for name in CLASS_FIELDS if (found := _class(chunk, event.get(name)))), "")
        leaf = NONE
        for frame in (*path, self._builder.frame(f"({kind}: {awaited})" if awaited else f"({kind})")):
            leaf = thread.stacks.child(leaf, frame)
        thread.rows.append((*when, leaf))

    def add(self, began: int | None) -> None:
        """The collector's spans, then a profile a thread that waited, the longest first; the axis begins with the
        recording (ns)."""
        kinds = ((STOPS, self._collections), (CYCLES, self._cycles), ("Pauses for collections", self._pauses))
        for name, rows in kinds:
            if rows:
                start, end, frame = np.array(sorted(rows, key=lambda row: row[:2]), np.int64).T
                nested = nest_slices(start.copy(), end.copy(), frame.astype(np.int32))
                self._builder.add_evented(name, nested, axis_start=_earlier(began, start))
        waited = sorted(self._threads.values(), key=lambda thread: -sum(row[1] for row in thread.rows))
        for thread in waited:
            begin, lasting, leaf = np.array(sorted(thread.rows), np.int64).T
            self._builder.add_sampled(
                f"Waits of {thread.name}",
                thread.stacks,
                leaf.astype(np.int32),
                [_without_overlap(begin, lasting)],
                values=(WAITED,),
                time=begin,
                axis=Unit.NANOSECONDS,
                axis_start=_earlier(began, begin),
                tid=thread.tid,
                facts=WAITS_IN_TIME,
            )
        self._builder.warn("threads", f"waits of threads beyond the first {MAX_THREADS:,} were not read", self._beyond)


def _earlier(began: int | None, moments: np.ndarray[Any, Any]) -> int:
    """Where an axis begins: with the recording, unless something began before it."""
    first = int(moments[0])
    return first if began is None else min(began, first)


def _without_overlap(begin: np.ndarray[Any, Any], lasting: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A thread waits for one thing at a time: of two that overlap the earlier one ends where the other begins."""
    left = np.append(np.diff(begin), np.iinfo(np.int64).max)
    shorter: np.ndarray[Any, Any] = np.minimum(lasting, left)
    return shorter


def _thread(chunk: Chunk | ChunkV0, reference: Any) -> tuple[str, str]:
    """A thread's name and number."""
    found = chunk.follow(reference)
    if not isinstance(found, dict):
        return "an unknown thread", ""
    name = next((text for key in ("javaName", "osName", "name") if (text := _text(chunk, found.get(key), key))), "")
    number = found.get("osThreadId") or (reference[1] if isinstance(reference, tuple) else "")
    return name or f"thread {number}", str(number)


def _class(chunk: Chunk | ChunkV0, reference: Any) -> str:
    found = chunk.follow(reference)
    return _text(chunk, found.get("name"), "string").replace("/", ".") if isinstance(found, dict) else ""


def _text(chunk: Chunk | ChunkV0, reference: Any, *keys: str) -> str:
    """A text that may lie in the pool of symbols, of strings, in one of its own kind, or here."""
    found = chunk.follow(reference)
    if isinstance(found, dict):
        found = next((chunk.follow(found[key]) for key in (*keys, "string", "utf8") if key in found), None)
    return found if isinstance(found, str) else ""
