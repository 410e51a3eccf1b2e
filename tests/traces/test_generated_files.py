"""The files that the benchmark makes: what is measured there is read rightly here."""

from pathlib import Path

import pytest

from bench.generated_files import GENERATED, write
from bench.many_parts import paths, threads
from traces.analysis.time_invariants import check_time
from traces.invariants import check
from traces.reader import read_trace


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_file_obeys_every_law(name: str, tmp_path: Path) -> None:
    write(name, 0.3, tmp_path / name)
    trace = read_trace((tmp_path / name).read_bytes(), name=name)
    check(trace)
    check_time(trace)


@pytest.mark.parametrize(("made", "count"), [(threads, 150), (paths, 1)], ids=["threads", "paths"])
def test_many_threads_and_paths_obey_every_law(made: object, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.many_parts.THREADS", 150)
    monkeypatch.setattr("bench.many_parts.PATHS", 2_000)
    assert callable(made)
    trace = read_trace("".join(made()).encode(), name="made")
    assert len(trace.profiles) == count
    check(trace)
    check_time(trace)
