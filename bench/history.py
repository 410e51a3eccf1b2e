"""`python -m bench history [TRACES]`: questions over many recordings in an embedded database, in CPU time of the server
and of PostgreSQL together. 10,000 recordings of 500 functions unless a number says otherwise; the rows are made in the
database, each recording's together as uploads leave them. All of a question is run: its names are looked for, missing
measures and removed recordings too, and the answer is made. Each is asked three times, of another function where it
would be kept: the least counts. Then what measures add to an import, and what a gate costs.
"""

import asyncio
import resource
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import psutil
import psycopg
from psycopg import sql

from bench.generated_files import write
from bench.measure import cpu_seconds, decompressed
from server.adapters.in_process.clock import SystemClock
from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.postgres.history import PostgresHistory
from server.adapters.postgres.local_user import ensure_local_user
from server.adapters.postgres.migrations import migrate
from server.adapters.postgres.pool import Database
from server.adapters.postgres.trace_records import PostgresTraceRecords
from server.agent.questions.question_schema import Measure, Recurrence, Runs, Series
from server.agent.questions.run_answers import series_answer
from server.ports.history import Measured
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from server.ports.traces import TraceSearch
from server.turns.kept_run_answers import KeptRunAnswers
from server.turns.run_questions import RunQuestions
from server.turns.trace_library import TraceLibrary
from traces.gate.run_history import VERSION, run_history
from traces.reader import read_trace

TRACES = 10_000
FUNCTIONS = 500
OF_A_QUESTION = 1_000
SAVED = 10
REPEATED = 3
GATE_RUNS, GATE_MB = 10, 20
FIXTURE = Path(__file__).parents[1] / "fixtures" / "changes.chrome-array.json.gz"

_ROWS = """
insert into traces (id, account_id, user_id, name, sha256, size_bytes, format, unit, summary, object_path, created_at,
    labels, program)
select gen_random_uuid(), %(account)s, %(user)s, 'night-' || n, repeat('a', 64), 1000, 'collapsed', 'nanoseconds', '{}',
    n::text, now() - n * interval '1 hour', jsonb_build_object('commit', 'c' || n, 'branch', 'b' || n %% 10), 'engine'
from generate_series(1, %(traces)s) n;
insert into trace_functions (trace_id, account_id, place, name, file, self_value, total_value, self_share, total_share)
select t.id, t.account_id, f, 'Engine.function' || f, 'engine.cpp', random() * 1e6, random() * 1e7, 0.01, 0.1
from (select id, account_id from traces order by id) t
cross join lateral (select f from generate_series(0, %(last)s) f where t.id is not null offset 0) f;
insert into trace_findings (trace_id, account_id, finding, severity, share)
select id, account_id, 'long-tasks', 'low', 0.1 from traces where random() < 0.3;
insert into trace_measures (trace_id, account_id, measure, value, unit, version)
select id, account_id, 'total', 1e9, 'nanoseconds', %(version)s from traces;
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
                await _grown(PostgresHistory(database), caller, postgres.owner_dsn, of_postgres)
    print_gate()


def _made(owner_dsn: str, caller: Caller, traces: int) -> float:
    bound = {
        "account": caller.account_id,
        "user": caller.user_id,
        "traces": traces,
        "last": FUNCTIONS - 1,
        "version": VERSION,
    }
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
    # Rows answer all of it: of the library it is what keeps answers.
    library = cast("TraceLibrary", SimpleNamespace(run_answers=KeptRunAnswers(SystemClock())))
    questions = RunQuestions(history, library)
    others = count()

    async def series() -> None:
        measure = Measure(kind="function", name=f"Engine.function{next(others)}")
        asked = Series(form="series", measure=measure, runs=Runs(program="engine", last=OF_A_QUESTION))
        assert (await questions.run(caller, asked)).rows

    async def points() -> None:
        of_one = Measured("function", f"Engine.function{next(others)}", "engine.cpp")
        found = await history.points(caller, every, of_one, limit=OF_A_QUESTION)
        measure = Measure(kind="function", name=of_one.name)
        assert series_answer(Series(form="series", measure=measure), found).rows

    async def recurrence() -> None:
        measure = Measure(kind="finding", name="long-tasks")
        runs = Runs(program="engine", last=OF_A_QUESTION - next(others))
        assert (await questions.run(caller, Recurrence(form="recurrence", measure=measure, runs=runs))).rows

    async def saved() -> None:
        for _ in range(SAVED):
            await series()

    async def search() -> None:
        found = TraceSearch(run=RunLabels({"branch": "b7"}, "engine"), text="night-7")
        assert await records.search(caller, found, limit=50)

    async def known() -> None:
        assert (await history.known(caller, every)).runs

    async def taken_out() -> None:
        taken = await history.write_library(caller, every, ["functions"], folder, most_rows=500_000)
        assert taken.runs

    for name, target, ask in (
        (f"series of one function over {OF_A_QUESTION:,}", 60, series),
        ("  of it the rows and the answer", None, points),
        (f"recurrence over {OF_A_QUESTION:,}", 80, recurrence),
        ("library search", 30, search),
        (f"{SAVED} saved charts of {OF_A_QUESTION:,}", 1_000, saved),
        ("what can be asked about", None, known),
        ("500,000 rows taken out for SQL", None, taken_out),
    ):
        aim = "" if target is None else f"  (target {target} ms)"
        print(f"{name:40} {1e3 * await _cpu_seconds(ask, postgres):8.1f} ms{aim}", flush=True)


async def _grown(history: PostgresHistory, caller: Caller, owner_dsn: str, postgres: psutil.Process) -> None:
    """What measures of a fixture's recording add to its import."""
    content = decompressed(FIXTURE)
    trace = read_trace(content, name=FIXTURE.name)
    with psycopg.connect(owner_dsn) as owner:
        row = owner.execute("select id from public.traces limit 1").fetchone()
    assert row is not None

    async def measured() -> None:
        await history.keep(caller, str(row[0]), run_history(trace))

    imported = cpu_seconds(lambda: read_trace(content, name=FIXTURE.name))
    added = await _cpu_seconds(measured, postgres)
    aim = max(30.0, 50 * imported)
    what = f"measures of {FIXTURE.name}"
    print(f"{what:40} {1e3 * added:8.1f} ms  (target {aim:.0f} ms; import {1e3 * imported:.0f} ms)", flush=True)


def print_gate() -> None:
    """`flamechat gate` of ten recordings against ten, of 20 MB each, with all its processes."""
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for side in ("before", "after"):
            (Path(folder) / side).mkdir()
            files[side] = [str(Path(folder) / side / f"{run}.json") for run in range(GATE_RUNS)]
            for run, path in enumerate(files[side]):
                write("trace-events.json", GATE_MB, Path(path))
                with Path(path).open("a", encoding="utf-8") as file:  # what was read once is not read again
                    file.write(f'{{"name":"{side}{run}","ph":"X","pid":4711,"tid":4711,"ts":0,"dur":1}},\n')
        command = [sys.executable, "-c", "from server.app import main; main()", "gate", *files["after"]]
        command += ["--before", *files["before"], "--rule", "total +5%"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        what = f"gate of {GATE_RUNS} against {GATE_RUNS} of {GATE_MB} MB"
        print(f"{what:40} {1e3 * spent:8.1f} ms  (target 4000 ms; exit code {ended})")


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
