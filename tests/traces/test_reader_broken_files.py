"""Broken files, by the hundred: every one becomes a trace that keeps the laws, or is refused in words of ours.

This is the short form, of small samples and with fixed seeds: `make test` mutates each of them once, `make test-long`
up to thirty times, `make fuzz` ten thousand times.
"""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz.importers.excerpts import ENOUGH_BYTES, excerpt
from fuzz.importers.judging import fault, watched
from fuzz.importers.samples import samples
from traces.reader import read_trace

FOUND = Path(__file__).parent / "found"
LARGEST = 64 << 10
WORK = 64 << 10
"""Bytes to mutate of each sample: small ones have more turns than large ones, between these."""
FEWEST, MOST = 5, 30


@pytest.mark.timeout(600)
@pytest.mark.long
def test_mutated_samples_are_read_or_refused_and_alike_both_ways(
    record_property: Callable[[str, object], None],
) -> None:
    known = samples(largest=LARGEST)
    judged = 0
    with watched():
        for sample in known:
            for number in range(max(FEWEST, min(MOST, WORK // len(sample.content)))):
                reason = fault(sample.mutation(number, known), "broken.trace")
                assert reason is None, f"mutation {number} of {sample.name}: {reason}"
                judged += 1
    record_property("mutations", f"{judged:,} mutations of {len(known)} samples were judged")
    assert judged >= FEWEST * len(known) > 0


@pytest.mark.parametrize(
    "packed", ["thumbnails.linux-perf.txt.gz", "thumbnails.uftrace.json.gz", "startup.perfetto-trace.gz"]
)
@pytest.mark.long
def test_the_excerpt_of_a_large_sample_that_is_mutated_is_read_as_all_of_it_is(
    packed: str, fixtures: Path, tmp_path: Path
) -> None:
    content = gzip.decompress(next(fixtures.rglob(packed)).read_bytes())
    part = excerpt(content, tmp_path)
    assert ENOUGH_BYTES / 2 <= len(part) <= ENOUGH_BYTES < len(content)
    full, less = (read_trace(data, name=packed) for data in (content, part))
    assert full.format == less.format
    assert {w.code for w in full.warnings} == {w.code for w in less.warnings}
    assert 0 < len(less.frames) <= len(full.frames)
    assert excerpt(content, tmp_path) == part


@pytest.mark.parametrize("found", sorted(FOUND.iterdir()), ids=lambda path: path.name)
def test_what_mutation_found_once_stays_repaired(found: Path) -> None:
    assert fault(found.read_bytes(), found.name) is None


@pytest.mark.parametrize(
    "tail", [b"[" * 9_000, b'"\xff"', b'"\\ud800"', b"1e999"], ids=["deep", "not utf-8", "half a pair", "huge"]
)
def test_what_stands_behind_the_head_of_a_file_breaks_nothing(tail: bytes) -> None:
    for first in (b'{"pad":"', b'{"traceEvents":[],"pad":"', b'{"nodes":[],"pad":"'):
        assert fault(first + b"A" * 70_000 + b'","last":' + tail + b"}", "broken.json") is None
