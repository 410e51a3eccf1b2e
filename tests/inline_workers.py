"""Workers of the test's own process, queries among them."""

import asyncio
import json
import mmap
from pathlib import Path

from server.adapters.in_process.workers import InlineTraceWorkers
from server.adapters.workers import library_sandbox, sql_sandbox
from server.adapters.workers.sql_process import OF_A_TRACE, SqlSandbox
from server.agent.questions.run_tables import LIBRARY, SCHEMA
from traces import cache
from traces.export.sql_tables import TABLES


class QueriesInProcess(SqlSandbox):
    """Answers as the process of a query does, in a thread and without the system's bounds: for tests of what is asked
    and what is made of the answer, which need not wait until a process has imported its libraries.

    Arguments of spans are read by the process alone, in bounded memory.
    """

    async def _run(self, module: str, request: bytes) -> tuple[bytes, int | None]:
        if json.loads(request).get("upload") is not None:
            return await super()._run(module, request)
        answer = _of_a_trace if module == OF_A_TRACE else _of_a_library
        return await asyncio.to_thread(answer, request), 0


def inline_workers() -> InlineTraceWorkers:
    return InlineTraceWorkers(sandbox=QueriesInProcess())


def _of_a_trace(request: bytes) -> bytes:
    asked = sql_sandbox.Request(**json.loads(request))
    with Path(asked.columns).open("rb") as file:
        trace = cache.decode(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    raw = {name: TABLES[name].raw(trace) for name in sql_sandbox.tables_named(asked.sql)}
    with sql_sandbox.opened() as con:
        reply = sql_sandbox.answered(
            con, asked, TABLES, lambda tables: sql_sandbox._publish(con, trace, tables, raw, None)
        )
    return json.dumps(reply | {"note": None}).encode()


def _of_a_library(request: bytes) -> bytes:
    asked = library_sandbox.Request(**json.loads(request))
    tables = [table for name, table in LIBRARY.items() if name in asked.files]
    with sql_sandbox.opened() as con:
        for table in tables:
            library_sandbox._take_in(con, table, asked.files[table.name])
        reply = sql_sandbox.answered(
            con, asked, LIBRARY, lambda _: library_sandbox._publish(con, tables), schema=SCHEMA
        )
    return json.dumps(reply | {"note": None}).encode()
