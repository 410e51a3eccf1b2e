"""From slices and begin/end events to properly nested spans.

Rules, measured on real files: slices sort by start, then longest first, then file order; a slice that starts when
another ends is its sibling, and so is one that starts before that by no more than moments are rounded; one that starts
inside its parent and ends after it is clamped to the parent's end and counted. An end closes the innermost open span of
its name, and with it what is still open above; one without a name closes the innermost; an end without a begin is
dropped and counted. What has no end of its own is unfinished (docs/time.md): drawn to its caller's end or to the last
moment, and left out of sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from traces.bounds import MAX_STACK_DEPTH
from traces.kernels import spans
from traces.kernels.spans import no_rows
from traces.model import Int32, Int64, Values

ROUNDING_NS = 1_000
"""By how much a slice may begin before the one ahead of it ends and still follow it: formats count microseconds, and
who rounds a moment and a length moves the end by up to one. Taken as lying inside, it would lose all that is beyond."""

Flags = Sequence[bool] | npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Nested:
    """Spans in preorder. `source` is each span's index in the input; the counts are what was repaired.

    `unfinished` are the rows of spans without an end, `first_unmatched` the time and frame of the first end without a
    begin.
    """

    source: Int64 | Int32
    start: Values
    end: Values
    frame: Int32
    parent: Int32
    clamped: int = 0
    unmatched_ends: int = 0
    too_deep: int = 0
    unfinished: Int32 = field(default_factory=no_rows)
    first_unmatched: tuple[float, int] | None = None


def nest_slices(start: Values, end: Values, frame: Int32, *, owned: bool = False) -> Nested:
    """Nest complete slices, given in file order. Columns that are nobody else's may be sorted where they lie."""
    ended = spans.nest_ended(start, end, frame, MAX_STACK_DEPTH) if owned else None
    if ended is not None:
        return Nested(ended.source, start, end, frame, ended.parent)
    nested = _nested(spans.nest(start, end, MAX_STACK_DEPTH, rounding=ROUNDING_NS), start, frame)
    given = (start, end, frame)
    if not owned or len(nested.start) < len(start) or not all(column.flags.writeable for column in given):
        return nested
    for column, sorted_column in zip(given, (nested.start, nested.end, nested.frame), strict=True):
        column[:] = sorted_column
    return replace(nested, start=start, end=end, frame=frame)


def match_begin_end(time: Values, frame: Int32, is_begin: Flags, latest: float | None = None) -> Nested:
    """Match begins and ends, given in time order (file order within one moment). `source` is each begin's index.

    What never ends is drawn to its caller's end, or to the last accepted moment, or to `latest` if that is later.
    """
    found = spans.match(time, frame, np.asarray(is_begin, np.bool_), MAX_STACK_DEPTH, latest)
    nested = _nested(found, time, frame)
    if (event := found.first_unmatched) < 0:
        return nested
    return replace(nested, first_unmatched=(time[event].item(), int(frame[event])))


def _nested(found: spans.Nesting, start: Values, frame: Int32) -> Nested:
    return Nested(
        source=found.source,
        start=start[found.source],
        end=found.end,
        frame=frame[found.source],
        parent=found.parent,
        clamped=found.clamped,
        unmatched_ends=found.unmatched_ends,
        too_deep=found.too_deep,
        unfinished=found.unfinished,
    )
