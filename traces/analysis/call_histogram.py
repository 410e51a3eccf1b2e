"""All calls of one function: how long they took, as a histogram, and the slowest."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.durations import call_lengths
from traces.analysis.longest import LongSpan, longest_calls_of
from traces.model import Trace
from traces.values import ProfileKind

BARS = 24
SLOWEST = 5


@dataclass(frozen=True, slots=True)
class SingleCalls:
    """`bars[i]` calls took from `edges[i]` (included) to `edges[i + 1]` (excluded; included of the last), on the axis'
    unit; edges lie apart by equal factors. `slowest` are the longest first."""

    calls: int
    edges: tuple[float, ...]
    bars: tuple[int, ...]
    slowest: tuple[LongSpan, ...]


def single_calls(trace: Trace, frame: int, profile: int) -> SingleCalls | None:
    """Those of one thread that ended; None for samples, which know no calls, and where there are none."""
    one = trace.profiles[profile]
    if one.kind is not ProfileKind.EVENTED:
        return None
    lengths = call_lengths(one, frame)
    if not len(lengths):
        return None
    least, most = max(float(lengths.min()), 1.0), max(float(lengths.max()), 1.0)
    if least == most:
        edges, bars = (least, most), (len(lengths),)
    else:
        bounds = np.geomspace(least, most, BARS + 1)
        place = np.clip(np.searchsorted(bounds, lengths, "right") - 1, 0, BARS - 1)
        edges = tuple(bounds.tolist())
        bars = tuple(np.bincount(place, minlength=BARS).tolist())
    return SingleCalls(len(lengths), edges, bars, longest_calls_of(trace, one, frame, SLOWEST))
