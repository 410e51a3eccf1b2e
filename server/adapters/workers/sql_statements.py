"""Which SQL is let in: one SELECT (or the EXPLAIN of one) over the published tables. Everything else is refused before
it runs; what gets past this still runs locked, read-only and bounded.

DuckDB parses the text itself: by `extract_statements` for the number and kind of statements, by `json_serialize_sql`
for the tree, of which every table, table function and function is looked at.
"""

import difflib
import json
import re
from collections.abc import Collection, Iterator
from typing import Any

import duckdb

QUERY_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest"})
REFERENCES = frozenset({"BASE_TABLE", "TABLE_FUNCTION", "JOIN", "SUBQUERY", "EXPRESSION_LIST", "EMPTY", "PIVOT"})

FUNCTIONS = frozenset(
    {"current_setting", "getvariable", "getenv", "write_log", "parse_duckdb_log_message", "sleep_ms", "nextval"}
    | {"currval", "setval", "stats", "vector_type", "current_query", "current_query_id", "current_connection_id"}
    | {"current_transaction_id", "get_block_size", "json_serialize_sql", "json_serialize_plan"}
    | {"json_deserialize_sql", "in_search_path", "current_database", "current_catalog", "current_schemas"}
)
"""Refused: they read the database's own state, change it, or wait. So are all that begin as `SERVER_FUNCTIONS` do."""

SERVER_FUNCTIONS = ("pg_", "inet_", "has_", "duckdb_", "pragma_")

_EXPLAIN = re.compile(r"\s*EXPLAIN(\s+ANALYZE)?\s+(?=\S)", re.IGNORECASE)


class StatementRefused(Exception):
    """Why, for whoever wrote it."""


def checked(con: duckdb.DuckDBPyConnection, sql: str, tables: Collection[str], schema: str = "main") -> frozenset[str]:
    """The published tables of the schema that a statement reads. Raises StatementRefused."""
    try:
        statements = con.extract_statements(sql)
    except duckdb.Error as error:
        raise StatementRefused(first_lines(error)) from None
    if len(statements) != 1:
        raise StatementRefused(f"write one statement; this is {len(statements)}")
    kind = _kind(statements[0])
    if kind not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        raise StatementRefused(f"only SELECT (or EXPLAIN of one) is answered, and this is {kind.name}")
    text = sql
    if kind == duckdb.StatementType.EXPLAIN:
        explained = _EXPLAIN.match(sql)
        if explained is None:
            raise StatementRefused("write EXPLAIN or EXPLAIN ANALYZE first, without options, then the SELECT")
        text = sql[explained.end() :]
    return _tables_of(_tree(con, text), tables, schema)


def _kind(statement: duckdb.Statement) -> duckdb.StatementType:
    try:
        return statement.type
    except (ValueError, TypeError, RuntimeError):  # DuckDB knows kinds that its Python enumeration lacks
        raise StatementRefused("only SELECT (or EXPLAIN of one) is answered") from None


def _tree(con: duckdb.DuckDBPyConnection, sql: str) -> Any:
    answer = con.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()
    try:
        tree = json.loads(answer[0][0])
    except RecursionError:
        raise StatementRefused("the statement is nested too deeply: write it flatter") from None
    if tree["error"]:
        raise StatementRefused("only SELECT (or EXPLAIN of one) is answered")
    return tree["statements"]


def _dicts(tree: Any) -> Iterator[dict[str, Any]]:
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _tables_of(tree: Any, tables: Collection[str], schema: str) -> frozenset[str]:
    parts = list(_dicts(tree))
    own = {entry["key"].casefold() for part in parts if "map" in part for entry in part["map"]}
    own |= {str(part["cte_name"]).casefold() for part in parts if part.get("cte_name")}
    read = set()
    for part in parts:
        kind = str(part.get("type", ""))
        if kind.endswith("_NODE") and kind not in QUERY_NODES:
            raise StatementRefused(f"only SELECT is answered, and a part of this is {kind.removesuffix('_NODE')}")
        if "sample" in part and "alias" in part and kind not in REFERENCES:
            raise StatementRefused(f"{kind} is not answered here: get_schema describes the tables")
        if kind == "BASE_TABLE":
            read |= _table(part, tables, own, schema)
        elif kind == "TABLE_FUNCTION":
            _function(part, TABLE_FUNCTIONS)
        elif part.get("class") == "FUNCTION" and "function_name" in part:
            _scalar(str(part["function_name"]))
    return frozenset(read)


def _table(part: dict[str, Any], tables: Collection[str], own: Collection[str], schema: str) -> set[str]:
    path = [str(name) for name in part["qualified_name"]["path"]]
    name = path[-1].casefold()
    if len(path) == 1 and name in own:
        return set()
    if name in tables and [one.casefold() for one in path[:-1]] in ([], [schema]):
        return {name}
    near = difflib.get_close_matches(name, [*tables, *own], n=1, cutoff=0.5)
    meant = f": did you mean {near[0]}?" if near else "."
    listed = ", ".join(tables if schema == "main" else (f"{schema}.{one}" for one in tables))
    raise StatementRefused(f"there is no table {'.'.join(path)[:80]}{meant} Tables: {listed}")


def _function(part: dict[str, Any], allowed: Collection[str]) -> None:
    name = str(part["function"].get("function_name", "")).casefold()
    if name not in allowed:
        raise StatementRefused(f"{name[:80]}() is not answered here; table functions are {', '.join(sorted(allowed))}")


def _scalar(name: str) -> None:
    if name.casefold() in FUNCTIONS or name.casefold().startswith(SERVER_FUNCTIONS):
        raise StatementRefused(f"{name[:80]}() is not answered here")


def first_lines(error: BaseException) -> str:
    """What DuckDB says of an error, without the excerpt of the statement that follows."""
    said = str(error).split("\n\n", 1)[0].split("\nLINE ", 1)[0]
    return " ".join(said.split())
