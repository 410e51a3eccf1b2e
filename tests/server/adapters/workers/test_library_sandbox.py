"""SQL over many recordings, in its process: what it reads, and what it does not."""

from dataclasses import replace
from pathlib import Path

import pytest

from server.adapters.workers.sql_process import SqlBounds, SqlSandbox
from server.agent.questions.run_tables import LIBRARY
from server.ports.history import LibraryTableName
from server.ports.identity import Caller
from server.ports.run_labels import written_labels
from server.ports.traces import SqlRefused, SqlRows
from server.testing.history import library_lines
from tests.inline_workers import QueriesInProcess
from tests.plugins.worlds import a_trace_of
from traces.gate.run_history import FindingFigures, FunctionFigures, RunFigure, RunHistory

HOSTILE = 'a,"b"\n\'; drop table x; --\r\n\\N\u202e<b>'
CALLER = Caller(user_id="5b6a1d1e-0000-4000-8000-000000000001", account_id="5b6a1d1e-0000-4000-8000-000000000002")


def files(folder: Path, runs: int = 3) -> dict[str, Path]:
    lines: dict[LibraryTableName, list[str]] = {name: [] for name in LIBRARY}
    for run in range(runs):
        row = replace(
            a_trace_of(CALLER), name=HOSTILE, run=written_labels([f"commit:c{run}", "program:engine", 'x:"y"'])
        )
        functions = (
            FunctionFigures("match", "engine.cpp", 1e6 * (run + 1), 3e6, 0.25, 0.75, 7),
            FunctionFigures(HOSTILE, None, 5e5, 5e5, 0.125, 0.125, None),
            FunctionFigures("", "", 0.0, 0.0, 0.0, 0.0, None),
        )
        kept = RunHistory(
            functions, (FindingFigures("long-tasks", "high", None),), (RunFigure("total", 4e6, "nanoseconds"),)
        )
        for name in lines:
            lines[name] += library_lines(row, kept, name, ())
    written = {str(name): folder / f"{name}.csv" for name in LIBRARY}
    for name, texts in lines.items():
        written[name].write_text("".join(texts), "utf-8", newline="")
    return written


async def rows(folder: Path, sql: str, sandbox: SqlSandbox | None = None) -> SqlRows:
    return await (sandbox or SqlSandbox()).query_library(files(folder), sql)


async def test_functions_come_with_what_run_they_are_of(tmp_path: Path) -> None:
    sql = "SELECT commit, program, self_ms, self_share, calls FROM lib.functions WHERE name = 'match' ORDER BY commit"
    found = await rows(tmp_path, sql)
    assert found.rows == tuple((f"c{run}", "engine", run + 1.0, 0.25, 7) for run in range(3))
    assert (await rows(tmp_path, "SELECT count(*) FROM functions WHERE name = ''")).rows == ((3,),)
    hostile = await rows(tmp_path, "SELECT DISTINCT name, file FROM functions WHERE self_share = 0.125")
    assert hostile.rows == ((HOSTILE, None),)


@pytest.mark.parametrize("table", list(LIBRARY))
async def test_every_table_has_its_columns(tmp_path: Path, table: LibraryTableName) -> None:
    found = await rows(tmp_path, f"SELECT * FROM lib.{table} LIMIT 1")
    assert tuple(one.name for one in found.columns) == LIBRARY[table].column_names
    assert len(found.rows) == 1


async def test_labels_can_be_asked_for_by_any_key(tmp_path: Path) -> None:
    found = await rows(tmp_path, "SELECT labels['x'], recording, total_value, unit FROM lib.traces LIMIT 1")
    assert found.rows == (('"y"', HOSTILE, 4e6, "nanoseconds"),)


REFUSED = (
    "SELECT * FROM main._traces",
    "SELECT * FROM _functions",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM frames",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "COPY lib.traces TO '/tmp/x.csv'",
    "DELETE FROM lib.traces",
    "CREATE TABLE x AS SELECT 1",
    "SELECT 1; SELECT 2",
    "SET schema='main'",
    "ATTACH '/tmp/x.db'",
)


@pytest.mark.parametrize("sql", REFUSED)
async def test_nothing_but_its_tables_is_read_and_nothing_written(tmp_path: Path, sql: str) -> None:
    with pytest.raises(SqlRefused) as refused:
        await rows(tmp_path, sql, QueriesInProcess())
    assert refused.value.kind == "refused"


@pytest.mark.parametrize("sql", REFUSED[::5])
async def test_its_process_refuses_too(tmp_path: Path, sql: str) -> None:
    with pytest.raises(SqlRefused) as refused:
        await rows(tmp_path, sql)
    assert refused.value.kind == "refused"


async def test_a_query_that_joins_itself_to_death_is_stopped(tmp_path: Path) -> None:
    sandbox = SqlSandbox(SqlBounds(seconds=0.5))
    many = files(tmp_path, 40)
    sql = "SELECT count(*) FROM lib.functions a, lib.functions b, lib.functions c, lib.functions d, lib.functions e"
    with pytest.raises(SqlRefused) as refused:
        await sandbox.query_library(many, sql)
    assert refused.value.kind in {"time", "memory"}
