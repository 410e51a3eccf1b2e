"""`flamechat gate`: its exit codes, its settings, and what it prints."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from server.agent.turn import Pictures
from server.edges.cli.command_values import Analysis, AnalyzeOptions, ServeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli

NOISE = (0, 3, -2, 1, -3, 2, -1, 4, -4, 5)
MS = 1_000
"""Weights are milliseconds; a run has one sample a function, so that only exact values are compared."""


def no_server(options: ServeOptions) -> int:
    raise AssertionError("a gate of files starts no server")


def no_model(options: AnalyzeOptions, pictures: Pictures) -> Analysis:
    raise AssertionError("a gate asks no model")


@pytest.fixture
def cli() -> click.Group:
    return build_cli(CliEntryPoints(serve=no_server, analysis=no_model))


def write(path: Path, parse: int, *, names: Sequence[str] = ("parse", "draw"), unit: str = "milliseconds") -> Path:
    """A run in which calls of the first function take `parse`, of the others 1,000."""
    frames = [{"name": "main", "file": "/srv/app.js"}, *({"name": name, "file": "/srv/app.js"} for name in names)]
    events: list[dict[str, Any]] = [{"type": "O", "frame": 0, "at": 0}]
    at = 0
    for frame in range(1, len(frames)):
        events.append({"type": "O", "frame": frame, "at": at})
        at += parse if frame == 1 else MS
        events.append({"type": "C", "frame": frame, "at": at})
    events.append({"type": "C", "frame": 0, "at": at})
    profile = {"type": "evented", "name": "t", "unit": unit, "startValue": 0, "endValue": at, "events": events}
    document = {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": frames}}
    path.write_text(json.dumps(document | {"profiles": [profile], "name": path.name}), encoding="utf-8")
    return path


def runs(folder: Path, parse: int, many: int) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    return [write(folder / f"{place}.json", parse + NOISE[place]) for place in range(many)]


def gate(cli: click.Group, *arguments: str | Path, code: int) -> Result:
    result = CliRunner().invoke(cli, ["gate", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


RULES = ("--rule", "self_share(parse) +5%", "--rule", "self(parse) +5%", "--rule", "new hot function 2%")


def test_kept_broken_misused_and_not_decidable_each_have_their_exit_code(cli: click.Group, tmp_path: Path) -> None:
    before, same = runs(tmp_path / "before", 1000, 5), runs(tmp_path / "same", 1001, 5)
    slower = runs(tmp_path / "slower", 1300, 5)
    assert "held: 3 rules; 5 runs before, 5 after" in gate(cli, *same, "--before", *before, *RULES, code=0).stdout
    broken = gate(cli, *slower, "--before", *before, *RULES, code=1).stdout.splitlines()
    assert broken[0] == "broken: 2 of 3 rules; 5 runs before, 5 after"
    assert broken[1].startswith(
        "broken         self_share(parse) +5%: 50.0% → 56.5%, +13.0% [+12.9%, +13.3%], p 0.0079 (0.004 of growth),"
    )
    assert broken[3] == "held           new hot function 2%: none"
    assert any("50.0% → 56.5%  parse  app.js" in line for line in broken)
    few = gate(cli, slower[0], "--before", before[0], *RULES, code=3).stdout
    assert "needs 5 runs before, there is one" in few
    assert "is no rule" in gate(cli, *same, "--before", *before, "--rule", "faster please", code=2).stderr


def test_one_new_run_is_judged_by_a_folder_of_earlier_ones(cli: click.Group, tmp_path: Path) -> None:
    before, new = runs(tmp_path / "before", 1000, 10), write(tmp_path / "new.json", 1200)
    text = gate(cli, new, "--before", tmp_path / "before", "--rule", "self(parse) +5%", code=1).stdout
    assert "1.00 s → 1.20 s, +19.9%" in text
    assert "standard deviations" in text
    gate(cli, before[0], "--before", tmp_path / "before", "--rule", "self(parse) +5%", code=0)


def test_a_report_only_gate_never_ends_with_one(cli: click.Group, tmp_path: Path) -> None:
    before, new = runs(tmp_path / "before", 1000, 5), write(tmp_path / "new.json", 2000)
    rule = ("--rule", "self(parse) +5%", "--report-only")
    assert gate(cli, new, "--before", *before, *rule, code=0).stdout.startswith("broken: 1 of 1 rule;")
    gate(cli, new, "--before", before[0], *rule, code=3)


def test_a_single_run_breaks_only_where_that_is_asked_for(cli: click.Group, tmp_path: Path) -> None:
    old, new = write(tmp_path / "old.json", 1000), write(tmp_path / "new.json", 2000)
    gate(cli, new, "--before", old, "--rule", "self(parse) +5%", code=3)
    gate(cli, new, "--before", old, "--rule", "self(parse) +5%", "--single-run", "25%", code=1)
    gate(cli, new, "--before", old, "--rule", "self(parse) +5%", "--single-run", "125%", code=0)
    gate(cli, new, "--before", old, "--rule", "self(parse) +5%", "--single-run", "much", code=2)


def test_json_has_every_figure(cli: click.Group, tmp_path: Path) -> None:
    before, slower = runs(tmp_path / "before", 1000, 5), runs(tmp_path / "slower", 1300, 5)
    for form in (["--format", "json"], ["--json"]):
        found = json.loads(gate(cli, *slower, "--before", *before, *RULES, *form, code=1).stdout)
        assert (found["outcome"], found["exit_code"], found["unit"]) == ("broken", 1, "nanoseconds")
        growth = found["rules"][1]["growth"]
        assert growth["growth"] == pytest.approx(0.3, abs=0.001)
        assert growth["low"] < growth["growth"] < growth["high"]
        assert (growth["method"], growth["effect"], len(growth["before"])) == ("ranks", 1.0, 5)
        assert found["level"] == 0.025
        assert {row["name"] for row in found["changed"]} == {"parse", "draw"}


def test_rules_and_baseline_lie_in_the_repository(
    cli: click.Group, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs(tmp_path / "baseline", 1000, 5)
    new = write(tmp_path / "new.json", 1200)
    settings = tmp_path / "flamechat.toml"
    settings.write_text('[gate]\nrules = ["self(parse) +5%"]\nbefore = ["baseline/*.json"]\nsingle_run = "25%"\n')
    monkeypatch.chdir(tmp_path)
    gate(cli, new, code=1)
    gate(cli, new, "--rule", "self(parse) +90%", code=0)
    monkeypatch.chdir(tmp_path / "baseline")
    gate(cli, new, "--config", settings, code=1)
    assert "a gate needs a rule" in gate(cli, new, code=2).stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[gate]\nrule = []", "[gate] has no rule; it has baseline, before, labels, last, rules, server, single_run"),
        ("gate = 3", "gate is a table"),
        ('[gate]\nrules = "total +3%"', "rules is a list of texts"),
        ("[gate]\nsingle_run = 25", "single_run is a text"),
        ('[gate]\nrules = ["total +3%"]\nbefore = ["none/*.json"]', "no file matches none/*.json"),
        ('[gate]\nrules = ["total +3%"]\nbefore = ["/etc/*"]', "is no pattern of files in its folder"),
        ("[gate", "flamechat.toml: "),
        ("\x00", "flamechat.toml: "),
    ],
)
def test_settings_that_make_no_sense_are_refused(cli: click.Group, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "flamechat.toml").write_text(text)
    new = write(tmp_path / "new.json", 1200)
    assert said in gate(cli, new, "--config", tmp_path / "flamechat.toml", code=2).stderr


def test_what_cannot_be_read_is_misuse_and_never_a_broken_rule(cli: click.Group, tmp_path: Path) -> None:
    good, damaged = write(tmp_path / "good.json", 1000), tmp_path / "damaged.json"
    damaged.write_text('{"nodes": [')
    (tmp_path / "empty").mkdir()
    rule = ("--rule", "total +3%")
    gate(cli, damaged, "--before", good, *rule, code=2)
    gate(cli, tmp_path / "missing.json", "--before", good, *rule, code=2)
    assert "a folder without runs" in gate(cli, good, "--before", tmp_path / "empty", *rule, code=2).stderr
    assert "needs runs before" in gate(cli, good, *rule, code=2).stderr
    assert "needs runs before" in gate(cli, "--before", good, *rule, code=2).stderr
    gate(cli, good, "--before", code=2)
    assert "no finding nonsense" in gate(cli, good, "--before", good, "--rule", "finding nonsense", code=2).stderr
    assert "no finding regressions" in gate(cli, good, "--before", good, "--rule", "finding regressions", code=2).stderr
    assert "The nearest: parse" in gate(cli, good, "--before", good, "--rule", "self(parsee) +5%", code=2).stderr
    gate(cli, good, "--before", good, "--rule", "total +3%", "--config", tmp_path / "none.toml", code=2)


def test_files_follow_before_until_the_next_option(cli: click.Group, tmp_path: Path) -> None:
    before, new = runs(tmp_path / "before", 1000, 5), write(tmp_path / "new.json", 1200)
    orders: list[list[str | Path]] = [
        [new, "--before", *before, "--rule", "self(parse) +5%", "--json"],
        ["--rule", "self(parse) +5%", "--before", *before, "--json", new],
        ["--before", *before, "--rule", "self(parse) +5%", "--json", "--", new],
        [new, "--before", before[0], "--before", *before[1:], "--json", "--rule", "self(parse) +5%"],
    ]
    for order in orders:
        found = json.loads(gate(cli, *order, code=1).stdout)
        assert (found["before"], found["after"]) == ([str(path) for path in before], [str(new)])


def test_other_programs_units_and_findings_end_as_they_should(cli: click.Group, tmp_path: Path, fixtures: Path) -> None:
    wall, profile = fixtures / "search-index.node-wall.pb.gz", fixtures / "search-index.cpuprofile.gz"
    other = fixtures / "settlement.go-cpu.pb.gz"
    text = gate(cli, other, "--before", profile, "--rule", "total +3%", code=3).stdout
    assert "not of one program: only 0.0% of their functions are in both" in text
    found = gate(cli, wall, "--before", profile, "--rule", "total_share(addArticle) +5%", code=3).stdout
    assert "81.3% → 78.9%" in found
    bytes_run = write(tmp_path / "bytes.json", 1000, unit="bytes")
    time_run = write(tmp_path / "time.json", 1000)
    assert "other unit" in gate(cli, bytes_run, "--before", time_run, "--rule", "total +3%", code=3).stdout
    kept = gate(cli, profile, "--before", profile, "--rule", "finding hot-function", code=0).stdout
    assert "not new: in 1 of 1 runs before" in kept
