"""When a thread ran long tasks and when it collected garbage, as ranges of its axis: bands over its chart."""

from dataclasses import dataclass

import numpy as np

from traces.handles import profile_at
from traces.insights.runtime import collections_in
from traces.insights.subject import Subject
from traces.insights.timeline import long_tasks
from traces.model import Int64, Trace, Values

MOST_BANDS = 100
"""Bands of one kind, the longest: more than can be seen apart in a chart."""


@dataclass(frozen=True, slots=True)
class Bands:
    """The longest of `count` ranges, in order; none overlaps another."""

    count: int
    ranges: tuple[tuple[int | float, int | float], ...]


@dataclass(frozen=True, slots=True)
class ThreadBands:
    """Tasks as the finding of long tasks counts them; collections by what their calls are called."""

    long_tasks: Bands
    collections: Bands


def thread_bands(trace: Trace, profile: int | None) -> ThreadBands:
    """Bands of a thread; none where no single calls of it were recorded. Raises UnknownHandle."""
    subject = Subject(trace, profile_at(trace, profile))
    nothing = Bands(0, ())
    timeline = subject.timeline
    if timeline is None or timeline.spans is None:
        return ThreadBands(nothing, nothing)
    spans = timeline.spans
    rows = long_tasks(subject)
    tasks = nothing if rows is None else _bands(spans.start[rows], spans.end[rows])
    collected = collections_in(subject, timeline)
    return ThreadBands(tasks, _bands(spans.start[collected], spans.end[collected]))


def _bands(start: Values, end: Values) -> Bands:
    """Of calls in preorder: those within others are part of them."""
    if not len(start):
        return Bands(0, ())
    before = np.maximum.accumulate(end)[:-1]
    outer: Int64 = np.flatnonzero(np.append(np.True_, start[1:] >= before))
    start, end = start[outer], end[outer]
    kept = np.sort(np.argsort(start - end, kind="stable")[:MOST_BANDS])
    return Bands(len(outer), tuple(zip(start[kept].tolist(), end[kept].tolist(), strict=True)))
