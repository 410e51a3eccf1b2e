"""SQL and several runs on the command line."""

import json
from pathlib import Path

import click
import pytest

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from tests.inline_workers import inline_workers
from tests.server.edges.cli.test_questions import SAMPLE, no_model, no_server, run


@pytest.fixture
def cli() -> click.Group:
    return build_cli(CliEntryPoints(serve=no_server, analysis=no_model, workers=inline_workers))


def test_a_query_prints_a_table_with_times_in_their_unit(cli: click.Group, fixtures: Path) -> None:
    sql = "SELECT name, sum(self_ms) AS self_ms FROM nodes GROUP BY name ORDER BY self_ms DESC LIMIT 2"
    lines = run(cli, "query", fixtures / SAMPLE, sql).stdout.splitlines()
    assert lines[0] == "2 rows"
    assert lines[1].split() == ["name", "self_ms"]
    assert lines[2].split() == ["find_discount", "6.48", "s"]


def test_a_query_prints_json(cli: click.Group, fixtures: Path) -> None:
    answer = json.loads(run(cli, "query", fixtures / SAMPLE, "SELECT count(*) AS n FROM profiles", "--json").stdout)
    assert answer == {"columns": ["n"], "rows": [[5]], "more": False, "note": None}


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT nme FROM frames", "did you mean name"),
        ("SELECT * FROM frame", "did you mean frames"),
        ("DROP VIEW frames", "DROP"),
        ("SELECT 1; SELECT 2", "one statement"),
    ],
)
def test_a_wrong_query_ends_with_one_line_and_code_2(cli: click.Group, fixtures: Path, sql: str, words: str) -> None:
    result = run(cli, "query", fixtures / SAMPLE, sql, code=2)
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_tables_are_described(cli: click.Group, fixtures: Path) -> None:
    assert "nodes (266 rows" in run(cli, "schema", fixtures / SAMPLE).stdout
    assert "outermost: " in run(cli, "schema", fixtures / SAMPLE, "nodes").stdout
    assert "did you mean nodes" in run(cli, "schema", fixtures / SAMPLE, "node", code=2).stderr


@pytest.mark.long
def test_every_example_of_the_schema_is_answered(cli: click.Group, fixtures: Path) -> None:
    from server.agent.tools.query_trace import EXAMPLES
    from traces.export.sql_tables import TABLES

    assert set(EXAMPLES) == set(TABLES)
    for example in EXAMPLES.values():
        run(cli, "query", fixtures / SAMPLE, example)


def test_several_runs_are_compared_with_a_test(cli: click.Group, fixtures: Path) -> None:
    runs = [fixtures / SAMPLE] * 4
    arguments = [*(word for path in runs for word in ("--before", path)), *(w for p in runs for w in ("--after", p))]
    lines = run(cli, "compare", *arguments, "--limit", "2").stdout.splitlines()
    assert lines[0].startswith("4 runs before, 4 after; whole")
    assert "p 1;" in lines[0]
    few = run(cli, "compare", fixtures / SAMPLE, fixtures / SAMPLE, "--after", fixtures / SAMPLE)
    assert "too few for any p-value" in few.stderr
    assert "before and one after" in run(cli, "compare", fixtures / SAMPLE, code=2).stderr


def test_recordings_of_two_programs_are_not_compared(cli: click.Group, fixtures: Path) -> None:
    one, other = fixtures / SAMPLE, fixtures / "settlement.go-cpu.pb.gz"
    for arguments in ((one, other), (one, other, "--json"), (one, "--after", other, "--after", one)):
        result = run(cli, "compare", *arguments, code=3)
        assert "not of one program" in result.stderr
        assert not result.stdout or json.loads(result.stdout)["rows"] == []


@pytest.mark.parametrize("name", ["addArticle", "buildIndex", "addTerm", "rank"])
def test_functions_of_two_tools_recordings_of_one_program_meet(cli: click.Group, fixtures: Path, name: str) -> None:
    pair = fixtures / "search-index.cpuprofile.gz", fixtures / "search-index.node-wall.pb.gz"
    rows = json.loads(run(cli, "compare", *pair, "--limit", "200", "--json").stdout)["rows"]
    assert [row["status"] in ("grew", "shrank") for row in rows if row["name"] == name] == [True]


def test_two_traces_are_compared_with_their_totals(cli: click.Group, fixtures: Path) -> None:
    first = run(cli, "compare", fixtures / SAMPLE, fixtures / SAMPLE).stdout.splitlines()[0]
    total = first.split(" before, ")[0]
    assert first.startswith(f"{total} before, {total} after")
    assert total.split()[-1] in ("s", "ms")


def test_moments_are_null_in_what_has_none_and_counts_have_a_name(cli: click.Group, fixtures: Path) -> None:
    def row(name: str, sql: str) -> list[object]:
        answer = json.loads(run(cli, "query", fixtures / name, sql, "--json").stdout)
        found: list[object] = answer["rows"][0]
        return found

    sql = "SELECT count(time_ns), count(time_ms), any_value(has_times), any_value(counted), any_value(start_ms) "
    sql += "FROM samples JOIN profiles USING (profile)"
    assert row("redact-documents.cprofile.prof", sql) == [0, 0, False, "calls", None]
    assert row("settlement.go-heap.pb.gz", sql) == [0, 0, False, "inuse_objects", None]
    rows, timed, has_times, counted, start = row("search-index.cpuprofile.gz", sql)
    assert (rows == timed, has_times, counted, start) == (True, True, "samples", 0.0)
    calls = "SELECT sum(count) FROM nodes WHERE name = 'luhn_sum'"
    assert row("redact-documents.cprofile.prof", calls) == [7_279]
    assert row("session-cache.heapprofile.gz", "SELECT count(count) FROM nodes") == [0]
