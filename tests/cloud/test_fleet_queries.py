"""The queries of docs/fleet.md: run in DuckDB as they stand; those of other engines are parsed as such, and their
meaning is run in DuckDB over the same tables."""

from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel

from tests.cloud.test_fleet import batch, fleet

DOCUMENTED = (Path(__file__).parents[2] / "docs" / "fleet.md").read_text()
ENGINES = ("duckdb", "spark", "trino", "clickhouse")


def queries(engine: str) -> list[str]:
    """Those below its heading."""
    section = next(part for part in DOCUMENTED.split("\n### ") if part.lower().startswith(engine))
    return [found.split("```")[0] for found in section.split("```sql")[1:]]


async def measured(folder: Path) -> None:
    fleet(folder / "in")
    made, _ = batch(str(folder / "in"), str(folder / "measured"))
    await made.run()


async def test_the_queries_run_in_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await measured(tmp_path)
    monkeypatch.chdir(tmp_path)
    heaviest, developed, refused = queries("duckdb")
    with duckdb.connect() as database:
        assert ("shop", "checkout") in {row[:2] for row in database.execute(heaviest).fetchall()}
        assert len(database.execute(developed).fetchall()) == 1
        assert sum(files for _, files, _ in database.execute(refused).fetchall()) == 3


@pytest.mark.parametrize("engine", ENGINES[1:])
async def test_the_queries_of_another_engine_are_its_sql_and_ask_the_same(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await measured(tmp_path)
    monkeypatch.chdir(tmp_path)
    theirs = [one for one in map(parsed(engine), queries(engine)) if isinstance(one, exp.Query)]
    assert len(theirs) == 3
    with duckdb.connect() as database:
        for ours, one in zip(queries("duckdb"), theirs, strict=True):
            assert _sorted(database, over_our_tables(one)) == _sorted(database, ours)


def parsed(engine: str) -> Any:
    """Parses a statement; what the engine's grammar does not have is an error."""

    def one(sql: str) -> exp.Expr:
        found = sqlglot.parse_one(sql, dialect=engine, error_level=ErrorLevel.RAISE)
        assert not list(found.find_all(exp.Command)), "not understood"
        return found

    return one


def over_our_tables(query: exp.Query) -> str:
    """In DuckDB's words, with the place of the tables replaced by ours."""
    query = query.copy()
    for quantile in list(query.find_all(exp.Quantile, exp.ApproxQuantile)):
        assert quantile.args["quantile"].name == "0.5"
        quantile.replace(exp.Median(this=quantile.this))  # engines differ in what stands between two values
    for table in list(query.find_all(exp.Table)):
        name = "functions" if "functions" in table.sql() else "files"
        place = f"measured/{name}/**/*.parquet" if name == "functions" else "measured/files/*.parquet"
        ours = sqlglot.parse_one(f"(select * from read_parquet('{place}'))", dialect="duckdb")
        table.replace(ours)
    query.set("settings", None)
    return query.sql(dialect="duckdb")


def _sorted(database: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return sorted(database.execute(sql).fetchall(), key=str)
