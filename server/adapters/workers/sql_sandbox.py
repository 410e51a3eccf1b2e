"""A process of its own in which one SQL query of one trace is answered: `python -m server.adapters.workers.sql_sandbox`
reads a request (JSON) from stdin and writes an answer (JSON) to stdout.

The order matters: the columns are mapped, DuckDB is opened and locked, then the process gives up memory, processor
time and every further file, and only then the query is looked at. Found by trying to escape: neither a read-only
transaction nor the kind of the statement is enough alone, DuckDB's own memory limit leaves out vectors (so the address
space is bounded), and some functions cannot be interrupted (so processor time is bounded, and the parent kills).
"""

import json
import math
import mmap
import os
import resource
import sys
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import duckdb
import numpy as np

from server.adapters.workers.sql_statements import StatementRefused, checked, first_lines
from traces import cache
from traces.export.sql_rows import Columns
from traces.export.sql_tables import RAW_ARGUMENTS, TABLES, raw_name, view
from traces.model import Trace

MEMORY_BYTES = 1 << 30
ADDRESS_SPACE = 2 << 30
"""On top of the columns: 1 GB for DuckDB's buffers, the rest for Python, libraries and what DuckDB does not count."""

READING_SPACE = 6 << 30
"""While arguments are read from the upload, which may have to be decompressed."""

OF_A_TEXT = 100
"""Bytes that a text takes besides its characters."""

CPU_GRACE_S = 2
"""Past the timer that interrupts: what cannot be interrupted is killed by the system."""

MOST_CHARACTERS = 2_000
"""Of one text in a result: of a name of a megabyte the beginning is given."""

