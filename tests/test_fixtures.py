"""The recorded traces: their origin is written down, they name no machine, they say what their profiler said."""

import gzip
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from server.app import main
from traces import invariants
from traces.analysis.functions import FunctionRow, top_functions
from traces.analysis.time_invariants import check_time
from traces.model import Trace
from traces.reader import read_trace

FIXTURES = Path(__file__).parent.parent / "fixtures"
MAX_FIXTURE_BYTES = 2_000_000
MAX_SAMPLE_BYTES = 1_000_000
SHARE_TOLERANCE = 0.01
"""A report rounds to a tenth of a percent, and perf's times weigh its samples a little differently than their count."""
MACHINE_PATH = re.compile(rb"(?<![A-Za-z0-9_.])/(?:work|root|home|tmp|Users)/|pyenv")
NOT_TRACES = {"PROVENANCE.md", "truth.json"}


@dataclass(frozen=True, slots=True)
class Truth:
    """What the profiler's own report says dominates. `profile` is part of a profile's name, None the default one."""

    file: str
    format: str
    function: str
    measure: str
    share: float
    profile: str | None


TRUTHS = tuple(Truth(**row) for row in json.loads((FIXTURES / "truth.json").read_text(encoding="utf-8")))


def recorded_files() -> list[str]:
    files = (p.relative_to(FIXTURES) for p in FIXTURES.rglob("*") if p.is_file())
    return sorted(str(p) for p in files if p.parts[0] != "programs" and p.name not in NOT_TRACES)


def content(file: str) -> bytes:
    data = (FIXTURES / file).read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def read(truth: Truth) -> Trace:
    return read_trace((FIXTURES / truth.file).read_bytes(), name=Path(truth.file).name)


def is_called(row_name: str, function: str) -> bool:
    """Some recorders write the place behind the name: `luhn_sum (/app/redact_documents.py:17)`."""
    return row_name == function or row_name.startswith(f"{function} (")


def hottest(trace: Trace, truth: Truth) -> FunctionRow:
    named = [profile.index for profile in trace.profiles if truth.profile is not None and truth.profile in profile.name]
    measure: Any = truth.measure
    return top_functions(trace, profile=named[0] if named else None, sort_by=measure, limit=1).rows[0]


def test_every_recorded_file_has_a_truth_and_every_truth_a_file() -> None:
    assert sorted(truth.file for truth in TRUTHS) == recorded_files()


def test_every_recorded_file_says_where_it_comes_from() -> None:
    provenance = (FIXTURES / "PROVENANCE.md").read_text(encoding="utf-8")
    assert [file for file in recorded_files() if f"`{file}`" not in provenance] == []


def test_a_new_installation_opens_exactly_one_small_sample() -> None:
    samples = list((FIXTURES / "sample").iterdir())
    assert len(samples) == 1
    assert samples[0].stat().st_size < MAX_SAMPLE_BYTES


@pytest.mark.parametrize("file", recorded_files())
def test_a_recorded_file_is_small_and_names_no_machine(file: str) -> None:
    assert (FIXTURES / file).stat().st_size < MAX_FIXTURE_BYTES
    assert MACHINE_PATH.findall(content(file)) == []


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.file)
def test_the_top_function_is_the_one_that_the_profiler_reports(truth: Truth) -> None:
    trace = read(truth)
    invariants.check(trace)
    check_time(trace)
    row = hottest(trace, truth)
    assert trace.format == truth.format
    assert is_called(row.name, truth.function)
    share = row.self_share if truth.measure == "self" else row.total_share
    assert share == pytest.approx(truth.share, abs=SHARE_TOLERANCE)


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.file)
def test_the_answer_begins_with_the_function_that_dominates(
    truth: Truth, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["flamechat", "analyze", str(FIXTURES / truth.file)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in {0, None}
    first_paragraph = capsys.readouterr().out.strip().split("\n\n")[0]
    assert truth.function in first_paragraph
