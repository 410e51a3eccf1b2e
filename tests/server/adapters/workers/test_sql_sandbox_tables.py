"""Every table in the process that can open no file, of a recording whose tables are worked out with all there is."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
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
