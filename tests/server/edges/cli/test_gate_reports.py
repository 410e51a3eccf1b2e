"""A gate's report as Markdown, SARIF and GitHub's commands, and what hostile names of functions may do in each."""

import json
import re
import shlex
import unicodedata
from pathlib import Path
from typing import Any

import click
import jsonschema  # type: ignore[import-untyped]
import pytest

from server.edges.cli.gate_markdown import MARKER, code
from tests.hostile.names import MARK, NAMES
from tests.server.edges.cli.test_gate import RULES, cli, gate, runs, write

__all__ = ["cli"]

INVISIBLE = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
SHORT = {key: name for key, name in NAMES.items() if len(name) < 1000}
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"enum": ["2.1.0"]},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "rules"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {"required": ["id"], "properties": {"shortDescription": TEXT}},
                                    }
                                },
                            }
                        },
                    },
                    "invocations": {"type": "array", "items": {"required": ["executionSuccessful"]}},
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message", "ruleId", "ruleIndex", "level", "locations"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": TEXT,
                                "locations": {"type": "array", "minItems": 1},
                                "partialFingerprints": {"additionalProperties": {"type": "string"}},
                                "properties": {"type": "object"},
                            },
                        },
                    },
                },
            },
        },
    },
}
"""What SARIF 2.1.0 (OASIS, 3.13 to 3.27) asks of the objects that a gate writes, and no other property."""


@pytest.fixture
def pair(tmp_path: Path) -> tuple[list[Path], list[Path]]:
    return runs(tmp_path / "before", 1000, 5), runs(tmp_path / "slower", 1300, 5)


def test_a_comment_says_how_it_ended_what_changed_and_how_to_see_it_again(
    cli: click.Group, pair: tuple[list[Path], list[Path]]
) -> None:
    before, slower = pair
    text = gate(cli, *slower, "--before", *before, *RULES, "--my-code", "--format", "markdown", code=1).stdout
    lines = text.splitlines()
    assert lines[0] == MARKER
    assert lines[1] == "### ❌ Performance gate: broken: 2 of 3 rules; 5 runs before, 5 after"
    assert "| ❌ | `self(parse) +5%` | 1.00 s → 1.30 s, +30.0% [" in text
    assert "| `parse` `app.js` | 50.0% → 56.5% | 1.00 s → 1.30 s | +6.5 points |" in text
    assert "the exact rank test" in text
    assert "each at 0.025 (0.05 over 2 rules of growth)" in text
    command = shlex.split(next(line for line in lines if line.startswith("flamechat gate")))
    assert "--my-code" in command
    again = gate(cli, *command[2:], "--format", "markdown", code=1).stdout
    assert again == text


def test_a_comment_on_too_few_runs_says_that_nothing_was_tested(
    cli: click.Group, pair: tuple[list[Path], list[Path]]
) -> None:
    before, slower = pair
    text = gate(cli, slower[0], "--before", before[0], *RULES, "--format", "markdown", code=3).stdout
    assert "❔" in text
    assert "`needs 5 runs before, there is one`" in text
    assert "How sure: nothing was tested." in text


def test_sarif_has_a_result_for_each_rule_that_is_not_kept(
    cli: click.Group, pair: tuple[list[Path], list[Path]]
) -> None:
    before, slower = pair
    log = json.loads(gate(cli, *slower, "--before", *before, *RULES, "--format", "sarif", code=1).stdout)
    jsonschema.validate(log, SARIF)
    run = log["runs"][0]
    assert [(one["ruleId"], one["level"]) for one in run["results"]] == [("self_share", "error"), ("self", "error")]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["self_share", "self", "new-hot-function"]
    assert all(run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"])
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]
    assert "\\[" in run["results"][0]["message"]["text"]
    few = json.loads(gate(cli, slower[0], "--before", before[0], *RULES, "--format", "sarif", code=3).stdout)
    jsonschema.validate(few, SARIF)
    assert {one["level"] for one in few["runs"][0]["results"]} == {"warning"}
    kept = json.loads(gate(cli, *before, "--before", *before, *RULES, "--format", "sarif", code=0).stdout)
    assert kept["runs"][0]["results"] == []


