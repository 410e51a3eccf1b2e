"""`python -m bench history [TRACES]`: questions over many recordings in an embedded database, in CPU time of the server
and of PostgreSQL together. 10,000 recordings of 500 functions unless a number says otherwise; the rows are made in the
database, and each question is asked three times: the least counts.
"""

import asyncio
import resource
import sys
import tempfile
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.history import PostgresHistory
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.migrations import migrate
from server.adapters.postgres.pool import Database
from server.adapters.postgres.trace_records import PostgresTraceRecords
from server.agent.questions.question_schema import Measure, Recurrence, Series
from server.agent.questions.run_answers import recurrence_answer, series_answer
from server.ports.history import Measured
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from server.ports.traces import TraceSearch

TRACES = 10_000
FUNCTIONS = 500
OF_A_QUESTION = 1_000
REPEATED = 3

_ROWS = """
insert into traces (id, account_id, user_id, name, sha256, size_bytes, format, unit, summary, object_path, created_at,
    labels, program)
select gen_random_uuid(), %(account)s, %(user)s, 'night-' || n, repeat('a', 64), 1000, 'collapsed', 'nanoseconds', '{}',
    n::text, now() - n * interval '1 hour', jsonb_build_object('commit', 'c' || n, 'branch', 'b' || n %% 10), 'engine'
from generate_series(1, %(traces)s) n;
insert into trace_functions (trace_id, account_id, place, name, file, self_value, total_value, self_share, total_share)
select t.id, t.account_id, f, 'Engine.function' || f, 'engine.cpp', random() * 1e6, random() * 1e7, 0.01, 0.1
from traces t, generate_series(0, %(last)s) f;
insert into trace_findings (trace_id, account_id, finding, severity, share)
select id, account_id, 'long-tasks', 'low', 0.1 from traces where random() < 0.3;
insert into trace_measures (trace_id, account_id, measure, value, unit)
select id, account_id, 'total', 1e9, 'nanoseconds' from traces;
"""
_SIZE = """
select sum(pg_total_relation_size(name)) / 1e6
from unnest(array['trace_functions', 'trace_findings', 'trace_measures']::regclass[]) name
"""


def print_history(traces: int = TRACES) -> None:
    """Make the library, ask, print."""
    asyncio.run(_measured(traces))


async def _measured(traces: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with EmbeddedPostgres(Path(folder) / "postgres") as postgres:
            await migrate(postgres.owner_dsn, bootstrap=True)
            user = str(uuid.uuid4())
            caller = Caller(user_id=user, account_id=await ensure_local_user(postgres.owner_dsn, user))
            size = _made(postgres.owner_dsn, caller, traces)
            print(
                f"{traces:,} recordings of {FUNCTIONS} functions: {size:,.0f} MB, "
                f"{size * 1_000 / traces:,.0f} MB a thousand\n"
            )
            async with Database(postgres.server_dsn) as database:
                pid = next((Path(folder) / "postgres").rglob("postmaster.pid")).read_text(encoding="utf-8").split()[0]
                of_postgres = psutil.Process(int(pid))
                await _asked(
                    PostgresHistory(database), PostgresTraceRecords(database), caller, Path(folder), of_postgres
                )


def _made(owner_dsn: str, caller: Caller, traces: int) -> float:
    bound = {"account": caller.account_id, "user": caller.user_id, "traces": traces, "last": FUNCTIONS - 1}
    with psycopg.connect(owner_dsn, autocommit=True) as owner:
        for part in _ROWS.split(";\n"):
            if part.strip():
                owner.execute(sql.SQL(part), bound)
        owner.execute("vacuum analyze")
        row = owner.execute(_SIZE).fetchone()
        assert row is not None
        return float(row[0])


async def _asked(
    history: PostgresHistory, records: PostgresTraceRecords, caller: Caller, folder: Path, postgres: psutil.Process
) -> None:
    every = TraceSearch(run=RunLabels(program="engine"))
    of_one = Measured("function", "Engine.function77", "engine.cpp")
    measure = Measure(kind="function", name=of_one.name, file=of_one.file)
    finding = Measure(kind="finding", name="long-tasks")

    async def series() -> None:
        points = await history.points(caller, every, of_one, limit=OF_A_QUESTION)
        assert series_answer(Series(form="series", measure=measure), points).rows

    async def recurrence() -> None:
        points = await history.points(caller, every, Measured("finding", "long-tasks"), limit=OF_A_QUESTION)
        assert recurrence_answer(Recurrence(form="recurrence", measure=finding), points).rows

    async def search() -> None:
        found = TraceSearch(run=RunLabels({"branch": "b7"}, "engine"), text="night-7")
        assert await records.search(caller, found, limit=50)

    async def known() -> None:
        assert (await history.known(caller, every, name=of_one.name)).runs

    async def library() -> None:
        taken = await history.write_library(caller, every, ["functions"], folder, most_rows=500_000)
        assert taken.runs

    for name, target, ask in (
        (f"series of one function over {OF_A_QUESTION:,}", 60, series),
        (f"recurrence over {OF_A_QUESTION:,}", 80, recurrence),
        ("library search", 30, search),
        ("what can be asked about", None, known),
        ("500,000 rows taken out for SQL", None, library),
    ):
        aim = "" if target is None else f"  (target {target} ms)"
        print(f"{name:40} {1e3 * await _cpu_seconds(ask, postgres):8.1f} ms{aim}", flush=True)


async def _cpu_seconds(ask: Callable[[], Awaitable[None]], postgres: psutil.Process) -> float:
    """The least of several, of this process and its PostgreSQL."""
    taken = []
    for _ in range(REPEATED):
        before = _spent(postgres)
        await ask()
        taken.append(_spent(postgres) - before)
    return min(taken)


def _spent(postgres: psutil.Process) -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = [one.cpu_times() for one in postgres.children(recursive=True) if one.is_running()]
    return float(own.ru_utime + own.ru_stime + sum(one.user + one.system for one in children))


if __name__ == "__main__":
    print_history(int(sys.argv[1]) if len(sys.argv) > 1 else TRACES)
