"""The jobs of docs/ci.md and action.yml: their scripts are run, with recordings that are known to be slower."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.server.edges.cli.test_gate import write

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(
    r"^```yaml\n(.*?)^```$", (ROOT / "docs" / "ci.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)
GITHUB, GITLAB = (yaml.safe_load(block) for block in BLOCKS)
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
RECORD = """#!/usr/bin/env bash
number=$(basename "$1" .json)
cp "../recorded/$(cat speed)/$number.json" "$1"
"""
GH = """#!/usr/bin/env bash
printf '%s\\n' "$*" >> ../gh.log
case "$*" in *--paginate*) cat ../comments ;; esac
"""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """The folder of a job, with a program that is recorded (`speed` says how fast it is), flamechat and gh."""
    for speed, parse in (("same", 1000), ("slower", 1300)):
        (tmp_path / "recorded" / speed).mkdir(parents=True)
        for number in range(1, 6):
            write(tmp_path / "recorded" / speed / f"{number}.json", parse + number)
    tools, folder = tmp_path / "bin", tmp_path / "job"
    tools.mkdir()
    folder.mkdir()
    flamechat = f'#!/bin/sh\nexec {sys.executable} -c "from server.app import main; main()" "$@"\n'
    for path, text in ((tools / "flamechat", flamechat), (tools / "gh", GH), (folder / "record.sh", RECORD)):
        path.write_text(text)
        path.chmod(0o755)
    (tmp_path / "comments").write_text("")
    (folder / "speed").write_text("same")
    return folder


def run(job: Path, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A step as runners run it: bash that ends at the first command that fails."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("FLAMECHAT_", "GITHUB_"))}
    path = f"{job.parent / 'bin'}{os.pathsep}{known['PATH']}"
    environment = known | {"PATH": path, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], cwd=job, env=environment, capture_output=True, text=True, timeout=200
    )


def steps(name: str) -> dict[str, dict[str, Any]]:
    return {step.get("name", step.get("id", step.get("uses"))): step for step in GITHUB["jobs"][name]["steps"]}


def action(job: Path, given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """The action's own step, with its inputs filled in as GitHub does."""
    inputs = {name: given.get(name, spec.get("default", "")) for name, spec in ACTION["inputs"].items()}
    assert set(given) <= set(inputs)
    step = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "gate")
    filled = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], value)
        for name, value in step["env"].items()
    }
    files = {"GITHUB_OUTPUT": str(job / "output"), "GITHUB_STEP_SUMMARY": str(job / "summary")}
    return run(job, step["run"], GITHUB_ACTION_PATH=str(ROOT), **filled, **files)


def test_githubs_jobs_record_judge_and_comment(job: Path) -> None:
    assert run(job, steps("baseline")["Record"]["run"]).returncode == 0
    (job / "speed").write_text("slower")
    assert run(job, steps("gate")["Record"]["run"]).returncode == 0
    assert len(list((job / "after").iterdir())) == len(list((job / "baseline").iterdir())) == 5
    ended = action(job, steps("gate")["gate"]["with"])
    assert ended.returncode == 1, ended.stderr
    assert "::error title=self_share(parse) +5%25::broken: " in ended.stdout
    assert (job / "output").read_text() == "outcome=broken\nreport=gate.md\n"
    report = (job / "gate.md").read_text()
    assert report.startswith(
        "<!-- flamechat-gate -->\n### ❌ Performance gate: broken: 1 of 2 rules; 5 runs before, 5 after"
    )
    assert (job / "summary").read_text() == report

    variables = {"GITHUB_REPOSITORY": "owner/name", "PULL": "7", "GH_TOKEN": "x"}
    comment = steps("gate")["Comment"]["run"]
    assert run(job, comment, **variables).returncode == 0
    (job.parent / "comments").write_text("1234\n5678\n")
    assert run(job, comment, **variables).returncode == 0
    asked = (job.parent / "gh.log").read_text()
    assert "api --method POST repos/owner/name/issues/7/comments --field body=@gate.md" in asked
    assert "api --method PATCH repos/owner/name/issues/comments/1234 --field body=@gate.md" in asked


def test_the_action_passes_text_that_would_be_a_command_as_text(job: Path) -> None:
    shutil.copytree(job.parent / "recorded" / "same", job / "baseline")
    rules = "self_share($(touch owned)) +5%\n\n`touch owned`\n"
    assert action(job, {"after": "baseline/1.json", "before": "baseline", "rules": rules}).returncode == 2
    assert (job / "output").read_text() == "outcome=misused\nreport=gate.md\n"
    assert not (job / "owned").exists()
    assert action(job, {"after": ""}).returncode == 2
    options = {"rules": "total +3%", "options": "--single-run 1%", "report-only": "true"}
    slower = str(job.parent / "recorded" / "slower" / "1.json")
    ended = action(job, {"after": slower, "before": "baseline/1.json", **options})
    assert ended.returncode == 0, ended.stderr
    assert (job / "output").read_text().endswith("outcome=broken\nreport=gate.md\n")


@pytest.mark.parametrize(("speed", "code", "ended"), [("slower", 1, "broken"), ("same", 0, "held")])
def test_gitlabs_jobs_record_and_judge(job: Path, speed: str, code: int, ended: str) -> None:
    assert run(job, "\n".join(GITLAB["baseline"]["script"])).returncode == 0
    (job / "speed").write_text(speed)
    result = run(job, "\n".join(GITLAB["gate"]["script"]))
    assert result.returncode == code, result.stderr
    assert f"Performance gate: {ended}: " in result.stdout
    assert GITLAB["gate"]["allow_failure"] == {"exit_codes": 3}


def test_the_settings_of_the_page_are_those_that_the_command_reads(job: Path) -> None:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    block = re.search(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert block is not None
    settings = block[1].replace("matchTrades", "parse").replace("*.cpuprofile", "*.json")
    (job / "flamechat.toml").write_text(settings)
    shutil.copytree(job.parent / "recorded" / "same", job / "baseline")
    slower = job.parent / "recorded" / "slower" / "1.json"
    result = run(job, f"flamechat gate {slower} --format json")
    assert json.loads(result.stdout)["outcome"] == "broken"
    assert len(json.loads(result.stdout)["before"]) == 5
