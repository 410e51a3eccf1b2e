"""A process of its own in which one SQL query over many recordings is answered: `python -m
server.adapters.workers.library_sandbox`. As `sql_sandbox` does for one trace: what the query may read is taken in
first, as tables in memory; then the process gives up memory, time and files, and only then the query is looked at.
"""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import duckdb

from server.adapters.workers.sql_sandbox import answered, give_up, opened, warm
from server.agent.questions.run_tables import LIBRARY, SCHEMA, LibraryTable, raw_name, view

BYTES_OF_A_BYTE = 6
"""In memory, of a file that is mostly short texts and numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """`files` by table; the rest as `sql_sandbox` has it."""

    files: dict[str, str]
    sql: str
    seconds: float
    rows: int
    characters: int


def main() -> None:
    """Answer the request on stdin. Ends by a signal where the system bounds it."""
    request = Request(**json.load(sys.stdin))
    size = BYTES_OF_A_BYTE * sum(Path(file).stat().st_size for file in request.files.values())
    con = opened(more_memory=size)
    warm(con)
    tables = [table for name, table in LIBRARY.items() if name in request.files]
    for table in tables:
        _take_in(con, table, request.files[table.name])
    give_up(request.seconds, size)
    reply = answered(con, request, LIBRARY, lambda _: _publish(con, tables), schema=SCHEMA)
    sys.stdout.write(json.dumps(reply | {"note": None}))
    sys.stdout.flush()
    os._exit(0)  # as in sql_sandbox


def _take_in(con: duckdb.DuckDBPyConnection, table: LibraryTable, file: str) -> None:
    """A table's rows out of its file, which is not needed afterwards."""
    con.execute(
        f"CREATE TABLE {raw_name(table.name)} AS SELECT * FROM read_csv(?, header=false, delim=',', quote='\"', "  # noqa: S608 - constants
        "escape='\"', nullstr='', allow_quoted_nulls=false, auto_detect=false, strict_mode=true, "
        "max_line_size=4000000, columns=?)",
        [file, dict(table.raw)],
    )


def _publish(con: duckdb.DuckDBPyConnection, tables: list[LibraryTable]) -> None:
    """The tables that there are rows of, as a schema in which a name without one is looked for first."""
    con.execute(f"CREATE SCHEMA {SCHEMA}")
    for table in tables:
        con.execute(f"CREATE VIEW {SCHEMA}.{table.name} AS {view(table)}")
    con.execute(f"SET schema='{SCHEMA}'")


if __name__ == "__main__":
    main()
