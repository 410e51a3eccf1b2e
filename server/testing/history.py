"""What traces measured, in dictionaries: the twin of PostgresHistory."""

import math
from collections.abc import Sequence
from dataclasses import replace

from server.adapters.storable import storable_text
from server.ports.history import LISTED_RUNS, MOST_RUNS, KnownRuns, Measured, RunPoint
from server.ports.identity import Caller
from server.ports.traces import TraceRow, TraceSearch
from server.testing.trace_records import MemoryTraceRecords
from traces.gate.run_history import TOTAL, RunHistory


class MemoryHistory:
    """Measures of the traces of MemoryTraceRecords."""

    def __init__(self, traces: MemoryTraceRecords) -> None:
        self._traces = traces
        self._kept: dict[str, RunHistory] = {}
        traces.on_delete.append(self._forget)

    async def keep(self, caller: Caller, trace_id: str, history: RunHistory) -> None:
        row = await self._traces.get(caller, trace_id)
        self._kept[row.trace_id] = replace(
            history,
            functions=tuple(
                replace(
                    one,
                    name=storable_text(one.name),
                    file=None if one.file is None else storable_text(one.file),
                )
                for one in history.functions
            ),
            figures=tuple(
                replace(one, measure=storable_text(one.measure)) for one in history.figures if math.isfinite(one.value)
            ),
        )

    async def unmeasured(self, caller: Caller, criteria: TraceSearch, *, limit: int) -> Sequence[str]:
        rows = await self._rows(caller, criteria)
        return [row.trace_id for row in rows if row.trace_id not in self._kept][:limit]

    async def points(
        self, caller: Caller, criteria: TraceSearch, measured: Measured, *, limit: int = MOST_RUNS
    ) -> Sequence[RunPoint]:
        rows = [row for row in await self._rows(caller, criteria) if row.trace_id in self._kept]
        return [point_of(row, self._kept[row.trace_id], measured) for row in reversed(rows[:limit])]

    async def known(self, caller: Caller, criteria: TraceSearch, *, name: str | None = None) -> KnownRuns:
        rows = await self._rows(caller, criteria)
        labels: dict[str, dict[str, int]] = {}
        programs: dict[str, int] = {}
        for row in rows:
            if row.run.program is not None:
                programs[row.run.program] = programs.get(row.run.program, 0) + 1
            for key, value in row.run.labels.items():
                counted = labels.setdefault(key, {})
                counted[value] = counted.get(value, 0) + 1
        newest = [self._kept[row.trace_id] for row in rows if row.trace_id in self._kept][:LISTED_RUNS]
        every = await self._rows(caller, TraceSearch())
        functions = {(one.name, one.file) for kept in newest for one in kept.functions} | {
            (one.name, one.file)
            for row in every
            if row.trace_id in self._kept
            for one in self._kept[row.trace_id].functions
            if one.name == name
        }
        return KnownRuns(
            runs=len(rows),
            labels=labels,
            programs=programs,
            functions=tuple(sorted(functions, key=lambda one: (one[0], one[1] is None, one[1] or ""))),
            findings=tuple(sorted({one.finding for kept in newest for one in kept.findings})),
            figures=tuple(sorted({one.measure for kept in newest for one in kept.figures})),
        )

    async def _rows(self, caller: Caller, criteria: TraceSearch) -> Sequence[TraceRow]:
        return await self._traces.search(caller, criteria, limit=1_000_000)

    def _forget(self, trace_id: str) -> None:
        self._kept.pop(trace_id, None)


def point_of(row: TraceRow, kept: RunHistory, measured: Measured) -> RunPoint:
    """What a run has of it."""
    unit = next(one.unit for one in kept.figures if one.measure == TOTAL)
    point = RunPoint(
        trace_id=row.trace_id, name=row.name, created_at=row.created_at, run=row.run, unit=unit, is_there=False
    )
    if measured.kind == "function":
        for one in kept.functions:
            if (one.name, one.file) == (measured.name, measured.file):
                return replace(
                    point,
                    is_there=True,
                    value=one.self_value,
                    share=one.self_share,
                    total_value=one.total_value,
                    total_share=one.total_share,
                    calls=one.calls,
                )
    if measured.kind == "finding":
        for found in kept.findings:
            if found.finding == measured.name:
                return replace(point, is_there=True, share=found.share)
    if measured.kind == "figure":
        for figure in kept.figures:
            if figure.measure == measured.name:
                return replace(point, is_there=True, value=figure.value, unit=figure.unit)
    return point
