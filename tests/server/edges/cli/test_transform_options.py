"""Transforms as options: in the order given, in words, and refused with a sentence."""

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from server.agent.turn import Pictures
from server.edges.cli.command_values import Analysis, AnalyzeOptions, ServeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli

SAMPLE = "redact-documents.viztracer.json.gz"


def no_server(options: ServeOptions) -> int:
    raise AssertionError("no question starts a server")


def no_model(options: AnalyzeOptions, pictures: Pictures) -> Analysis:
    raise AssertionError("no question asks a model")


@pytest.fixture
def cli() -> click.Group:
    return build_cli(CliEntryPoints(serve=no_server, analysis=no_model))


@pytest.fixture
def trace(fixtures: Path) -> Path:
    return fixtures / SAMPLE


def said(cli: click.Group, *arguments: object) -> Any:
    result = CliRunner().invoke(cli, [*map(str, arguments), "--json"])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_hiding_leaves_samples_out_and_merging_does_not(cli: click.Group, trace: Path) -> None:
    recorded = said(cli, "functions", trace)
    luhn = next(row for row in recorded["rows"] if row["name"] == "luhn_sum")
    hidden, merged = (said(cli, "functions", trace, option, luhn["handle"]) for option in ("--hide", "--merge"))
    assert hidden["whole"] == recorded["whole"] - luhn["total_value"]
    assert merged["whole"] == recorded["whole"]
    for table in (hidden, merged):
        assert "luhn_sum" not in {row["name"] for row in table["rows"]}
    assert hidden["transforms"]["left"] == hidden["whole"]
    assert hidden["transforms"]["of"] == recorded["whole"]
    assert hidden["transforms"]["items"] == [{"text": f"drop-function:{luhn['handle']}", "words": "hide luhn_sum"}]


def test_options_are_done_in_their_order(cli: click.Group, trace: Path) -> None:
    """Who focuses first hides only below; who hides first hides all of it."""
    first = said(cli, "tree", trace, "--focus", "luhn_sum", "--hide", "make_document")
    second = said(cli, "tree", trace, "--hide", "make_document", "--focus", "luhn_sum")
    listed = said(cli, "tree", trace, "--transforms", "focus:luhn_sum,hide:make_document")
    assert [one["transforms"]["text"] for one in (first, second)] == [
        "focus-function:luhn_sum,drop-function:make_document",
        "drop-function:make_document,focus-function:luhn_sum",
    ]
    assert first == listed


def test_inverting_a_tree_is_the_same_by_either_name(cli: click.Group, trace: Path) -> None:
    options = ("tree", trace, "--collapse-recursion", "--drop-library")
    one, other = said(cli, *options, "--invert"), said(cli, *options, "--inverted")
    assert one["nodes"] == other["nodes"]
    assert one["nodes"][0]["self_value"] == 0


def test_people_read_what_is_left(cli: click.Group, trace: Path) -> None:
    result = CliRunner().invoke(cli, ["functions", str(trace), "--filter-samples", "luhn"])
    assert result.stdout.startswith("only with luhn: 4.16 ms of 7.49 ms (55.6%) left\n")
    nothing = CliRunner().invoke(cli, ["tree", str(trace), "--hide", "f0", "--hide", "f1", "--hide", "*e*"])
    assert "nothing is left: leave the last transform out" in nothing.stdout
    assert nothing.exit_code == 0


@pytest.mark.parametrize("transforms", ["explode:f1", "drop-function:nobody", "invert", "focus:n99999999"])
def test_what_cannot_be_done_ends_with_exit_code_2(cli: click.Group, trace: Path, transforms: str) -> None:
    command = "functions" if transforms != "invert" else "callers"
    arguments = [command, str(trace), *(["luhn_sum"] if command == "callers" else []), "--transforms", transforms]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("flamechat: ")
    assert len(result.stderr.splitlines()) == 1


def test_callers_and_find_are_of_what_is_left(cli: click.Group, trace: Path) -> None:
    recorded, hidden = (
        said(cli, "callers", trace, "luhn_sum", *options) for options in ((), ("--merge", "looks_like_card"))
    )
    assert recorded["frame"]["total_value"] == hidden["frame"]["total_value"]
    assert {row["name"] for row in recorded["callers"]} != {row["name"] for row in hidden["callers"]}
    assert said(cli, "find", trace, "luhn", "--hide", "luhn_sum")["total_value"] == 0
