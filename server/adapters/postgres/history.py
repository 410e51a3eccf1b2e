"""What traces measured, in PostgreSQL."""

import math
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import msgspec
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, not_found, storable_text
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
from server.ports.run_labels import RunLabels
from server.ports.traces import TraceSearch
from traces.gate.function_keys import FunctionKey
from traces.gate.run_history import VERSION, RunHistory

LINES_OF: dict[LibraryTableName, str] = {
    "traces": "library_traces",
    "functions": "library_functions",
    "findings": "library_findings",
    "measures": "library_measures",
}
"""The statement of each table."""

_Figure = float | str | None
"""JSON has no word for what is no number or infinite: it comes as text."""
_Point = tuple[
    str, str, datetime, dict[str, str], str | None, str, bool, _Figure, _Figure, _Figure, _Figure, int | None
]
_POINTS = msgspec.json.Decoder(list[_Point])


class PostgresHistory:
    """History over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, caller: Caller, trace_id: str, history: RunHistory) -> None:
        named = {"trace_id": known_id(trace_id, "trace"), "user_id": caller.user_id}
        async with self._database.transaction() as connection:
            found = await (await connection.execute(statement("keep_trace_measured"), named)).fetchall()
            if not found:
                raise not_found("trace")
            await connection.execute(statement("remove_trace_measures"), named)
            owned = {"trace_id": named["trace_id"], "account_id": found[0]["account_id"], "version": VERSION}
            for name, columns in _columns(history).items():
                await connection.execute(statement(name), owned | columns)

    async def unmeasured(self, caller: Caller, criteria: TraceSearch, *, limit: int) -> Sequence[str]:
        named = {"limit": limit, "version": VERSION}
        return [str(row["id"]) for row in await self._all("unmeasured_traces", caller, criteria, **named)]

    async def unmeasured_anywhere(self, *, limit: int, without: Collection[str] = ()) -> Sequence[tuple[Caller, str]]:
        named = {"limit": limit, "without": [known_id(one, "trace") for one in without], "version": VERSION}
        async with self._database.transaction() as connection:
            rows = await (await connection.execute(statement("unmeasured_anywhere"), named)).fetchall()
        return [
            (Caller(user_id=str(row["user_id"]), account_id=str(row["account_id"])), str(row["id"])) for row in rows
        ]

    async def points(
        self, caller: Caller, criteria: TraceSearch, measured: Measured, *, limit: int = MOST_RUNS
    ) -> Sequence[RunPoint]:
        file = None if measured.file is None else storable_text(measured.file)
        asked = {"kind": measured.kind, "name": storable_text(measured.name), "file": file, "limit": limit}
        rows = await self._all("run_points", caller, criteria, **asked)
        return [_point(one) for one in _POINTS.decode(rows[0]["points"])]

    async def functions(
        self, caller: Caller, criteria: TraceSearch, *, limit: int = MOST_COMPARED
    ) -> Sequence[RunFunctions]:
        return [
            RunFunctions(str(row["id"]), row["unit"], row["total"], _own_values(row))
            for row in await self._all("functions_of_runs", caller, criteria, limit=limit)
        ]

    async def removed(self, caller: Caller, criteria: TraceSearch) -> int:
        return int((await self._all("count_of_removed_runs", caller, criteria))[0]["runs"])

    async def known(
        self, caller: Caller, criteria: TraceSearch, *, name: str | None = None, words: Collection[str] = ()
    ) -> KnownRuns:
        labels: dict[str, dict[str, int]] = {}
        runs, programs = 0, {}
        of_words = {"words": [storable_text(word) for word in words], "limit": MOST_LABELS}
        for row in await self._all("labels_of_runs", caller, criteria, **of_words):
            if not row["key"]:
                runs = row["runs"]
            elif row["key"] == "program":
                programs[row["value"]] = row["runs"]
            else:
                labels.setdefault(row["key"], {})[row["value"]] = row["runs"]
        named = {"name": None if name is None else storable_text(name), "limit": LISTED_RUNS}
        things = await self._all("things_of_runs", caller, criteria, **named)
        return KnownRuns(
            runs=runs,
            labels=labels,
            programs=programs,
            functions=tuple((row["name"], row["file"]) for row in things if row["kind"] == "function"),
            findings=tuple(row["name"] for row in things if row["kind"] == "finding"),
            figures=tuple(row["name"] for row in things if row["kind"] == "figure"),
        )

    async def named(self, caller: Caller, names: NamedThings) -> KnownRuns:
        pairs = sorted(names.labels, key=lambda one: (one[0], one[1] or ""))
        asked = {
            "keys": [storable_text(key) for key, _ in pairs],
            "values": [None if value is None else storable_text(value) for _, value in pairs],
            "function": None if names.function is None else storable_text(names.function),
            "figure": None if names.figure is None else storable_text(names.figure),
        }
        labels: dict[str, dict[str, int]] = {}
        found = await self._all("named_things", caller, TraceSearch(), **asked)
        for row in found:
            if row["kind"] == "label":
                of_key = labels.setdefault(row["name"], {})
                of_key |= {} if row["value"] is None else {row["value"]: 1}
        programs = [row for row in found if row["kind"] == "program"]
        return KnownRuns(
            runs=sum(row["runs"] for row in programs),
            labels=labels,
            programs={row["name"]: row["runs"] for row in programs if row["name"] is not None},
            functions=tuple((row["name"], row["value"]) for row in found if row["kind"] == "function"),
            findings=(),
            figures=tuple(row["name"] for row in found if row["kind"] == "figure"),
        )

    async def state(self, caller: Caller) -> str:
        rows = await self._all("state_of_runs", caller, TraceSearch())
        return str(rows[0]["state"])

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
        names = [storable_text(name) for name in functions] or None
        parameters = _search(caller, criteria) | {"names": names}
        files: dict[LibraryTableName, Path] = {}
        runs: list[int] = []
        async with self._database.transaction() as connection:
            for table in dict.fromkeys(("traces", *tables)):
                files[table] = folder / f"{table}.csv"
                async with await anyio.open_file(files[table], "w", encoding="utf-8", newline="") as file:
                    lines = connection.cursor().stream(statement(LINES_OF[table]), parameters)
                    # What is left of a stream would keep its connection.
                    async with aclosing(lines):  # type: ignore[type-var]  # it is a generator
                        runs.append(await _written(file, lines, most_rows))
        return LibraryFiles(files, min(runs), runs[0] - min(runs))

    async def _all(self, query: str, caller: Caller, criteria: TraceSearch, /, **parameters: Any) -> Sequence[DictRow]:
        async with self._database.transaction() as connection:
            named = _search(caller, criteria) | parameters
            return await (await connection.execute(statement(query), named)).fetchall()


def _search(caller: Caller, criteria: TraceSearch) -> dict[str, Any]:
    return {
        "user_id": caller.user_id,
        "account_id": caller.account_id,
        "labels": Jsonb(dict(criteria.run.labels)),
        "program": criteria.run.program,
        "since": criteria.since,
    }


async def _written(file: anyio.AsyncFile[str], texts: AsyncIterator[DictRow], most_rows: int) -> int:
    """How many recordings' lines were written before they became too many."""
    rows = written = 0
    async for text in texts:
        rows += text["rows"]
        if rows > most_rows:
            break
        written += 1
        await file.write(text["lines"] or "")
    return written


