"""The levels that a recording has readings of, and the marks in it: what it is about where it has no functions."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from traces.model import Trace


@dataclass(frozen=True, slots=True)
class CounterSeries:
    """A counter's readings in the file's own unit; `last` is the latest."""

    name: str
    readings: int
    lowest: float
    highest: float
    last: float


def counter_series(trace: Trace) -> tuple[CounterSeries, ...]:
    """Each counter of the trace, in order of first reading; those of one name in several profiles are one."""
    counters = trace.counters
    found = []
    for index in dict.fromkeys(counters.name.tolist()):
        levels = counters.value[np.flatnonzero(counters.name == index)]
        ends = (float(levels.min()), float(levels.max()), float(levels[-1]))
        found.append(CounterSeries(trace.strings[index], len(levels), *ends))
    return tuple(found)


def marks(trace: Trace) -> tuple[tuple[str, int], ...]:
    """Names of instants and how often each is there, the most frequent first."""
    counted = Counter(trace.instants.name.tolist())
    return tuple((trace.strings[index], count) for index, count in counted.most_common())
