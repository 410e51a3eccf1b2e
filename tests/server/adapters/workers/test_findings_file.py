"""What was found lies next to the columns for every process, and goes with them."""

from pathlib import Path

import pytest

from server.adapters.workers.findings_file import FindingsFile
from server.adapters.workers.trace_cache import TraceCache
from traces.insights import registry
from traces.insights.registry import insights
from traces.model import Trace
from traces.reader import read_trace

STACKS = b"main;work 3\nmain;wait 4\nmain 2\n"


@pytest.fixture
def cache(tmp_path: Path) -> TraceCache:
    return TraceCache(tmp_path / "cache", 1 << 30)


def kept(cache: TraceCache, stacks: bytes = STACKS) -> tuple[Trace, Path]:
    trace = read_trace(stacks, name="stacks.txt")
    return trace, cache.keep(trace)


def left(cache: TraceCache) -> list[str]:
    return sorted(file.suffix for file in cache.folder.rglob("*.*"))


def test_who_kept_a_trace_leaves_its_findings_to_who_opens_it(
    cache: TraceCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace, columns = kept(cache)
    found = insights(trace)
    assert left(cache) == [".columns", ".findings"]
    monkeypatch.setattr(registry, "DETECTORS", ())
    opened = cache.open(columns)
    assert opened is not None
    assert insights(opened) == found


def test_findings_go_with_their_columns(cache: TraceCache) -> None:
    trace, columns = kept(cache)
    cache.point("upload", columns)
    insights(trace)
    cache.forget("upload")
    assert left(cache) == []
    other = kept(cache, b"main;other 3\nmain 2\n")[0]
    insights(other)
    assert left(cache) == [".columns", ".findings"]
    assert cache.clear() > 0
    assert left(cache) == []


def test_findings_count_in_the_bound(cache: TraceCache) -> None:
    older, columns = kept(cache)
    insights(older)
    newer = kept(cache, b"main;other 3\nmain 2\n")[1]
    both = columns.stat().st_size + newer.stat().st_size
    cache.limit(both + columns.with_suffix(".findings").stat().st_size)
    assert columns.exists()
    cache.limit(both)
    assert not columns.exists()
    assert left(cache) == [".columns"]


def test_findings_of_columns_that_are_gone_are_not_left(cache: TraceCache, monkeypatch: pytest.MonkeyPatch) -> None:
    trace, columns = kept(cache)
    columns.unlink()
    insights(trace)
    assert left(cache) == []
    place = FindingsFile(kept(cache)[1])

    def replace_late(aside: Path, file: Path) -> None:
        columns.unlink()
        aside.rename(file)

    monkeypatch.setattr(Path, "replace", replace_late)
    place.write(b"names")  # the columns went while they were written
    assert left(cache) == []


def test_findings_of_a_question_that_outlived_its_columns_go_at_the_next_keeping(cache: TraceCache) -> None:
    columns = kept(cache)[1]
    columns.with_suffix(".findings").write_bytes(b"names")
    columns.unlink()
    kept(cache, b"main;other 3\nmain 2\n")
    assert left(cache) == [".columns"]


def test_a_folder_that_cannot_be_written_keeps_none(cache: TraceCache, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = kept(cache)[0]

    def refuse(file: Path, _: bytes) -> None:
        raise OSError(28, "No space left on device", str(file))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    assert len(insights(trace)) > 0
    assert left(cache) == [".columns"]
