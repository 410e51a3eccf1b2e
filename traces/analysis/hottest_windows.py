"""When it was hottest: the windows of a time axis in which most happened, or most of one function."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from traces.analysis.filters import FrameFilter
from traces.analysis.functions import FunctionRow, top_functions
from traces.analysis.selection import Selection, select
from traces.analysis.time_axis import need_times
from traces.analysis.window import Window
from traces.errors import InvalidQuestion
from traces.handles import ProfileChoice, frame_index
from traces.kernels.columns import pick
from traces.model import Int64, Profile, Samples, Trace, Values
from traces.unfinished import finished
from traces.values import Unit

WINDOWS_OF_AXIS = 20
"""Without a length a window is a twentieth of the axis: short enough to stand out, long enough to hold samples."""
STEPS = 4
"""Windows begin at multiples of a quarter of their length: the hottest one misses a quarter of itself at most."""
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
    scope_total: float
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

    Raises UnknownHandle, InvalidQuestion (a length that fits too often), NoTimes.
    """
    chosen = select(trace, profile, value=value, frame_filter=frame_filter)
    need_times(chosen.profiles, "when most happened")
    tree = chosen.tree
    under = np.ones(len(tree), np.bool_)
    if frame is not None:
        frame_index(trace, f"f{frame}")
        under = tree.levels.at_or_below(tree.frame == frame)
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
    for one, index, nodes in zip(chosen.profiles, chosen.value, chosen.in_profiles(under), strict=True):
        until += _until(one, index, nodes, edges)
    amount = until[STEPS:] - until[:-STEPS]
    scope_total = float(until[-1] - until[0])
    rows = []
    for step in _apart(amount, limit):
        found = Window(float(edges[step]), float(edges[step + STEPS]))
        rows.append(_row(trace, profile, chosen, found, float(amount[step]), scope_total, value))
    return HotWindows(
        tuple(rows), length, scope_total * length / span, scope_total, chosen.unit, chosen.axis, chosen.handle
    )


def _row(
    trace: Trace,
    profile: ProfileChoice,
    chosen: Selection,
    window: Window,
    amount: float,
    scope_total: float,
    value: str | None,
) -> HotWindow:
    inside = top_functions(
        trace, profile=profile, limit=FUNCTIONS, window=window, value=value, frame_filter=chosen.frame_filter
    )
    return HotWindow(
        start=window.start,
        end=window.end,
        value=amount,
        share=amount / scope_total if scope_total else 0.0,
        busy=amount / (window.end - window.start) if chosen.unit.is_time and chosen.axis.is_time else None,
        functions=inside.rows,
    )


def _apart(amount: npt.NDArray[np.float64], limit: int) -> list[int]:
    """The first steps of the largest windows that do not overlap, the earlier of equals first."""
    left = amount.copy()
    chosen: list[int] = []
    while len(chosen) < limit:
        best = int(np.argmax(left))
        if left[best] <= 0:
            break
        chosen.append(best)
        left[max(best - STEPS + 1, 0) : best + STEPS] = -1
    return chosen


def _until(
    profile: Profile, value: int, under: npt.NDArray[np.bool_], edges: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """What happened before each edge in some nodes, with which all nodes below them come."""
    spans, samples = profile.spans, profile.samples
    counts = np.append(under, np.False_)  # the last row answers for idle, and for what is above roots
    if spans is not None:
        topmost = under & ~counts[profile.tree.parent]
        rows = finished(
            spans.parent, spans.unfinished, spans.parent < 0 if under.all() else pick(topmost, spans.node).astype(bool)
        )
        start, weight = spans.start[rows], spans.end[rows] - spans.start[rows]
    else:
        assert samples is not None
        inside = pick(counts, samples.leaf)
        start, weight = samples.time, samples.weights[value]
        weight = weight if inside.all() else weight * inside
    if len(start) == 0:
        return np.zeros(len(edges))
    # Intervals that have started, of which only the last can still be going on.
    first_after = np.searchsorted(start, np.ceil(edges).astype(start.dtype) if start.dtype.kind == "i" else edges)
    current = np.maximum(first_after - 1, 0)
    part = weight[current].astype(np.float64)
    lasting = part if samples is None else _lengths(profile, samples, current).astype(np.float64)
    gone = np.divide(edges - start[current], lasting, out=np.ones(len(edges)), where=lasting > 0)
    before = np.cumsum(
        [weight[first:last].sum() for first, last in pairwise((0, *first_after.tolist()))], dtype=np.float64
    )
    until: npt.NDArray[np.float64] = before - np.where(first_after > 0, part * (1 - gone.clip(0, 1)), 0.0)
    return until


def _lengths(profile: Profile, samples: Samples, rows: Int64) -> Values:
    """How long these samples last on the axis."""
    if profile.unit == profile.axis:
        return samples.weights[profile.default_value][rows]
    last = len(samples) - 1
    ends = np.where(rows < last, samples.time[np.minimum(rows + 1, last)], profile.axis_end)
    lasting: Values = ends - samples.time[rows]
    return lasting
