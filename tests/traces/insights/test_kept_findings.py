"""Findings that lie next to a trace's columns are those that the same code would find again, or are not used."""

import gzip
from pathlib import Path

import pytest

from traces import cache
from traces.findings_place import PLACE
from traces.insights import kept_findings, registry
from traces.insights.registry import figures_of, insights
from traces.model import Trace
from traces.reader import read_trace

FIXTURES = Path(__file__).parents[3] / "fixtures"
FILES = ("settlement.go-cpu.pb.gz", "board.chrome-object.json.gz", "redact-documents.viztracer.json.gz")


class Kept:
    """A place in memory."""

    def __init__(self) -> None:
        self.data: bytes | None = None

    def read(self) -> bytes | None:
        return self.data

    def write(self, data: bytes) -> None:
        self.data = data


def opened(file: str, place: Kept, name: str | None = None) -> Trace:
    """The trace as it comes from the cache, with a place for findings."""
    data = gzip.decompress((FIXTURES / file).read_bytes())
    trace = cache.decode(b"".join(bytes(part) for part in cache.encode(read_trace(data, name=name or file))))
    trace.answers[PLACE] = place
    return trace


def no_detectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on nothing is looked for."""
    monkeypatch.setattr(registry, "DETECTORS", ())


@pytest.mark.parametrize("file", FILES)
def test_a_second_question_has_what_the_first_found_without_looking(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Kept()
    first = opened(file, place)
    found, figures = insights(first), figures_of(first)
    assert any(one.evidence for one in found)
    no_detectors(monkeypatch)
    again = opened(file, place)
    assert (insights(again), figures_of(again)) == (found, figures)
    assert insights(opened(file, Kept())) == ()


def test_what_was_found_under_another_name_in_other_content_or_by_other_code_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = Kept()
    insights(opened(FILES[0], place))
    kept = place.data
    no_detectors(monkeypatch)
    assert insights(opened(FILES[0], place, "another.pb")) == ()
    place.data = kept
    assert insights(opened(FILES[2], place, FILES[0])) == ()
    place.data = kept
    assert len(insights(opened(FILES[0], place))) > 0
    monkeypatch.setattr(kept_findings, "rules", lambda: "other code")
    assert insights(opened(FILES[0], place)) == ()


def test_what_is_cut_or_foreign_is_not_used_and_written_anew() -> None:
    place = Kept()
    found = insights(opened(FILES[0], place))
    kept = place.data
    assert kept is not None
    for bad in (b"", kept[:-1], kept[: len(kept) // 2], b"\xff" * 40, kept.replace(b"pass", b"sass")):
        place.data = bad
        assert insights(opened(FILES[0], place)) == found
        assert place.data == kept


def test_all_code_that_finds_stands_behind_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = tmp_path / "traces"
    for folder in ("insights", "analysis"):
        (room / folder).mkdir(parents=True)
    monkeypatch.setattr(kept_findings, "__file__", str(room / "insights" / "kept_findings.py"))
    keys = []
    for file in ("insights/code.py", "analysis/units.py", "model.py"):
        for text in ("1", "2"):
            (room / file).write_text(text, encoding="utf-8")
            kept_findings.rules.cache_clear()
            keys.append(kept_findings.rules())
    kept_findings.rules.cache_clear()
    assert len(set(keys)) == len(keys)
