"""All functions of a profile, of several added up, or of each thread, as columns: what a table shows and sorts."""

from dataclasses import dataclass

import numpy as np

from traces.analysis.durations import DurationColumns, duration_columns
from traces.analysis.filters import FrameFilter
from traces.analysis.functions import function_values
from traces.analysis.selection import Selection, select
from traces.analysis.window import NodeValues, Window, root_total
from traces.handles import ALL, ProfileChoice
from traces.model import Int64, Trace, Values
from traces.values import Counts, Unit

MOST_THREADS = 256
"""Threads whose functions are listed one by one at most: each costs a look at all functions of the trace."""


@dataclass(frozen=True, slots=True)
class FunctionColumns:
    """One row a function, or a function in a thread, heaviest by self first, then by total.

    `thread` is the row's place in `profiles`, None where they are added up. `count` is a number of what `counted` says,
    as in `FunctionTable`; `mean` is total by calls, NaN for none, and None without calls. `durations` is of single
    calls, where the profiles know them, in the unit of the `axis`. `left_out` profiles measure or count something else;
    `more_threads` are past the bound.
    """

    frame: Int64
    thread: Int64 | None
    self_value: Values
    total_value: Values
    count: Int64 | None
    mean: Values | None
    durations: DurationColumns | None
    profiles: tuple[str, ...]
    names: tuple[str, ...]
    scope_total: float
    unit: Unit
    axis: Unit
    counted: str | None
    hidden: float
    left_out: int
    more_threads: int


@dataclass(frozen=True, slots=True)
class _Part:
    """The rows of one selection."""

    chosen: Selection
    frame: Int64
    self_value: Values
    total_value: Values
    count: Int64
    total: float
    hidden: float
    window: Window | None


def function_columns(
    trace: Trace,
    *,
    profile: ProfileChoice = None,
    by_thread: bool = False,
    window: Window | None = None,
    value: str | None = None,
    frame_filter: FrameFilter | None = None,
) -> FunctionColumns:
    """The functions that `top_functions` lists, with its figures. With `by_thread`, of each thread that measures and
    counts as the profile does (None: the first one), the busiest 256. Raises UnknownHandle, InvalidQuestion, NoTimes.
    """
    if not by_thread:
        chosen = select(trace, profile, value=value, frame_filter=frame_filter)
        return _columns(trace, chosen, (chosen,), window, by_thread=False, more=0)
    everything = select(trace, ALL, value=value, frame_filter=frame_filter)
    largest = sorted(
        range(len(everything.profiles)),
        key=lambda i: -_total_of(everything, i),
    )
    kept = [everything.profiles[i] for i in sorted(largest[:MOST_THREADS])]
    name = everything.profiles[0].values[everything.value[0]].name
    each = tuple(select(trace, one.index, value=name, frame_filter=frame_filter) for one in kept)
    return _columns(trace, everything, each, window, by_thread=True, more=len(everything.profiles) - len(kept))


def _total_of(chosen: Selection, index: int) -> float:
    tree = chosen.profiles[index].tree
    return root_total(tree, tree.total_values[chosen.value[index]])


def _columns(
    trace: Trace, chosen: Selection, each: tuple[Selection, ...], window: Window | None, *, by_thread: bool, more: int
) -> FunctionColumns:
    parts = [_part(one, one.values(window), window) for one in each]
    frame = np.concatenate([part.frame for part in parts])
    own = np.concatenate([part.self_value for part in parts])
    total = np.concatenate([part.total_value for part in parts])
    thread = np.repeat(np.arange(len(parts)), [len(part.frame) for part in parts])
    order = np.lexsort((thread, frame, -total, -own))
    count = np.concatenate([part.count for part in parts])[order]
    own, total = own[order], total[order]
    is_calls = chosen.counts is Counts.CALLS
    return FunctionColumns(
        frame=frame[order],
        thread=thread[order] if by_thread else None,
        self_value=own,
        total_value=total,
        count=None if chosen.counts is Counts.NONE else count,
        mean=np.where(count > 0, total / np.maximum(count, 1), np.nan) if is_calls else None,
        durations=_durations(parts, order),
        profiles=tuple(one.handle for one in each),
        names=tuple(one.name for one in each),
        scope_total=sum(part.total for part in parts),
        unit=chosen.unit,
        axis=chosen.axis,
        counted=chosen.count_name,
        hidden=sum(part.hidden for part in parts),
        left_out=chosen.left_out,
        more_threads=more,
    )


def _part(chosen: Selection, values: NodeValues, window: Window | None) -> _Part:
    found = function_values(chosen, values, window)
    present = np.flatnonzero(found.total_value > 0)
    own, total, count = found.self_value[present], found.total_value[present], found.count[present]
    return _Part(chosen, present, own, total, count, chosen.total(values), values.hidden, window)


def _durations(parts: list[_Part], order: Int64) -> DurationColumns | None:
    """Of the rows of all parts, in order; None where no part knows single calls."""
    found = [duration_columns(part.chosen, part.frame, part.window) for part in parts if len(part.frame)]
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    names = DurationColumns.__dataclass_fields__
    return DurationColumns(*(np.concatenate([getattr(one, name) for one in known])[order] for name in names))
