"""Queries that would take all memory, all processors or all of a reader's patience: each ends within its bounds, and
whoever asked goes on."""

import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.adapters.workers.sql_process import MOST_SQL_CHARACTERS, SqlBounds
from server.ports.traces import SqlRefused
from tests.server.agent.turns import small_trace

pytestmark = pytest.mark.long

BOUNDS = SqlBounds(seconds=2.5, rows=50, characters=20_000)

MEMORY = [
    "SELECT list(i) FROM range(2000000000) t(i)",
    "SELECT count(DISTINCT i) FROM range(4000000000) t(i)",
    "SELECT length(repeat('x', 4000000000))",
    "SELECT lpad('x', 2000000000, 'y')",
    "WITH RECURSIVE t(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM t) SELECT max(length(s)) FROM t",
    "SELECT range(2000000000)",
    "SELECT i FROM range(2000000000) t(i) ORDER BY hash(i)",
    "SELECT string_agg(repeat('x', 1000), '') FROM range(100000000)",
    "SELECT list_transform(range(100000000), x -> range(1000))",
]
PROCESSOR = [
    "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000))",
    "SELECT count(*) FROM range(1000000000) a, range(1000000000) b",
    "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT count(*) FROM t",
    "SELECT sum(sin(a.range) * cos(b.range)) FROM range(1000000) a, range(1000000) b",
    "SELECT count(*) FROM range(100000000) t(i) WHERE md5(i::VARCHAR) = 'x'",
    "EXPLAIN ANALYZE SELECT count(*) FROM range(1000000000) a, range(1000000000) b",
]


@pytest.mark.parametrize("bomb", [*MEMORY, *PROCESSOR], ids=lambda bomb: bomb[:50])
async def test_a_bomb_is_stopped_and_the_next_query_is_answered(bomb: str) -> None:
    workers = InlineTraceWorkers(BOUNDS)
    opened = workers.hold(small_trace())
    with pytest.raises(SqlRefused) as refused:
        await workers.query(opened, bomb)
    assert refused.value.kind in ("memory", "time", "syntax")
    assert (await workers.query(opened, "SELECT count(*) FROM frames")).rows == ((4,),)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM range(1000000000000)",
        "SELECT repeat('x', 10000) AS long FROM range(1000)",
        "SELECT i, repeat('y', 900) FROM range(100000) t(i)",
    ],
)
async def test_a_result_without_end_is_cut_and_says_so(query: str) -> None:
    workers = InlineTraceWorkers(BOUNDS)
    found = await workers.query(workers.hold(small_trace()), query)
    assert found.more
    assert len(found.rows) <= BOUNDS.rows
    assert sum(len(str(cell)) for row in found.rows for cell in row) <= BOUNDS.characters + 2_000


async def test_a_query_longer_than_can_be_planned_is_not_started() -> None:
    workers = InlineTraceWorkers(BOUNDS)
    with pytest.raises(SqlRefused, match="characters"):
        await workers.query(workers.hold(small_trace()), "SELECT 1" + " " * MOST_SQL_CHARACTERS)


async def test_a_query_nested_without_end_is_refused() -> None:
    workers = InlineTraceWorkers(BOUNDS)
    deep = "SELECT " + "(" * 3_000 + "1" + ")" * 3_000
    with pytest.raises(SqlRefused):
        await workers.query(workers.hold(small_trace()), deep)
    nested = "SELECT * FROM (" * 500 + "SELECT 1" + ")" * 500
    with pytest.raises(SqlRefused):
        await workers.query(workers.hold(small_trace()), nested[:MOST_SQL_CHARACTERS])