def _columns(history: RunHistory) -> dict[str, dict[str, list[Any]]]:
    """The parameters of each statement that keeps a part."""
    functions, findings, figures = history.functions, history.findings, history.figures
    figures = tuple(one for one in figures if math.isfinite(one.value))
    return {
        "keep_trace_functions": {
            "names": [storable_text(one.name) for one in functions],
            "files": [None if one.file is None else storable_text(one.file) for one in functions],
            "own": [one.self_value for one in functions],
            "totals": [one.total_value for one in functions],
            "own_shares": [one.self_share for one in functions],
            "total_shares": [one.total_share for one in functions],
            "calls": [one.calls for one in functions],
        },
        "keep_trace_findings": {
            "findings": [one.finding for one in findings],
            "severities": [one.severity for one in findings],
            "shares": [one.share for one in findings],
        },
        "keep_trace_figures": {
            "measures": [storable_text(one.measure) for one in figures],
            "values": [one.value for one in figures],
            "units": [one.unit for one in figures],
        },
    }


def _own_values(row: DictRow) -> dict[FunctionKey, float]:
    files = zip(row["names"], row["files"], strict=True)
    return dict(zip(files, row["own"], strict=True))


def _point(found: _Point) -> RunPoint:
    trace_id, name, created_at, labels, program, unit, is_there, value, share, total_value, total_share, calls = found
    return RunPoint(
        trace_id=trace_id,
        name=name,
        created_at=created_at.astimezone(UTC),
        run=RunLabels(labels, program),
        unit=unit,
        is_there=is_there,
        value=_number(value),
        share=_number(share),
        total_value=_number(total_value),
        total_share=_number(total_share),
        calls=calls,
    )


def _number(figure: _Figure) -> float | None:
    return float(figure) if isinstance(figure, str) else figure
