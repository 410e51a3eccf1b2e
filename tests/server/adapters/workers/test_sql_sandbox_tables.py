"""Every table in the process that can open no file, of a recording whose tables are worked out with all there is."""

import numpy as np
import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
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
