"""Arguments of spans in SQL: read from the upload, for the queries that ask for them."""

import json
from pathlib import Path

import pytest

from server.agent.tools.contract.tool import Outcome
from server.agent.tools.query_trace import GetSchema, answer_schema, has_arguments
from tests.server.agent.tool_context import ask_tool
from tests.server.agent.turns import small_trace
from traces.model import Trace
from traces.reader import read_trace

ARGUMENTS = ({"url": "/a", "n": 3}, {"url": "/b", "n": 4.5}, {"data": {"url": "/c"}}, None, ["no", "object"])


@pytest.fixture
def upload(tmp_path: Path) -> Path:
    events = [
        {"ph": "X", "name": "get", "pid": 1, "tid": 1, "ts": 10 * at, "dur": 5, "args": one}
        for at, one in enumerate(ARGUMENTS)
    ]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"traceEvents": events}))
    return file


def trace_of(upload: Path) -> Trace:
    return read_trace(upload.read_bytes(), name=upload.name)


async def asked(sql: str, upload: Path) -> Outcome:
    return await ask_tool("query_trace", {"sql": sql}, trace_of(upload), upload=upload)


async def test_arguments_are_a_map_of_texts(upload: Path) -> None:
    columns = "span, args['url'] AS url, args['n']::DOUBLE AS n, args['data'] ->> 'url' AS deep"
    outcome = await asked(f"SELECT {columns} FROM spans ORDER BY start_ns", upload)
    assert outcome.table is not None
    assert outcome.table.rows == [
        ["s0", "/a", 3.0, "NULL"],
        ["s1", "/b", 4.5, "NULL"],
        ["s2", "NULL", "NULL", "/c"],
        ["s3", "NULL", "NULL", "NULL"],
        ["s4", "NULL", "NULL", "NULL"],
    ]
    assert not outcome.warning


async def test_a_figure_of_them_is_one_of_the_results(upload: Path) -> None:
    outcome = await asked("SELECT sum(TRY_CAST(ARGS['n'] AS DOUBLE)) AS n FROM spans", upload)
    assert outcome.data["rows"][0] == [{"column": "n", "value": 7.5}]


async def test_a_map_itself_is_written_as_json(upload: Path) -> None:
    outcome = await asked("SELECT args FROM spans WHERE args['url'] = '/a'", upload)
    assert '"{\\"url\\": \\"/a\\", \\"n\\": \\"3\\"}"' in outcome.text


async def test_where_the_file_is_not_at_hand_they_are_null_and_it_says_so(upload: Path) -> None:
    outcome = await ask_tool("query_trace", {"sql": "SELECT count(args) AS n FROM spans"}, trace_of(upload))
    assert outcome.data["rows"][0] == [{"column": "n", "value": 0}]
    assert "spans.args is NULL" in outcome.text
    assert outcome.warning


async def test_a_file_that_changed_is_not_read(upload: Path) -> None:
    trace = trace_of(upload)
    upload.write_text(upload.read_text().replace("/a", "/x"))
    outcome = await ask_tool("query_trace", {"sql": "SELECT count(args) AS n FROM spans"}, trace, upload=upload)
    assert outcome.data["rows"][0] == [{"column": "n", "value": 0}]
    assert "could not be read again" in outcome.text


def test_the_schema_shows_how_where_there_are_some(upload: Path) -> None:
    trace = trace_of(upload)
    assert has_arguments(trace)
    assert "args['url']" in answer_schema(trace, GetSchema()).text
    assert "args['url']" not in answer_schema(small_trace(), GetSchema()).text
    assert "map_keys(args)" in answer_schema(trace, GetSchema(table="spans")).text
