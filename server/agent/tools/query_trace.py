"""query_trace and get_schema: any question that SQL can ask of the trace's tables."""

import difflib
import json
import re
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from server.agent.tools.contract.query_summary import Cell, cell_text, column_name, summarised
from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.agent.tools.contract.tool_context import Asking
from server.agent.tools.contract.tool_errors import ToolRetry
from server.ports.traces import SqlRefused, SqlRows
from server.protocol.wire_values import Table
from server.quoting import quoted
from traces.export.sql_tables import TABLES, SqlTable
from traces.model import Trace

SHOWN_ROWS = 200
"""In the chat's table: more is scrolled by nobody; `more` says so."""

EXAMPLES = {
    "frames": "SELECT file, count(*) FROM frames GROUP BY 1 ORDER BY 2 DESC LIMIT 5",
    "profiles": "SELECT profile, name, dur_ms FROM profiles ORDER BY dur_ms DESC",
    "spans": "SELECT name, count(*) AS calls, sum(self_ms) AS self_ms FROM spans GROUP BY name "
    "ORDER BY self_ms DESC LIMIT 10",
    "samples": "SELECT name, sum(weight_ms) AS self_ms FROM samples WHERE time_ms BETWEEN 100 AND 200 "
    "GROUP BY name ORDER BY self_ms DESC LIMIT 10",
    "nodes": "SELECT name, sum(total_ms) AS total_ms FROM nodes WHERE outermost GROUP BY name "
    "ORDER BY total_ms DESC LIMIT 10",
    "edges": "SELECT caller_name, callee_name, calls, total_ms FROM edges ORDER BY total_value DESC LIMIT 10",
    "counters": "SELECT name, min(value), max(value), arg_max(time_ms, value) AS at_ms FROM counters GROUP BY name",
    "instants": "SELECT name, count(*), min(time_ms) AS first_ms FROM instants GROUP BY name",
    "async_spans": "SELECT name, count(*), median(dur_ms) AS median_ms, max(dur_ms) AS longest_ms FROM async_spans "
    "GROUP BY name ORDER BY longest_ms DESC LIMIT 10",
    "flows": "SELECT name, count(*), avg(to_ms - from_ms) AS wait_ms FROM flows GROUP BY name",
    "thread_states": "SELECT profile, state, sum(dur_ms) AS ms FROM thread_states GROUP BY ALL ORDER BY ms DESC",
    "requests": "SELECT url, kind, blocking, start_ms, dur_ms FROM requests ORDER BY dur_ms DESC LIMIT 10",
}

OF_ARGUMENTS = (
    "Arguments of spans, all text: SELECT args['url'] AS url, count(*), sum(dur_ms) AS ms FROM spans "
    "WHERE args['url'] IS NOT NULL GROUP BY 1 ORDER BY ms DESC LIMIT 10; "
    "their names: SELECT DISTINCT unnest(map_keys(args)) FROM spans; one inside another: args['data'] ->> 'url'"
)

HEAD = (
    "Tables for query_trace (DuckDB SQL). Handles are text (f12), idle is NULL. _ns and _ms are times on the trace's "
    "clock (0: its beginning); where a profile has no time, _ns holds its own unit and _ms is NULL. Limits: one "
    "SELECT, 10 s, 2 GB, 1,000 rows, 8,000 characters of SQL."
)

READS_ARGUMENTS = "args"
"""In a query: it asks for arguments of spans, which are in the upload alone."""

_UNKNOWN_COLUMN = re.compile(r'column (?:named )?"?([\w.]+)"?', re.IGNORECASE)


class QueryTrace(ToolArguments):
    sql: Annotated[str, Field(min_length=1, description="one SELECT (DuckDB) over get_schema's tables")]


class GetSchema(ToolArguments):
    table: Annotated[str | None, Field(description="default: all, in short")] = None


async def ask_query(asking: Asking, arguments: QueryTrace) -> Outcome:
    try:
        async with AsyncExitStack() as stack:
            upload = await _upload(asking, stack) if READS_ARGUMENTS in arguments.sql.casefold() else None
            found = await asking.workers.query(asking.trace, arguments.sql, upload=upload)
    except SqlRefused as refused:
        # Not ToolFailed: another query is the way on, also after one that took too long.
        raise ToolRetry(refusal(refused), "timeout" if refused.kind == "time" else "validation") from None
    return outcome_of(found)


async def _upload(asking: Asking, stack: AsyncExitStack) -> Path | None:
    """The trace's file for as long as the stack, where it is to be had and has arguments."""
    context = asking.tool_context
    if context is None or "upload" not in context.has or not await asking.workers.ask(asking.trace, has_arguments):
        return None
    return await stack.enter_async_context(context.upload())


def has_arguments(trace: Trace) -> bool:
    """Whether any of a trace's spans has some."""
    return any(bool((one.spans.args_length > 0).any()) for one in trace.profiles if one.spans is not None)


