"""What traces measured, in dictionaries: the twin of PostgresHistory."""

import json
import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import anyio

from server.adapters.storable import storable_text
from server.ports.history import (
    LISTED_RUNS,
    MOST_COMPARED,
    MOST_LABELS,
    MOST_LIBRARY_ROWS,
    MOST_RUNS,
    KnownRuns,
    LibraryFiles,
    LibraryTableName,
    Measured,
    NamedThings,
    RunFunctions,
    RunPoint,
)
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
                one._replace(name=storable_text(one.name), file=None if one.file is None else storable_text(one.file))
                for one in history.functions
            ),
            figures=tuple(
                one._replace(measure=storable_text(one.measure)) for one in history.figures if math.isfinite(one.value)
            ),
        )

    async def unmeasured(self, caller: Caller, criteria: TraceSearch, *, limit: int) -> Sequence[str]:
        rows = await self._rows(caller, criteria)
        return [row.trace_id for row in rows if row.trace_id not in self._kept][:limit]

    async def unmeasured_anywhere(self, *, limit: int, without: Collection[str] = ()) -> Sequence[tuple[Caller, str]]:
        rows = sorted(self._traces.rows(), key=lambda row: (row.created_at, row.trace_id), reverse=True)
        found = [row for row in rows if row.trace_id not in self._kept and row.trace_id not in without]
        return [(Caller(user_id=row.user_id, account_id=row.account_id), row.trace_id) for row in found[:limit]]

    async def points(
        self, caller: Caller, criteria: TraceSearch, measured: Measured, *, limit: int = MOST_RUNS
    ) -> Sequence[RunPoint]:
        rows = [row for row in await self._rows(caller, criteria) if row.trace_id in self._kept]
        return [point_of(row, self._kept[row.trace_id], measured) for row in reversed(rows[:limit])]

    async def functions(
        self, caller: Caller, criteria: TraceSearch, *, limit: int = MOST_COMPARED
    ) -> Sequence[RunFunctions]:
        rows = [row for row in await self._rows(caller, criteria) if row.trace_id in self._kept]
        return [functions_of(row.trace_id, self._kept[row.trace_id]) for row in reversed(rows[:limit])]

    async def removed(self, caller: Caller, criteria: TraceSearch) -> int:
        return self._traces.count_of_removed(caller, criteria)

    async def known(
        self, caller: Caller, criteria: TraceSearch, *, name: str | None = None, words: Collection[str] = ()
    ) -> KnownRuns:
        rows = await self._rows(caller, criteria)
        labels: dict[str, dict[str, int]] = {}
        programs: dict[str, int] = {}
        for row in rows:
            if row.run.program is not None:
                programs[row.run.program] = programs.get(row.run.program, 0) + 1
            for key, value in row.run.labels.items():
                counted = labels.setdefault(key, {})
                counted[value] = counted.get(value, 0) + 1
        counted_labels = [(key, value) for key, values in labels.items() for value in values]
        counted_labels.sort(key=lambda one: (one[1] not in words, -labels[one[0]][one[1]], one))
        for key, value in counted_labels[MOST_LABELS:]:
            del labels[key][value]
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
            labels={key: values for key, values in labels.items() if values},
            programs=programs,
            functions=tuple(sorted(functions, key=lambda one: (one[0], one[1] is None, one[1] or ""))),
            findings=tuple(sorted({one.finding for kept in newest for one in kept.findings})),
            figures=tuple(sorted({one.measure for kept in newest for one in kept.figures})),
        )

    async def named(self, caller: Caller, names: NamedThings) -> KnownRuns:
        rows = await self._rows(caller, TraceSearch())
        labels: dict[str, dict[str, int]] = {}
        for key, value in names.labels:
            values = {row.run.labels[key] for row in rows if key in row.run.labels}
            if values:
                labels.setdefault(key, {}).update({value: 1} if value in values else {})
        programs = [row.run.program for row in rows if row.run.program is not None]
        kept = [self._kept[row.trace_id] for row in rows if row.trace_id in self._kept]
        functions = {(one.name, one.file) for of in kept for one in of.functions if one.name == names.function}
        return KnownRuns(
            runs=len(rows),
            labels=labels,
            programs={program: programs.count(program) for program in programs},
            functions=tuple(sorted(functions, key=lambda one: (one[1] is None, one[1] or ""))),
            findings=(),
            figures=tuple({one.measure for of in kept for one in of.figures if one.measure == names.figure}),
        )

    async def state(self, caller: Caller) -> str:
        rows = await self._rows(caller, TraceSearch())
        measured = [self._kept[row.trace_id] for row in rows if row.trace_id in self._kept]
        return repr([(row.trace_id, row.name, row.run) for row in rows]) + repr(measured)

    async def write_library(
        self,
        caller: Caller,
        criteria: TraceSearch,
        tables: Collection[LibraryTableName],
        folder: Path,
        *,
        functions: Collection[str] = (),
        most_rows: int = MOST_LIBRARY_ROWS,
    ) -> LibraryFiles:
        rows = await self._rows(caller, criteria)
        files: dict[LibraryTableName, Path] = {}
        runs: list[int] = []
        for table in dict.fromkeys(("traces", *tables)):
            files[table] = folder / f"{table}.csv"
            texts: list[str] = []
            count = 0
            for row in rows:
                lines = library_lines(row, self._kept.get(row.trace_id), table, functions)
                count += len(lines)
                if count > most_rows:
                    break
                texts.append("".join(lines))
            await anyio.Path(files[table]).write_text("".join(texts), "utf-8", newline="")
            runs.append(len(texts))
        return LibraryFiles(files, min(runs), runs[0] - min(runs))

    async def _rows(self, caller: Caller, criteria: TraceSearch) -> Sequence[TraceRow]:
        return await self._traces.search(caller, criteria, limit=1_000_000)

    def _forget(self, trace_id: str) -> None:
        self._kept.pop(trace_id, None)


def functions_of(trace_id: str, kept: RunHistory) -> RunFunctions:
    """All that is kept of a run's functions."""
    total = next(one for one in kept.figures if one.measure == TOTAL)
    own = {(one.name, one.file): one.self_value for one in kept.functions}
    return RunFunctions(trace_id, total.unit, total.value, own)


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


def library_lines(
    row: TraceRow, kept: RunHistory | None, table: LibraryTableName, functions: Collection[str]
) -> list[str]:
    """A recording's lines of a table."""
    own = row.trace_id
    if table == "traces":
        total = next((one for one in kept.figures if one.measure == TOTAL), None) if kept else None
        labels = json.dumps(dict(row.run.labels), ensure_ascii=False)
        created = int(row.created_at.timestamp() * 1_000_000)
        of_file = (row.format, row.size_bytes, row.duration_ns)
        measured = (total.unit, total.value) if total else (None, None)
        return [_line(own, row.name, created, row.run.program, labels, *of_file, *measured)]
    if kept is None:
        return []
    if table == "functions":
        return [
            _line(own, f.name, f.file, f.self_value, f.total_value, f.self_share, f.total_share, f.calls)
            for f in kept.functions
            if not functions or f.name in functions
        ]
    if table == "findings":
        return [_line(own, one.finding, one.severity, one.share) for one in kept.findings]
    return [_line(own, one.measure, one.value, one.unit) for one in kept.figures]


def _line(*values: str | float | None) -> str:
    quote = '"'
    fields = (f"{quote}{one.replace(quote, quote * 2)}{quote}" if isinstance(one, str) else one for one in values)
    return ",".join("" if one is None else str(one) for one in fields) + "\n"
