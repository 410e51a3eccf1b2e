"""Callgrind's lines as columns: functions, their own costs, and what callers paid for callees. In C: cost_lines.c.

Format: https://valgrind.org/docs/manual/cl-format.html. What a function cost itself is the sum of all its cost lines,
those of inlined code (`fi`, `fe`) too.
"""

import ctypes
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.kernels.cost_lines_reference import (
    NO_EVENTS,
    OTHER_EVENTS,
    TOO_MANY_EVENTS,
    TOO_MANY_THREADS,
    NotCosts,
    PartRead,
    read_costs,
)
from traces.kernels.inputs import Buffer, ReadCounter, counted_in
from traces.kernels.library import NamesStruct, Outcome, call, kernels, raise_for, take

Int32 = npt.NDArray[np.int32]
Float64 = npt.NDArray[np.float64]
KINDS = 3
"""Files, functions and objects have compressed names of their own."""


@dataclass(frozen=True, slots=True)
class CostPart:
    """What one thread did. A row of `name`, `file`, `object` (rows of the texts), `own` (a cost an event) and `times`
    is a function; one of `caller`, `callee` (rows of functions) and `paid` (a cost an event, then how many calls) is
    who called whom; both in order of first appearance."""

    thread: bytes
    events: tuple[bytes, ...]
    name: Int32
    file: Int32
    object: Int32
    own: Float64
    times: Float64
    caller: Int32
    callee: Int32
    paid: Float64


@dataclass(frozen=True, slots=True)
class CostLines:
    """Threads in order of first appearance. `unread` lines are cut or malformed, `given_back` costs were below zero."""

    parts: tuple[CostPart, ...]
    texts: tuple[bytes, ...]
    unread: int
    given_back: int


REASONS = (NO_EVENTS, TOO_MANY_EVENTS, OTHER_EVENTS, TOO_MANY_THREADS)
"""In the order of their numbers in cost_lines.c, from 1."""


def scan_costs(
    data: Buffer, most_parts: int, counter: ReadCounter | None = None, *, gives_back: bool = False
) -> CostLines:
    """All costs of a text; `counter` is advanced line by line. A cost with a minus is less than that of the line before
    by so much or, with `gives_back`, is 0. Raises NotCosts, also for more than `most_parts` threads."""
    library = kernels()
    if library is None:
        return scan_costs_reference(data, most_parts, counter, gives_back=gives_back)
    source = np.frombuffer(data, np.uint8)
    costs = _CostsStruct(most_parts=most_parts, gives_back=gives_back)
    try:
        outcome = call(library.scan_costs, source, len(source), counted_in(counter), costs)
        if outcome == Outcome.MALFORMED:
            raise NotCosts(REASONS[costs.fault - 1])
        raise_for(outcome, 0)
        structs = (_PartStruct * costs.count).from_address(costs.parts) if costs.count else ()
        parts = tuple(struct.columns(library, source) for struct in structs)
        return CostLines(parts, costs.names.texts(source), costs.unread, costs.given_back)
    finally:
        call(library.forget_costs, costs)


def scan_costs_reference(
    data: Buffer, most_parts: int, counter: ReadCounter | None = None, *, gives_back: bool = False
) -> CostLines:
    """The same, a line at a time."""
    texts: dict[bytes, int] = {}
    parts, unread, given_back = read_costs(data, most_parts, texts, counter, gives_back=gives_back)
    return CostLines(tuple(map(_columns, parts)), tuple(texts), unread, given_back)


def _columns(part: PartRead) -> CostPart:
    width = len(part.events)
    keys = np.array(list(part.functions), np.int32).reshape(-1, KINDS)
    calls = np.array(list(part.paid), np.int32).reshape(-1, 2)
    return CostPart(
        part.thread,
        part.events,
        keys[:, 0].copy(),
        keys[:, 1].copy(),
        keys[:, 2].copy(),
        np.array(part.own, np.float64).reshape(-1, width),
        np.array(part.times, np.float64),
        calls[:, 0].copy(),
        calls[:, 1].copy(),
        np.array(list(part.paid.values()), np.float64).reshape(-1, width + 1),
    )


class _SlotsStruct(ctypes.Structure):
    _fields_ = (("rows", ctypes.c_void_p), ("count", ctypes.c_int64))


class _PartStruct(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("thread_at", "thread_length", "events_at", "events_length", "width")),
        *((name, ctypes.c_void_p) for name in ("name", "file", "object", "own", "times", "caller", "callee", "paid")),
        *(
            (f"{name}_room", ctypes.c_int64)
            for name in ("name", "file", "object", "own", "times", "caller", "callee", "paid")
        ),
        *((name, ctypes.c_int64) for name in ("functions", "calls")),
        *((name, _SlotsStruct) for name in ("by_key", "by_ends", "by_number")),
        ("ids", NamesStruct * KINDS),
        ("texts", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("texts_room", "texts_count")),
        ("of_number", ctypes.c_void_p * KINDS),
        ("of_number_room", ctypes.c_int64 * KINDS),
    )

    def columns(self, library: ctypes.CDLL, source: npt.NDArray[np.uint8]) -> CostPart:
        """Its columns, which are no longer the struct's to free."""

        def text(at: int, length: int) -> bytes:
            return source[at : at + length].tobytes()

        functions, calls, width = self.functions, self.calls, self.width
        return CostPart(
            text(self.thread_at, self.thread_length),
            tuple(text(self.events_at, self.events_length).split()),
            take(library, self, "name", functions, np.int32),
            take(library, self, "file", functions, np.int32),
            take(library, self, "object", functions, np.int32),
            take(library, self, "own", functions * width, np.float64).reshape(-1, width),
            take(library, self, "times", functions, np.float64),
            take(library, self, "caller", calls, np.int32),
            take(library, self, "callee", calls, np.int32),
            take(library, self, "paid", calls * (width + 1), np.float64).reshape(-1, width + 1),
        )


class _CostsStruct(ctypes.Structure):
    _fields_ = (
        ("parts", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("parts_room", "count", "unread", "fault", "most_parts")),
        *((name, ctypes.c_int64) for name in ("gives_back", "given_back")),
        ("names", NamesStruct),
        ("threads", NamesStruct),
    )