def outcome_of(found: SqlRows) -> Outcome:
    """Rows for the model, the chat and the checks; as JSON when they cannot be put into words."""
    columns = [column.name for column in found.columns]
    try:
        text, readable = summarised(found), True
    except (ValueError, TypeError, ArithmeticError):
        text, readable = json.dumps({"columns": columns, "rows": found.rows[:SHOWN_ROWS], "more": found.more}), False
    shown = found.rows[:SHOWN_ROWS]
    return Outcome(
        text=f"{text}\n{found.note}" if found.note else text,
        data={
            "columns": columns,
            "row_count": len(found.rows),
            "more": found.more,
            "rows": [[_value(name, cell) for name, cell in zip(columns, row, strict=True)] for row in shown],
        },
        table=Table(
            columns=[column_name(name) for name in columns],
            rows=[[cell_text(name, cell) for name, cell in zip(columns, row, strict=True)] for row in shown],
        ),
        warning=found.more or not found.rows or not readable or found.note is not None,
    )


def _value(column: str, cell: Cell) -> dict[str, Any]:
    """A cell with what it measures, as answers are verified against it."""
    if isinstance(cell, str):
        return {"column": column, "name": cell}
    if isinstance(cell, int | float) and not isinstance(cell, bool) and column.endswith(("_ms", "_ns")):
        return {"column": column, "value_ns": cell * (1e6 if column.endswith("_ms") else 1)}
    if isinstance(cell, int | float) and not isinstance(cell, bool) and column.endswith("_bytes"):
        return {"column": column, "value_bytes": cell}
    return {"column": column, "value": cell}


def refusal(refused: SqlRefused) -> str:
    """Why a query was not answered. What the database said is quoted, as it may repeat the trace's words; the columns
    nearest to an unknown one are named.
    """
    if refused.kind != "syntax":
        return refused.text
    known = [name for table in refused.tables for name in TABLES[table].column_names]
    unknown = _UNKNOWN_COLUMN.search(refused.text)
    near = difflib.get_close_matches(unknown[1].rsplit(".", 1)[-1].lower(), known, n=2, cutoff=0.5) if unknown else []
    parts = [f"the query could not be read: {quoted(refused.text, 300)}"]
    if near:
        parts.append(f"did you mean {' or '.join(dict.fromkeys(near))}?")
    if unknown:
        parts += [f"{table} has {', '.join(TABLES[table].column_names)}" for table in refused.tables]
    return ". ".join(parts).replace("?.", "?")


def answer_schema(trace: Trace, arguments: GetSchema) -> Outcome:
    if arguments.table is not None:
        table = TABLES.get(arguments.table.strip().casefold())
        if table is None:
            near = difflib.get_close_matches(arguments.table.casefold(), TABLES, n=1, cutoff=0.4)
            meant = f": did you mean {near[0]}?" if near else "."
            raise ToolRetry(f"there is no table {quoted(arguments.table, 40)}{meant} Tables: {', '.join(TABLES)}")
        return Outcome(text="\n".join(_described(table, trace)), data=_data(trace, table))
    lines = [HEAD]
    for table in TABLES.values():
        rows = table.row_count(trace)
        lines.append(f"{table.name} ({rows:,} rows; {table.meaning}): {', '.join(table.column_names)}")
    main = max(("spans", "samples", "nodes"), key=lambda name: TABLES[name].row_count(trace))
    lines.append(f"Example: {EXAMPLES[main]}")
    if has_arguments(trace):
        lines.append(OF_ARGUMENTS)
    return Outcome(text="\n".join(lines), data=_data(trace, *TABLES.values()))


def _described(table: SqlTable, trace: Trace) -> list[str]:
    columns = [f"{column.name}" + (f": {column.meaning}" if column.meaning else "") for column in table.columns]
    head = f"{table.name}: {table.meaning}; {table.row_count(trace):,} rows. _ns nanoseconds, _ms milliseconds"
    return [head, *columns, f"Example: {EXAMPLES[table.name]}"]


def _data(trace: Trace, *tables: SqlTable) -> dict[str, Any]:
    return {
        "tables": [
            {"table": table.name, "row_count": table.row_count(trace), "columns": list(table.column_names)}
            for table in tables
        ]
    }


GET_SCHEMA = Tool(
    name="get_schema",
    description="For query_trace, before it: the tables with columns, units, row counts, an example.",
    arguments=GetSchema,
    answer=answer_schema,
    doing=lambda a: "Looking at the tables" if a.table is None else f"Looking at the table {a.table[:40]}",
    fields=frozenset({"tables", "table", "row_count", "columns"}),
    narrow="name one table",
)

QUERY_TRACE = Tool(
    name="query_trace",
    description="For what no other tool answers, by SQL: percentiles, overlaps, arguments of calls, requests, "
    "counters. Up to 20 rows come back, of more a summary and the worst 10; at most 1,000 rows and 10 "
    "s: aggregate. Call get_schema first.",
    arguments=QueryTrace,
    ask=ask_query,
    doing=lambda _: "Querying the trace",
    fields=frozenset({"columns", "row_count", "more", "rows", "column", "name", "value", "value_bytes", "value_ns"}),
    narrow="aggregate, or select fewer columns",
    guidance="for counting, percentiles, overlaps and counters, when no other tool answers; get_schema first.",
)
