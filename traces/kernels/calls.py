"""The events of a speedscope profile, which open and close frames, as calls. In C: calls.c."""

import ctypes
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from traces.kernels.inputs import Buffer
from traces.kernels.library import Outcome, call, kernels, raise_for, take

Int32 = npt.NDArray[np.int32]
NONE = -1


class Event(msgspec.Struct, gc=False):
    type: str
    at: float | int
    frame: int


@dataclass(frozen=True, slots=True)
class Calls:
    """`at` is when each event is. Of each call the events that open and close it (-1: it is open at the end), the frame
    as the file numbers it, and its caller (-1: none)."""

    at: npt.NDArray[Any]
    opened: Int32
    closed: Int32
    frame: npt.NDArray[Any]
    parent: Int32


class NotMatched(Exception):
    """Events, which are `at` some times, do not open and close frames, innermost first."""

    def __init__(self, reason: str, at: npt.NDArray[Any]) -> None:
        super().__init__(reason)
        self.at = at


def scan_calls(data: Buffer, max_depth: int) -> Calls:
    """The calls of a JSON array of events, innermost closed first. Raises NotMatched, and what msgspec raises."""
    library = kernels()
    if library is not None:
        source, calls = np.frombuffer(data, np.uint8), _CallsStruct()
        try:
            outcome = call(library.scan_calls, source, len(source), max_depth, calls)
            if outcome == Outcome.OK:
                at = take(library, calls, "at", calls.events, np.float64)
                names = ("opened", "closed", "frame", "parent")
                return Calls(at, *(take(library, calls, name, calls.count, np.int32) for name in names))
            if outcome != Outcome.UNUSUAL:
                raise_for(outcome, 0)
        finally:
            call(library.forget_calls, calls)
    return scan_calls_reference(data, max_depth)


class _CallsStruct(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("at", "opened", "closed", "frame", "parent")),
        *((name, ctypes.c_int64) for name in ("events", "count")),
    )


def scan_calls_reference(data: Buffer, max_depth: int) -> Calls:
    """The same, an event at a time."""
    events = msgspec.json.decode(data, type=list[Event])
    at = np.array([event.at for event in events])
    opened: list[int] = []
    closed: list[int] = []
    frame: list[int] = []
    parent: list[int] = []
    stack: list[int] = []
    for index, event in enumerate(events):
        if event.type == "O":
            if len(stack) >= max_depth:
                raise NotMatched(f"its stacks are deeper than {max_depth:,} frames", at)
            parent.append(stack[-1] if stack else NONE)
            stack.append(len(opened))
            opened.append(index)
            closed.append(NONE)
            frame.append(event.frame)
        elif event.type != "C":
            raise NotMatched("an event neither opens nor closes a frame", at)
        elif not stack or frame[stack[-1]] != event.frame:
            raise NotMatched("a frame closes while another one is innermost", at)
        else:
            closed[stack.pop()] = index
    first, last, above = (np.array(column, np.int32) for column in (opened, closed, parent))
    return Calls(at, first, last, np.array(frame) if frame else first, above)
