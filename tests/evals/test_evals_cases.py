"""The cases: enough of them, of many formats, each with its origin, none naming a machine, none soft."""

import gzip
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from evals.case import CASES, BadCase, Case, read_case, read_cases
from evals.dull import MANNERS, Dull, Manner
from evals.made import MAKERS, made
from evals.running import graded, trace_of
from traces.model import Trace

pytestmark = pytest.mark.long

MACHINE_PATH = re.compile(rb"(?<![A-Za-z0-9_.])/(?:work|root|home|tmp|Users)/|pyenv")
MAX_FILE_BYTES = 400_000
ALL = read_cases()


@cache
def trace(name: str) -> Trace:
    return trace_of(read_case(CASES / name))


def recorded() -> list[Case]:
    return [case for case in ALL if case.recorded is not None]


def test_there_are_enough_cases_of_enough_formats_and_of_every_kind() -> None:
    kinds = Counter(case.kind for case in ALL)
    assert len(ALL) >= 60
    assert all(kinds[kind] >= 20 for kind in ("planted", "known", "trap"))
    assert len({trace(case.name).format for case in ALL}) >= 8


@pytest.mark.parametrize("case", recorded(), ids=lambda case: case.name)
def test_a_recorded_file_is_small_names_no_machine_and_comes_with_its_program(case: Case) -> None:
    assert case.file is not None
    data = case.file.read_bytes()
    assert len(data) < MAX_FILE_BYTES
    assert MACHINE_PATH.findall(gzip.decompress(data)) == []
    programs = [path for path in case.folder.iterdir() if path.suffix in {".py", ".js", ".rb", ".go", ".java", ".c"}]
    assert programs != []


def test_every_recorded_file_is_used_and_has_its_origin_written_down() -> None:
    files = set(CASES.glob("*/*.gz"))
    assert files == {case.file for case in ALL if case.file is not None and CASES in case.file.parents}
    assert {path.parent for path in files} == {case.folder for case in recorded()}


def test_made_traces_are_the_same_every_time_and_all_are_asked_about() -> None:
    assert all(made(name) == made(name) for name in MAKERS)
    assert set(MAKERS) == {case.made for case in ALL if case.made is not None}


@pytest.mark.parametrize("manner", MANNERS)
async def test_a_dull_answerer_passes_no_case(manner: Manner) -> None:
    rows = [row async for row in graded(ALL, [Dull(manner)])]
    assert [row.case.name for row in rows if row.passed] == []


def test_a_broken_case_is_refused_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "half"
    folder.mkdir()
    (folder / "case.toml").write_text('prompt = "Why?"\nkind = "known"\n', encoding="utf-8")
    with pytest.raises(BadCase, match="half"):
        read_case(folder)