LOCKED = (
    "SET enable_external_access=false",
    "SET python_enable_replacements=false",
    "SET disabled_filesystems='LocalFileSystem'",
    "SET secret_directory=''",
    "SET lock_configuration=true",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    columns: str
    sql: str
    seconds: float
    rows: int
    characters: int
    upload: str | None = None


Kind = Literal["refused", "syntax", "memory", "time"]


def main() -> None:
    """Answer the request on stdin, to a pipe (no file is written). Ends by a signal where the system bounds it."""
    request = Request(**json.load(sys.stdin))
    with open(request.columns, "rb") as file:  # noqa: PTH123 - nothing more is imported here than must be
        trace = cache.decode(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        size = file.seek(0, 2)
    con = opened()
    warm(con)
    arguments = _arguments(trace, request.upload, size)
    # What working them out imports and reads, it does now.
    raw = {name: TABLES[name].raw(trace) for name in tables_named(request.sql)}
    give_up(request.seconds, size + arguments.size)
    reply = answered(con, request, TABLES, lambda tables: _publish(con, trace, tables, raw, arguments.columns))
    sys.stdout.write(json.dumps(reply | {"note": arguments.note}))
    sys.stdout.flush()
    os._exit(0)  # what DuckDB would tidy up without files may end the process by a signal


def tables_named(sql: str) -> list[str]:
    """The tables whose names stand in a query, and those that they use; a text in quotes may name one, too."""
    named = [name for name in TABLES if name in sql.casefold()]
    return list(dict.fromkeys(used for name in named for used in (name, *TABLES[name].uses)))


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments of spans as a raw table (None: there are none), what they take, and what is to be said of them."""

    columns: Columns | None = None
    size: int = 0
    note: str | None = None


def _arguments(trace: Trace, upload: str | None, size: int) -> Arguments:
    """Read from the upload where a query asks for them."""
    if upload is None:
        return Arguments()
    from traces.errors import TraceError  # noqa: PLC0415 - only for the few queries that ask for arguments
    from traces.span_arguments import argument_texts  # noqa: PLC0415 - as above

    bound_memory(READING_SPACE + 3 * size, hard=False)
    try:
        with open(upload, "rb") as file:  # noqa: PTH123 - as above
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        spans, texts, left_out = argument_texts(data, trace)
    except (OSError, ValueError, TraceError, MemoryError):
        return Arguments(note="spans.args is NULL: the file could not be read again")
    note = (
        f"spans.args is NULL from s{int(spans[-1]) + 1} on: there are too many arguments"
        if left_out and texts
        else None
    )
    columns: Columns | None = {"id": spans, "said": np.array(texts, dtype=object)} if texts else None
    return Arguments(columns, sum(map(len, texts)) + OF_A_TEXT * len(texts), note)


def bound_memory(most: int, *, hard: bool) -> None:
    """Bound the address space, for good or until the next bound."""
    if sys.platform == "linux":  # macOS refuses to bound the address space of a running process
        resource.setrlimit(resource.RLIMIT_AS, (most, most if hard else resource.getrlimit(resource.RLIMIT_AS)[1]))


class Bounded(Protocol):
    """A query with its bounds."""

    @property
    def sql(self) -> str: ...

    @property
    def seconds(self) -> float: ...

    @property
    def rows(self) -> int: ...

    @property
    def characters(self) -> int: ...


def answered(
    con: duckdb.DuckDBPyConnection,
    request: Bounded,
    published: Collection[str],
    publish: Callable[[frozenset[str]], None],
    *,
    schema: str = "main",
) -> dict[str, Any]:
    """`{columns: [{name, type}], rows, more}`, or `{refused: kind, why, tables}`. `publish` makes the tables that the
    query reads, of those that are published in the schema. Its process ends then."""
    timer = threading.Timer(request.seconds, con.interrupt)
    timer.daemon = True
    timer.start()
    tables: frozenset[str] = frozenset()
    try:
        tables = checked(con, request.sql, tuple(published), schema=schema)
        publish(tables)
        for setting in LOCKED:
            con.execute(setting)
        con.execute("BEGIN TRANSACTION READ ONLY")
        con.execute(request.sql)
        return _result(con, request)
    except StatementRefused as refused:
        return _refused("refused", str(refused), tables)
    except (MemoryError, duckdb.OutOfMemoryException):
        return _refused("memory", "", tables)
    except duckdb.InterruptException:
        return _refused("time", "", tables)
    except duckdb.Error as error:
        kind: Kind = "memory" if "bad_alloc" in str(error) else "syntax"
        return _refused(kind, first_lines(error), tables)
    finally:
        timer.cancel()


def _refused(kind: Kind, why: str, tables: frozenset[str]) -> dict[str, Any]:
    return {"refused": kind, "why": why[:MOST_CHARACTERS], "tables": sorted(tables)}


def opened(more_memory: int = 0) -> duckdb.DuckDBPyConnection:
    """A database in memory; `more_memory` bytes are for tables that it holds itself."""
    database = duckdb.connect(
        ":memory:",
        config={
            "threads": 1,
            "memory_limit": f"{(MEMORY_BYTES + more_memory) >> 20}MiB",
            "temp_directory": "",
            "max_temp_directory_size": "0B",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "enable_external_file_cache": False,
        },
    )
    database.execute("set enable_progress_bar = false")  # after two seconds it would stand in stdout before the answer
    return database


def warm(con: duckdb.DuckDBPyConnection) -> None:
    """Let everything be imported that fetching a value may import: no file can be opened afterwards."""
    con.execute(
        "SELECT 1.5::DECIMAL(4, 2), uuid(), now()::TIMESTAMP, today(), '1:00'::TIME, INTERVAL 1 DAY, [1], {'a': 1}, "
        "MAP {'a': 1}, 'a'::BLOB, 1::HUGEINT, true, json_serialize_sql('SELECT 1')"
    ).fetchall()
    con.register("warm", {"one": _texts()})
    con.execute("CREATE TEMP TABLE warmed AS SELECT * FROM warm")
    con.execute("DROP TABLE warmed")
    con.unregister("warm")


def _texts() -> Any:
    return np.array(["a", None], dtype=object)


def give_up(seconds: float, columns_bytes: int) -> None:
    """From here on: bounded memory and processor time, no further file or socket, nothing written to any file."""
    cpu = math.ceil(time_used() + seconds) + CPU_GRACE_S
    bounds = [(resource.RLIMIT_CPU, cpu), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)]
    bounds.append((resource.RLIMIT_NOFILE, 0))
    for which, bound in bounds:
        resource.setrlimit(which, (bound, bound))
    bound_memory(ADDRESS_SPACE + 3 * columns_bytes, hard=True)


def time_used() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _publish(
    con: duckdb.DuckDBPyConnection,
    trace: Trace,
    tables: frozenset[str],
    raw: dict[str, Columns],
    arguments: Columns | None,
) -> None:
    """Make the views a query reads, over the trace's own columns."""
    for used in dict.fromkeys([*tables, *(used for name in tables for used in TABLES[name].uses)]):
        con.register(raw_name(used), raw[used])
    if arguments is not None:
        con.register(RAW_ARGUMENTS, arguments)
    for name in tables:
        con.execute(f"CREATE TEMP VIEW {name} AS {view(TABLES[name], trace, with_arguments=arguments is not None)}")


def _result(con: duckdb.DuckDBPyConnection, request: Bounded) -> dict[str, Any]:
    """Rows until one of the bounds; `more` says that there are others."""
    columns = [{"name": str(name)[:200], "type": str(kind)[:80]} for name, kind, *_ in con.description or ()]
    rows: list[list[Any]] = []
    left = request.characters
    while batch := con.fetchmany(min(100, request.rows + 1 - len(rows))):
        for row in batch:
            values = [_json_value(value) for value in row]
            left -= sum(len(one) if isinstance(one, str) else 12 for one in values)
            if len(rows) == request.rows or (left < 0 and rows):
                return {"columns": columns, "rows": rows, "more": True}
            rows.append(values)
    return {"columns": columns, "rows": rows, "more": False}


def _json_value(value: Any) -> str | int | float | bool | None:
    if value is None or isinstance(value, bool | str):
        return clipped(value) if isinstance(value, str) else value
    if isinstance(value, int):
        return value if abs(value) < 1 << 53 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return clipped(json.dumps(value, ensure_ascii=False, default=str))
    if type(value).__name__ == "Decimal":
        return float(value)
    return clipped(f"{len(value)} bytes" if isinstance(value, bytes | bytearray) else str(value))


def clipped(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


if __name__ == "__main__":
    main()