def test_github_gets_a_command_for_each_rule(cli: click.Group, pair: tuple[list[Path], list[Path]]) -> None:
    before, slower = pair
    lines = gate(cli, *slower, "--before", *before, *RULES, "--format", "github", code=1).stdout.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::notice", "::error", "::error", "::notice"]
    assert lines[2].startswith("::error title=self(parse) +5%25::broken: self(parse) +5%25: 1.00 s → 1.30 s")


@pytest.mark.parametrize("key", SHORT)
def test_no_name_leaves_its_code(key: str) -> None:
    shown = code(SHORT[key], 4000)
    assert not [one for one in shown if unicodedata.category(one) in INVISIBLE]
    assert "\n" not in shown
    if shown.startswith("`"):
        assert not set("`|\\") & set(shown[1:-1])
        return
    inside = shown.removeprefix("<code>").removesuffix("</code>")
    assert not re.search(r"[<>|`*_\[\]@!:\\]", inside)
    assert len(re.findall("&", inside)) == len(re.findall(r"&#\d+;", inside))


def hostile(folder: Path, grown: int) -> list[Path]:
    folder.mkdir()
    names = sorted(SHORT.values(), key=SHORT["markdown_table"].__ne__)
    return [write(folder / f"{place}.json", grown + place, names=names) for place in range(5)]


@pytest.mark.long
@pytest.mark.parametrize("form", ["text", "json", "markdown", "sarif", "github"])
def test_hostile_names_are_quoted_in_every_format(cli: click.Group, tmp_path: Path, form: str) -> None:
    before, after = hostile(tmp_path / "before", 1000), hostile(tmp_path / "after", 400_000)
    name = SHORT["markdown_table"]
    rules: list[Any] = ["--rule", f"self_share({name}) +5%", "--rule", f"self({SHORT['backticks']}) +5%"]
    rules += ["--rule", f"self({SHORT['crlf_header']}) +5%", "--rule", "new hot function 2%", "--rule", "total +5%"]
    text = gate(cli, *after, "--before", *before, *rules, "--format", form, code=1).stdout
    assert MARK in text
    assert not [one for one in text if one != "\n" and unicodedata.category(one) in INVISIBLE]
    lines = text.splitlines()
    if form in ("json", "sarif"):
        log = json.loads(text)
        if form == "sarif":
            jsonschema.validate(log, SARIF)
    if form == "github":
        assert all(re.match(r"::(?:notice|warning|error) title=[^:,]*::", line) for line in lines)
        assert len(lines) == 1 + 5
    if form == "markdown":
        table = [line for line in lines if line.startswith("|")]
        assert {line.count("|") for line in table} == {5}
        without_code = re.sub(r"`[^`]*`|<code>[^<]*</code>", "", text[: text.index("<details>")])
        assert MARK not in without_code.replace(MARKER, "")
    if form == "text":
        assert not [line for line in lines if line.lstrip().startswith(("::", "##["))]


def test_paths_that_begin_with_a_dash_are_no_options_in_the_command(
    cli: click.Group, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "-x.json", 1000)
    text = gate(
        cli, "--rule", "total +3%", "--before", "./-x.json", "--format", "markdown", "--", "-x.json", code=3
    ).stdout
    assert "flamechat gate ./-x.json --before ./-x.json" in text


def test_the_diff_is_drawn_into_a_file_that_the_comment_shows(cli: click.Group, tmp_path: Path) -> None:
    before, after = runs(tmp_path / "before", 300, 5), runs(tmp_path / "after", 450, 5)
    drawn = tmp_path / "what changed).png"
    result = gate(cli, *after, "--before", *before, *RULES, "--diff", drawn, "--format", "markdown", code=1)
    assert drawn.read_bytes()[:4] == b"\x89PNG"
    assert f"![What changed, as a flame graph](<{tmp_path}/what%20changed).png>)" in result.stdout
    as_json = json.loads(gate(cli, *after, "--before", *before, *RULES, "--diff", drawn, "--json", code=1).stdout)
    assert as_json["picture"] == str(drawn)
    for wrong in (tmp_path / "x.txt", tmp_path / "none" / "x.png"):
        gate(cli, *after, "--before", *before, *RULES, "--diff", wrong, code=2)
