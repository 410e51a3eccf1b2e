"""Every table in the process that can open no file, of a recording whose tables are worked out with all there is."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.adapters.workers import sql_sandbox
from server.adapters.workers.sql_sandbox import READING_SPACE, Arguments, tables_named
from traces import cache
from traces.builder import TraceBuilder
from traces.export.sql_tables import TABLES
from traces.model import Trace
from traces.nesting import nest_slices

CALLS = 5_000


def many_calls() -> Trace:
    """Calls of as many functions one after the other on a thread that is not called like one that runs tasks."""
    builder = TraceBuilder("many.json", "example")
    frames = np.array([builder.frame(f"function_{n}") for n in range(CALLS)], np.int32)
    start = np.arange(CALLS, dtype=np.int64) * 10
    builder.add_evented("Dummy-2", nest_slices(start, start + 9, frames))
    return builder.build(content_key="6" * 64, source_bytes=4_200)


@pytest.mark.parametrize("table", TABLES)
async def test_every_table_is_read_where_no_file_can_be_opened(table: str) -> None:
    workers = InlineTraceWorkers()
    rows = (await workers.query(workers.hold(many_calls()), f"SELECT count(*) FROM {table}")).rows
    assert len(rows) == 1


A_TABLE_THAT_IMPORTS = """
from dataclasses import replace
import server.adapters.workers.sql_sandbox as sandbox
frames = sandbox.TABLES["frames"]
def raw(trace):
    import {module}
    return frames.raw(trace)
sandbox.TABLES["frames"] = replace(frames, raw=raw)
sandbox.main()
"""
NOBODY_ELSE_S = "this"


@pytest.mark.parametrize("table", ["frames", "nodes"])  # nodes have their names from the other
def test_what_working_out_a_table_imports_comes_while_files_can_be_opened(table: str, tmp_path: Path) -> None:
    columns = tmp_path / "trace.columns"
    columns.write_bytes(b"".join(bytes(part) for part in cache.encode(many_calls())))
    sql = f"SELECT count(*) FROM {table}"
    request = {"columns": str(columns), "sql": sql, "seconds": 5, "rows": 10, "characters": 100}
    process = subprocess.run(
        [sys.executable, "-c", A_TABLE_THAT_IMPORTS.format(module=NOBODY_ELSE_S)],
        input=json.dumps(request).encode(),
        capture_output=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "HOME": "/"},
        timeout=60,
    )
    assert json.loads(process.stdout.splitlines()[-1])["rows"] == [[CALLS]]


def test_arguments_are_read_again_within_a_bound_that_grows_with_the_recording(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bounds: list[tuple[int, bool]] = []
    monkeypatch.setattr(sql_sandbox, "bound_memory", lambda most, *, hard: bounds.append((most, hard)))
    gone = sql_sandbox._arguments(many_calls(), str(tmp_path / "gone.json"), 1_000)
    assert gone == Arguments(note="spans.args is NULL: the file could not be read again")
    assert bounds == [(READING_SPACE + 3_000, False)], "its text, what is parsed of it, and the columns"
    assert sql_sandbox._arguments(many_calls(), None, 1_000) == Arguments()
    assert len(bounds) == 1


def test_a_query_reads_the_tables_that_it_names_and_those_that_they_use() -> None:
    assert tables_named("SELECT 1") == []
    assert tables_named("select count(*) from NODES")[0] == "nodes"
    for table in TABLES:
        assert {table, *TABLES[table].uses} <= set(tables_named(f"SELECT * FROM {table}"))
