"""When it was hottest: the stretches of a time axis in which most happened, or most of one function."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.analysis.filters import FrameFilter, shown_frames
from traces.analysis.functions import FunctionRow, top_functions
from traces.analysis.levels import at_or_below
from traces.analysis.selection import Selection, select
from traces.analysis.window import Window, sample_extent
from traces.errors import InvalidQuestion
from traces.handles import ProfileChoice, frame_index
from traces.model import Profile, Trace
from traces.values import ProfileKind, Unit

WINDOWS_OF_AXIS = 20
"""Without a length a window is a twentieth of the axis: short enough to stand out, long enough to hold samples."""
STEPS = 4
"""Windows begin at multiples of a quarter of their length: the hottest stretch misses a quarter of itself at most."""
MAX_STEPS = 1_000_000
FUNCTIONS = 3


@dataclass(frozen=True, slots=True)
class HotWindow:
    """`value` is what happened between `start` and `end` (axis units); `busy` is that over the window's length: 1 is
    one thread at work all the time (None where value and axis are not both time). `functions` are the heaviest."""

    start: float
    end: float
    value: float
    share: float
    busy: float | None
    functions: tuple[FunctionRow, ...]


@dataclass(frozen=True, slots=True)
class HotWindows:
    """Windows that do not overlap, hottest first. `average` is the value of a window if all were alike."""

    rows: tuple[HotWindow, ...]
    length: float
    average: float
    whole: float
    unit: Unit
    axis: Unit
    profile: str


def hottest_windows(
    trace: Trace,
    *,
    profile: ProfileChoice = None,
    length: float | None = None,
    limit: int = 5,
    frame: int | None = None,
    window: Window | None = None,
    value: str | None = None,
    frame_filter: FrameFilter | None = None,
) -> HotWindows:
    """The windows of a length (axis units) with the largest value, of everything or of one function and its callees,
    of the shown functions and their callees where a filter hides some; only windows inside `window`.

    Raises UnknownHandle, InvalidQuestion (a length that fits too often, sums without moments).
    """
    chosen = select(trace, profile, value=value, frame_filter=frame_filter)
    frames = shown_frames(trace, frame_filter) if frame_filter else np.ones(len(trace.frames), np.bool_)
    if frame is not None:
        frame_index(trace, f"f{frame}")
        frames &= np.arange(len(frames)) == frame
    first, last = float(chosen.axis_start), float(chosen.axis_end)
    if window is not None:
        first, last = max(first, float(window.start)), min(last, float(window.end))
    span = last - first
    if span <= 0:
        raise InvalidQuestion(f"{chosen.handle} has no length in time: there are no windows in it.")
    length = min(length or span / WINDOWS_OF_AXIS, span)
    if length <= 0 or span / length * STEPS > MAX_STEPS:
        raise InvalidQuestion(f"a window must be longer than {span * STEPS / MAX_STEPS:.3g} {chosen.axis.value}.")
    steps = np.arange(int(np.ceil(span / length * STEPS)) + STEPS + 1, dtype=np.float64)
    edges = np.minimum(first + steps * (length / STEPS), last)
    until = np.zeros(len(edges))
    for one, index in zip(chosen.profiles, chosen.value, strict=True):
        until += _until(one, index, frames, edges)
    held = until[STEPS:] - until[:-STEPS]
    whole = float(until[-1] - until[0])
    rows = []
    for step in _apart(held, limit):
        found = Window(float(edges[step]), float(edges[step + STEPS]))
        rows.append(_row(trace, profile, chosen, found, float(held[step]), whole, value))
    return HotWindows(tuple(rows), length, whole * length / span, whole, chosen.unit, chosen.axis, chosen.handle)


def _row(
    trace: Trace,
    profile: ProfileChoice,
    chosen: Selection,
    window: Window,
    held: float,
    whole: float,
    value: str | None,
) -> HotWindow:
    inside = top_functions(
        trace, profile=profile, limit=FUNCTIONS, window=window, value=value, frame_filter=chosen.frame_filter
    )
    return HotWindow(
        start=window.start,
        end=window.end,
        value=held,
        share=held / whole if whole else 0.0,
        busy=held / (window.end - window.start) if chosen.unit.is_time and chosen.axis.is_time else None,
        functions=inside.rows,
    )


def _apart(held: npt.NDArray[np.float64], limit: int) -> list[int]:
    """The first steps of the largest windows that do not overlap, the earlier of equals first."""
    left = held.copy()
    chosen: list[int] = []
    while len(chosen) < limit:
        best = int(np.argmax(left))
        if left[best] <= 0:
            break
        chosen.append(best)
        left[max(best - STEPS + 1, 0) : best + STEPS] = -1
    return chosen


def _until(
    profile: Profile, value: int, frames: npt.NDArray[np.bool_], edges: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """What happened before each edge in some frames and what they called."""
    tree = profile.tree
    wanted = frames[tree.frame]
    under = wanted if wanted.all() else at_or_below(wanted, tree.parent)
    if profile.kind is ProfileKind.EVENTED:
        spans = profile.spans
        assert spans is not None
        outermost = under & ~np.append(under, np.False_)[tree.parent]
        rows = np.flatnonzero(outermost[spans.node])
        start, end = spans.start[rows].astype(np.float64), spans.end[rows].astype(np.float64)
        weight = end - start
    else:
        samples = profile.samples
        assert samples is not None
        rows = np.flatnonzero(np.append(under, np.False_)[samples.leaf])
        begins, ends = sample_extent(profile, samples)
        start, end = begins[rows].astype(np.float64), ends[rows].astype(np.float64)
        weight = samples.weights[value][rows].astype(np.float64)
    if len(rows) == 0:
        return np.zeros(len(edges))
    before = np.concatenate(([0.0], np.cumsum(weight)))
    last = np.searchsorted(start, edges)  # intervals that have begun; only the last of them can still be going on
    current = np.maximum(last - 1, 0)
    lasting = end[current] - start[current]
    gone = np.divide(edges - start[current], lasting, out=np.ones(len(edges)), where=lasting > 0)
    part: npt.NDArray[np.float64] = before[last] - np.where(last > 0, weight[current] * (1 - gone.clip(0, 1)), 0.0)
    return part
