"""One question a command: tables for people, JSON for programs, conversion to other tools' files."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from server.agent.turn import Pictures
from server.edges.cli.command_values import Analysis, AnalyzeOptions, ServeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from traces.reader import read_trace

SAMPLE = "sample/order-service.speedscope.json.gz"
EVENTED = "redact-documents.viztracer.json.gz"


def no_server(options: ServeOptions) -> int:
    raise AssertionError("no question starts a server")


def no_model(options: AnalyzeOptions, pictures: Pictures) -> Analysis:
    raise AssertionError("no question asks a model")


@pytest.fixture
def cli() -> click.Group:
    return build_cli(CliEntryPoints(serve=no_server, analysis=no_model))


def run(cli: click.Group, *arguments: str | Path, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result


def said(cli: click.Group, *arguments: str | Path) -> Any:
    return json.loads(run(cli, *arguments, "--json").stdout)


def test_functions_as_json_are_all_of_them_by_self_or_total(cli: click.Group, fixtures: Path) -> None:
    by_self = said(cli, "functions", fixtures / SAMPLE)
    assert len(by_self["rows"]) == by_self["total_rows"] > 30
    values = [row["self_value"] for row in by_self["rows"]]
    assert values == sorted(values, reverse=True)
    by_total = said(cli, "functions", fixtures / SAMPLE, "--sort", "total", "--limit", "3")
    assert len(by_total["rows"]) == 3
    assert by_total["rows"][0]["total_share"] == 1


def test_functions_for_people_are_a_table_that_says_what_is_left(cli: click.Group, fixtures: Path) -> None:
    lines = run(cli, "functions", fixtures / SAMPLE, "--limit", "2").stdout.splitlines()
    assert "by self, whole" in lines[0]
    assert lines[1].split() == ["handle", "self", "self", "%", "total", "total", "%", "samples", "function"]
    assert "find_discount" in lines[2]
    assert lines[-1].startswith("… ")
    assert "p99" in run(cli, "functions", fixtures / EVENTED).stdout


def test_all_profiles_and_only_my_code_can_be_asked_for(cli: click.Group, fixtures: Path) -> None:
    one, every = (
        said(cli, "functions", fixtures / SAMPLE),
        said(cli, "functions", fixtures / SAMPLE, "--profile", "all"),
    )
    assert (every["profile"], every["whole"] > one["whole"]) == ("all", True)
    mine = said(cli, "functions", fixtures / SAMPLE, "--my-code")
    assert 0 < mine["total_rows"] < one["total_rows"]
    assert mine["whole"] == one["whole"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["find", "{trace}", "discount"],
        ["tree", "{trace}", "--my-code", "--max-nodes", "9"],
        ["tree", "{trace}", "--inverted", "--root", "find_discount"],
        ["callers", "{trace}", "find_discount"],
        ["windows", "{trace}", "--frame", "find_discount"],
        ["spans", "{trace}", "--filter", "discount"],
    ],
)
def test_every_question_answers_people_and_programs(cli: click.Group, fixtures: Path, arguments: list[str]) -> None:
    filled = [part.format(trace=fixtures / SAMPLE) for part in arguments]
    assert "find_discount" in run(cli, *filled).stdout
    assert "find_discount" in json.dumps(said(cli, *filled))


EVERY_QUESTION = [
    ["summary", "{trace}"],
    ["functions", "{trace}"],
    ["find", "{trace}", "e"],
    ["tree", "{trace}"],
    ["callers", "{trace}", "subsequenceScore"],
    ["windows", "{trace}"],
    ["spans", "{trace}"],
    ["compare", "{trace}", "{trace}"],
    ["compare", "--before", "{trace}", "--before", "{trace}", "--after", "{trace}"],
]


@pytest.mark.parametrize("arguments", EVERY_QUESTION, ids=lambda arguments: " ".join(arguments[:2]))
def test_every_question_takes_a_window_all_profiles_and_filters(
    cli: click.Group, fixtures: Path, arguments: list[str]
) -> None:
    asked = [part.format(trace=fixtures / "board.chrome-object.json.gz") for part in arguments]
    of_all = said(cli, *asked, "--profile", "all")
    without = ["--hide", "*Score*" if asked[0] in {"functions", "find", "tree", "callers"} else "Score"]
    scopes = [["--start-ms", "100", "--end-ms", "200"], without, ["--only", "Score"], ["--my-code"]]
    parts = [said(cli, *asked, "--profile", "all", *scope) for scope in scopes]
    changed = [part.get("asked", part) != of_all.get("asked", of_all) for part in parts]
    others = asked[0] != "callers"  # of this one are no libraries, and their names have this
    assert changed == [True, True, others, others]


def test_the_summary_as_json_has_the_ten_heaviest_of_each_profile(cli: click.Group, fixtures: Path) -> None:
    summary = said(cli, "summary", fixtures / SAMPLE)
    assert {"format", "unit", "profiles", "warnings", "frame_count"} <= set(summary)
    for profile in summary["profiles"]:
        assert {"kind", "unit", "total", "sample_count", "span_count"} <= set(profile)
        for key in ("self", "total"):
            rows = profile[f"heaviest_by_{key}"]
            assert 0 < len(rows) <= 10
            assert rows[0][f"{key}_value"] == max(row[f"{key}_value"] for row in rows)


def test_a_trace_does_not_differ_from_itself(cli: click.Group, fixtures: Path) -> None:
    compared = said(cli, "compare", fixtures / SAMPLE, fixtures / SAMPLE)
    assert {row["status"] for row in compared["rows"]} == {"same"}
    assert "self change" in run(cli, "compare", fixtures / SAMPLE, fixtures / SAMPLE, "--absolute").stdout


@pytest.mark.parametrize("target", ["speedscope", "chrome", "collapsed", "pprof"])
def test_a_converted_file_reads_as_its_format(cli: click.Group, fixtures: Path, tmp_path: Path, target: str) -> None:
    out = tmp_path / f"out.{target}.gz"
    result = run(cli, "convert", fixtures / SAMPLE, "--to", target, "-o", out)
    assert f"{out}: {target}" in result.stderr
    assert out.read_bytes()[:2] == b"\x1f\x8b"
    assert read_trace(out.read_bytes(), name=out.name).format == target
    to_stdout = run(cli, "convert", fixtures / SAMPLE, "--to", target, "-o", "-", "--profile", "0").stdout_bytes
    assert len(read_trace(to_stdout, name=f"out.{target}").profiles) == 1


def test_what_a_format_cannot_hold_is_said_on_stderr(cli: click.Group, fixtures: Path) -> None:
    result = run(cli, "convert", fixtures / SAMPLE, "--to", "collapsed", "-o", "-")
    assert "note: weights are nanoseconds" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["functions", "{trace}", "--profile", "p99"],
        ["functions", "{trace}", "--value", "no such value"],
        ["functions", "{trace}", "--only", "no such function anywhere"],
        ["find", "{trace}", "(", "--regex"],
        ["tree", "{trace}", "--root", "n99999999"],
        ["callers", "{trace}", "no such function"],
        ["windows", "{trace}", "--length-ms", "0.0000001"],
        ["convert", "{memory}", "--to", "chrome", "-o", "{out}"],
        ["convert", "{trace}", "--to", "word", "-o", "{out}"],
        ["compare", "{trace}", "{memory}"],
    ],
)
def test_a_question_that_makes_no_sense_ends_with_exit_code_2(
    cli: click.Group, fixtures: Path, tmp_path: Path, arguments: list[str]
) -> None:
    places = {
        "trace": fixtures / SAMPLE,
        "memory": fixtures / "settlement.go-heap.pb.gz",
        "out": tmp_path / "out",
    }
    result = run(cli, *[part.format(**places) for part in arguments], code=2)
    assert result.stderr
    assert not (tmp_path / "out").exists()


def test_a_bad_file_ends_every_question_with_exit_code_1(cli: click.Group, tmp_path: Path) -> None:
    bad = tmp_path / "notes.txt"
    bad.write_bytes(gzip.compress(b"lorem ipsum dolor " * 400))
    for command in (["functions"], ["tree"], ["spans"], ["convert", "--to", "pprof", "-o", "-"]):
        result = run(cli, command[0], bad, *command[1:], code=1)
        assert result.stderr.startswith("flamechat: notes.txt")


def test_callers_of_what_only_another_thread_runs_are_those_there(cli: click.Group, fixtures: Path) -> None:
    found = run(cli, "callers", fixtures / SAMPLE, "compress")
    assert "it does not run in p3: this is p2" in found.stderr
    assert "f73 compress" in found.stdout
    assert "260 ms  100.0%  compress" in found.stdout
    named = run(cli, "callers", fixtures / SAMPLE, "compress", "--profile", "p3")
    assert "does not run" not in named.stderr
    assert "No callers." in named.stdout


def test_callers_say_how_often_where_the_file_does_and_whether_they_are_exact(cli: click.Group, fixtures: Path) -> None:
    trace = fixtures / "redact-documents.cprofile.prof"
    exact = run(cli, "callers", trace, "luhn_sum").stdout
    assert "is exact: the file has it" in exact
    assert re.search(r"f57 +303 ms +100\.0% +7,279 +looks_like_card", exact)
    estimated = run(cli, "callers", trace, "luhn_sum", "--my-code").stdout
    assert "is estimated: the file has no call paths" in estimated
    assert "7,279  looks_like_card" not in estimated
    recursive = run(cli, "callers", trace, "_parse_sub").stdout
    assert "It is recursive: it calls itself through others." in recursive
    stacks = run(cli, "callers", fixtures / SAMPLE, "find_discount").stdout
    assert "is exact" not in stacks
    assert "estimated" not in stacks
    found = said(cli, "callers", trace, "luhn_sum")
    assert (found["basis"], found["callers"][0]["calls"]) == ("recorded", 7_279)


def test_profiles_that_measure_something_else_are_left_out_with_a_note(cli: click.Group, tmp_path: Path) -> None:
    def profile(unit: str, weight: int) -> dict[str, Any]:
        ends = {"startValue": 0, "endValue": weight}
        return {"type": "sampled", "name": unit, "unit": unit, **ends, "samples": [[0, 1]], "weights": [weight]}

    path = tmp_path / "two.speedscope.json"
    profiles = [profile("milliseconds", 5), profile("milliseconds", 7), profile("bytes", 9)]
    path.write_text(
        json.dumps(
            {
                "$schema": "https://www.speedscope.app/file-format-schema.json",
                "shared": {"frames": [{"name": "main"}, {"name": "read"}]},
                "profiles": profiles,
            }
        )
    )
    together = run(cli, "functions", path, "--profile", "all")
    assert "note: 1 profiles that measure something else are left out" in together.stderr
    assert "12.0 ms" in together.stdout
    assert "left out" not in run(cli, "functions", path, "--profile", "p0").stderr
