"""Attempts to leave the SQL sandbox: each is refused, and would be stopped by the next barrier too."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.adapters.workers.sql_process import SqlBounds
from server.ports.traces import SqlRefused
from tests.server.agent.turns import small_trace
from traces import cache

pytestmark = pytest.mark.long

SECRET = "the-secret-of-the-server"

READ_A_FILE = [
    "SELECT * FROM read_csv('{file}')",
    "SELECT * FROM read_csv_auto('{file}')",
    "SELECT * FROM read_text('{file}')",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM read_json('{file}')",
    "SELECT * FROM read_json_auto('{file}')",
    "SELECT * FROM read_json_objects('{file}')",
    "SELECT * FROM read_ndjson('{file}')",
    "SELECT * FROM read_ndjson_objects('{file}')",
    "SELECT * FROM read_parquet('{file}')",
    "SELECT * FROM parquet_scan('{file}')",
    "SELECT * FROM parquet_metadata('{file}')",
    "SELECT * FROM parquet_schema('{file}')",
    "SELECT * FROM read_duckdb('{file}')",
    "SELECT * FROM read_single_csv_file('{file}')",
    "SELECT * FROM sniff_csv('{file}')",
    "SELECT * FROM glob('/*')",
    "SELECT * FROM '{file}'",
    'FROM "{file}"',
    "TABLE '{file}'",
    "SELECT * FROM 'https://example.invalid/x.parquet'",
    "SELECT * FROM 's3://bucket/x.parquet'",
    "SELECT (SELECT content FROM read_text('{file}'))",
    "SELECT * FROM frames WHERE name IN (SELECT content FROM read_text('{file}'))",
    "WITH t AS (SELECT * FROM read_text('{file}')) SELECT * FROM t",
    "EXPLAIN SELECT * FROM read_text('{file}')",
    "EXPLAIN ANALYZE SELECT * FROM read_text('{file}')",
    "SELECT * FROM query('SELECT * FROM read_text(''{file}'')')",
    "SELECT * FROM query_table('{file}')",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(''{file}'')'))",
    "SUMMARIZE SELECT * FROM read_text('{file}')",
    "DESCRIBE SELECT * FROM read_text('{file}')",
    "SELECT * FROM (DESCRIBE SELECT * FROM read_text('{file}'))",
    "PIVOT (SELECT * FROM read_text('{file}')) ON filename USING first(content)",
]
WRITE_OR_LOAD = [
    "COPY (SELECT 1) TO '{folder}/out.csv'",
    "COPY frames TO '{folder}/out.parquet' (FORMAT parquet)",
    "COPY frames FROM '{file}'",
    "EXPORT DATABASE '{folder}/out'",
    "IMPORT DATABASE '{folder}'",
    "ATTACH '{folder}/other.db'",
    "ATTACH ':memory:' AS other",
    "DETACH memory",
    "INSTALL httpfs",
    "FORCE INSTALL httpfs FROM 'https://example.invalid'",
    "LOAD httpfs",
    "LOAD '{folder}/evil.duckdb_extension'",
    "UPDATE EXTENSIONS",
    "CREATE SECRET s (TYPE s3, KEY_ID 'k', SECRET 's')",
    "SELECT * FROM enable_logging(storage_path = '{folder}')",
    "CALL enable_logging()",
    "CALL enable_profiling(save_location = '{folder}/profile.json')",
    "CHECKPOINT",
    "CALL checkpoint()",
]
CHANGE = [
    "DROP VIEW frames",
    "DROP TABLE frames",
    "DELETE FROM frames",
    "UPDATE frames SET name = 'x'",
    "INSERT INTO frames VALUES ('f1')",
    "TRUNCATE frames",
    "ALTER TABLE frames ADD COLUMN x INTEGER",
    "CREATE TABLE t AS SELECT 1",
    "CREATE TEMP TABLE t AS SELECT 1",
    "CREATE VIEW v AS SELECT 1",
    "CREATE MACRO m() AS 1",
    "CREATE SEQUENCE s",
    "CREATE TYPE t AS ENUM ('a')",
    "CREATE SCHEMA s",
    "WITH d AS (DELETE FROM frames RETURNING *) SELECT * FROM d",
    "WITH i AS (INSERT INTO frames VALUES ('f1') RETURNING *) SELECT * FROM i",
    "EXPLAIN ANALYZE DELETE FROM frames",
    "EXPLAIN ANALYZE CREATE TABLE t AS SELECT 1",
    "EXPLAIN (FORMAT json) SELECT 1",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "BEGIN TRANSACTION",
    "COMMIT",
    "ROLLBACK",
    "VACUUM",
    "ANALYZE",
]
CONFIGURE = [
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "SET memory_limit = '100GB'",
    "SET threads = 64",
    "SET temp_directory = '{folder}'",
    "SET VARIABLE v = 1",
    "RESET memory_limit",
    "RESET ALL",
    "PRAGMA memory_limit = '100GB'",
    "PRAGMA database_list",
    "PRAGMA enable_profiling",
    "PRAGMA profiling_output = '{folder}/out.json'",
    "USE memory",
]
LOOK_AROUND = [
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM duckdb_extensions()",
    "SELECT * FROM duckdb_tables()",
    "SELECT * FROM duckdb_variables()",
    "SELECT * FROM pragma_database_size()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM information_schema.columns",
    "SELECT * FROM pg_catalog.pg_tables",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM duckdb_logs",
    "SELECT * FROM memory.main.frames",
    "SELECT * FROM _frames",
    "SELECT * FROM _nodes",
    "SHOW TABLES",
    "SHOW ALL TABLES",
    "DESCRIBE frames",
    "CALL duckdb_settings()",
    "SELECT current_setting('secret_directory')",
    "SELECT getenv('HOME')",
    "SELECT getvariable('v')",
    "SELECT current_query()",
    "SELECT write_log('x')",
    "SELECT pg_sleep(3600)",
    "SELECT sleep_ms(3600000)",
]
PYTHON = [
    "SELECT * FROM trace",
    "SELECT * FROM request",
    "SELECT * FROM con",
    "SELECT * FROM os",
    "SELECT * FROM pandas_scan(1, 1, 1)",
    "SELECT * FROM arrow_scan(0, 0, 0)",
    "SELECT * FROM python_map_function(1)",
]
SEVERAL = [
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP VIEW frames",
    "SELECT 1;; COPY (SELECT 1) TO '{folder}/out.csv'",
    "ROLLBACK; DROP VIEW frames",
    "SELECT 1; SET lock_configuration = false; SELECT * FROM read_text('{file}')",
    "/* */ ; ; SELECT 1; SELECT 2",
    "",
    "-- nothing",
    "not SQL at all",
    "SELECT",
]
ATTEMPTS = READ_A_FILE + WRITE_OR_LOAD + CHANGE + CONFIGURE + LOOK_AROUND + PYTHON + SEVERAL


@pytest.fixture
def workers() -> InlineTraceWorkers:
    return InlineTraceWorkers(SqlBounds(seconds=5.0))


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret.csv"
    file.write_text(f"word\n{SECRET}\n")
    return file


def test_there_are_more_attempts_than_were_found_to_work_or_not_at_first() -> None:
    assert len(set(ATTEMPTS)) == len(ATTEMPTS) >= 72


@pytest.mark.parametrize("attempt", ATTEMPTS)
async def test_an_attempt_is_refused_and_leaves_nothing(
    attempt: str, workers: InlineTraceWorkers, secret: Path, tmp_path: Path
) -> None:
    sql = attempt.replace("{file}", str(secret)).replace("{folder}", str(tmp_path))
    opened = workers.hold(small_trace())
    with pytest.raises(SqlRefused) as refused:
        await workers.query(opened, sql)
    assert refused.value.kind in ("refused", "syntax")
    assert SECRET not in str(refused.value)
    assert [file.name for file in tmp_path.iterdir()] == ["secret.csv"]


WITHOUT_THE_CHECK = """
import server.adapters.workers.sql_sandbox as sandbox
sandbox.checked = lambda con, sql, tables, schema: frozenset(sandbox.tables_named(sql))
sandbox.main()
"""


@pytest.mark.parametrize(
    "attempt", [*READ_A_FILE, *WRITE_OR_LOAD, "SET lock_configuration = false", "SET enable_external_access = true"]
)
def test_behind_the_check_no_file_can_be_read_or_written(attempt: str, secret: Path, tmp_path: Path) -> None:
    columns = tmp_path / "trace.columns"
    columns.write_bytes(b"".join(bytes(part) for part in cache.encode(small_trace())))
    sql = attempt.replace("{file}", str(secret)).replace("{folder}", str(tmp_path))
    request = {"columns": str(columns), "sql": sql, "seconds": 5, "rows": 10, "characters": 10_000}
    process = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_CHECK],
        input=json.dumps(request).encode(),
        capture_output=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "HOME": "/"},
        timeout=60,
    )
    assert SECRET.encode() not in process.stdout + process.stderr
    assert {file.name for file in tmp_path.iterdir()} == {"secret.csv", "trace.columns"}


async def test_settings_that_a_query_could_read_hold_no_path_of_the_server(tmp_path: Path) -> None:
    columns = tmp_path / "trace.columns"
    columns.write_bytes(b"".join(bytes(part) for part in cache.encode(small_trace())))
    request = {
        "columns": str(columns),
        "sql": "SELECT name, value FROM duckdb_settings() WHERE value LIKE '%/%'",
        "seconds": 5,
        "rows": 100,
        "characters": 10_000,
    }
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "HOME": "/"}
    process = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_CHECK],
        input=json.dumps(request).encode(),
        capture_output=True,
        env=environment,
        timeout=60,
    )
    reply = json.loads(process.stdout)
    home = str(Path.home())
    assert not [row for row in reply["rows"] if home in str(row[1]) or str(tmp_path) in str(row[1])]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM frames",
        "FROM frames",
        "select * from main.frames -- a remark",
        "SELECT * FROM frames;",
        "WITH heavy AS (SELECT * FROM nodes WHERE total_ms > 1) SELECT count(*) FROM heavy h JOIN frames USING (frame)",
        "WITH RECURSIVE up(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM up WHERE i < 9) SELECT count(*) FROM up",
        "SELECT name FROM nodes UNION ALL SELECT name FROM frames",
        "SELECT * FROM (VALUES (1), (2)) t(x)",
        "SELECT unnest([1, 2])",
        "SELECT i FROM range(3) t(i)",
        "SELECT name, rank() OVER (ORDER BY total_ms DESC) FROM nodes",
        "EXPLAIN SELECT * FROM frames",
        "EXPLAIN ANALYZE SELECT count(*) FROM frames",
        "SELECT quantile_cont(total_ms, 0.99), histogram(depth) FROM nodes",
        "SELECT DISTINCT ON (frame) * FROM nodes ORDER BY frame, total_ms DESC",
        "SELECT * EXCLUDE (file) FROM frames WHERE name ILIKE '%a%'",
        "SELECT now()::TIMESTAMP, uuid(), 1.5::DECIMAL(4, 2), [1, 2], {'a': 1}, 'x'::BLOB, 1::HUGEINT, 'nan'::DOUBLE",
    ],
)
async def test_honest_queries_are_answered(query: str, workers: InlineTraceWorkers) -> None:
    assert (await workers.query(workers.hold(small_trace()), query)).rows
