"""Counts: which of a profile's values holds them, by the names that profilers give them, and what each path has."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from traces.lazy_regex import lazy_regex
from traces.values import Counts, Facts, Unit, ValueType

SAMPLES = lazy_regex(r"(?:.*[_ ])?samples?", re.IGNORECASE)
CALLS = lazy_regex(r"#? ?(?:calls?|ncalls|call count|calls? \(.*\))", re.IGNORECASE)
FAMILY = lazy_regex(r"[^_]+")
"""pprof's heap types come in pairs: `alloc_objects` counts what `alloc_space` measures."""


def counting(facts: Facts, values: Sequence[ValueType], default_value: int = 0, *, may_count_calls: bool) -> Facts:
    """The facts with the counts of these values: the one of the default value's family, else the first that is a
    number; without any the profile has no counts.

    What is called samples counts samples, what is called calls counts calls where the format `may_count_calls`;
    anything else counts the events that it names.
    """
    numbers = [k for k, value in enumerate(values) if value.unit is Unit.COUNT]
    if not numbers:
        return replace(facts, counts=Counts.NONE, count_value=None)
    family = FAMILY.match(values[default_value].name)
    related = [k for k in numbers if family and values[k].name.startswith(f"{family[0]}_")]
    chosen = default_value if default_value in numbers else (related or numbers)[0]
    name = values[chosen].name
    counts = Counts.EVENTS
    if SAMPLES.fullmatch(name):
        counts = Counts.SAMPLES
    elif may_count_calls and CALLS.fullmatch(name):
        counts = Counts.CALLS
    return replace(facts, counts=counts, count_value=chosen)


def integer_counts(frame: npt.NDArray[np.int32], counts: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Counts of call paths as integers whose sum per frame is exact: estimated paths split them into parts."""
    integers: npt.NDArray[np.int64] = counts.astype(np.int64)
    if (integers == counts).all():
        return integers
    order = np.argsort(frame, kind="stable")
    sums = np.cumsum(counts[order])
    first = np.flatnonzero(np.diff(frame[order], prepend=-1))
    before = np.repeat(sums[first] - counts[order[first]], np.diff(first, append=len(order)))
    until = np.rint(sums - before).astype(np.int64)
    steps = np.diff(until, prepend=0)
    steps[first] = until[first]
    found = np.empty(len(order), np.int64)
    found[order] = steps
    return found
