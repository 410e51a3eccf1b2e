"""What one run leaves behind for questions over many: its heaviest functions, its findings, figures of all of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from traces.analysis.compare import side_of
from traces.analysis.counters import counter_series
from traces.analysis.functions import function_values
from traces.analysis.owners import Owner, owners
from traces.analysis.selection import Selection, select
from traces.analysis.summary import summarise
from traces.analysis.thread_time import thread_time
from traces.errors import TraceError
from traces.gate.function_keys import FunctionKey
from traces.gate.run_measures import function_keys
from traces.insights.registry import figures_of, insights, ranked
from traces.model import Int32, Int64, Trace
from traces.values import Counts

VERSION = 1
"""Of what is kept: one more wherever `run_history` keeps something else, and runs are measured anew."""
KEPT_FUNCTIONS = 500
KEPT_COUNTERS = 20
NAME_CHARACTERS = 500
FILE_CHARACTERS = 100
COUNTER_CHARACTERS = 100
TOTAL = "total"
"""The measure that every measured run has."""


class FunctionFigures(NamedTuple):
    """A function of a run; `file` without what differs from run to run. `calls` is None where they were not counted."""

    name: str
    file: str | None
    self_value: float
    total_value: float
    self_share: float
    total_share: float
    calls: int | None


class FindingFigures(NamedTuple):
    """A finding of a run, and the part of it that is at stake."""

    finding: str
    severity: str
    share: float | None


class RunFigure(NamedTuple):
    """A figure of a run as such."""

    measure: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class RunHistory:
    """What is kept of one run."""

    functions: tuple[FunctionFigures, ...]
    findings: tuple[FindingFigures, ...]
    figures: tuple[RunFigure, ...]


@dataclass(frozen=True, slots=True)
class HistoryColumns:
    """The same, each field of the rows as a column of its own; none where there are no rows.

    Rows are pickled and read again at five times the cost.
    """

    functions: tuple[tuple[Any, ...], ...]
    findings: tuple[tuple[Any, ...], ...]
    figures: tuple[tuple[Any, ...], ...]


def history_columns(history: RunHistory) -> HistoryColumns:
    """A run's rows, turned."""
    tables: tuple[Sequence[tuple[Any, ...]], ...] = (history.functions, history.findings, history.figures)
    return HistoryColumns(*(tuple(zip(*rows, strict=True)) for rows in tables))


def run_history(trace: Trace) -> RunHistory:
    """What a trace's main profile measured, in its default value."""
    if not len(trace.profiles):
        counters = tuple(_counters(trace))
        return RunHistory((), (), (RunFigure(TOTAL, 0.0, "count"), *counters))
    chosen = select(trace)
    functions, total = _functions(chosen)
    found = ranked(insights(trace))
    findings = tuple(FindingFigures(one.id, str(one.severity), one.share) for one in found)
    return RunHistory(functions, findings, (RunFigure(TOTAL, total, str(chosen.unit)), *_figures(trace)))


def _functions(chosen: Selection) -> tuple[tuple[FunctionFigures, ...], float]:
    trace = chosen.trace
    index: dict[FunctionKey, int] = {}
    bounded = (
        (name[:NAME_CHARACTERS], None if file is None else file[:FILE_CHARACTERS])
        for name, file in function_keys(trace)
    )
    of_frame = np.array([index.setdefault(key, len(index)) for key in bounded], np.int32)
    side = side_of(chosen, of_frame, len(index), None)
    total = float(side.scope_total)
    calls = _calls(chosen, of_frame, len(index))
    own = np.zeros(len(index), np.bool_)
    own[of_frame[owners(trace) == Owner.OWN]] = True
    keys = list(index)
    return tuple(
        FunctionFigures(
            *keys[place],
            self_value=float(side.own[place]),
            total_value=float(side.total[place]),
            self_share=float(side.own[place]) / total if total else 0.0,
            total_share=float(side.total[place]) / total if total else 0.0,
            calls=None if calls is None else int(calls[place]),
        )
        for place in _heaviest(side.own, side.total, own)
    ), total


def _calls(chosen: Selection, of_frame: Int32, keys: int) -> Int64 | None:
    """How often each was entered, where the file counts that."""
    if chosen.counts is not Counts.CALLS:
        return None
    count = function_values(chosen, chosen.values(None)).count
    found = np.zeros(keys, np.int64)
    np.add.at(found, of_frame, count)
    return found


def _heaviest(own_value: np.ndarray, total: np.ndarray, own_code: np.ndarray) -> list[int]:
    """The first of both orders, by self and by total; where they are too many, one's own code comes first."""
    place = np.full(len(own_value), KEPT_FUNCTIONS, np.int64)
    for values in (own_value, total):
        order = np.argsort(-values, kind="stable")[:KEPT_FUNCTIONS]
        place[order] = np.minimum(place[order], np.arange(len(order)))
    chosen = np.flatnonzero((place < KEPT_FUNCTIONS) & ((own_value > 0) | (total > 0)))
    first = sorted(chosen.tolist(), key=lambda one: (not own_code[one], place[one]))[:KEPT_FUNCTIONS]
    return sorted(first, key=lambda one: -total[one])


def _figures(trace: Trace) -> list[RunFigure]:
    summary = summarise(trace)
    main = trace.profiles[trace.default_profile]
    profiles = summary.profiles
    found = [
        RunFigure("samples", float(sum(one.sample_count for one in profiles)), "count"),
        RunFigure("spans", float(sum(one.span_count for one in profiles)), "count"),
    ]
    if summary.duration_ns is not None:
        found.append(RunFigure("duration", float(summary.duration_ns), "nanoseconds"))
    try:
        spent = thread_time(trace, main)
    except TraceError:
        spent = None
    if spent is not None:
        parts = {"busy": spent.busy, "waiting": spent.waiting, "idle": spent.idle}
        found += [RunFigure(name, float(value), "nanoseconds") for name, value in parts.items()]
    found += [RunFigure(one.name, one.value, one.unit.value) for one in figures_of(trace)]
    return [*found, *_counters(trace)]


def _counters(trace: Trace) -> list[RunFigure]:
    named = {one.name[:COUNTER_CHARACTERS]: one for one in counter_series(trace)[:KEPT_COUNTERS]}
    return [RunFigure(f"counter:{name}", one.highest, "level") for name, one in named.items()]
