"""The shared samples of pprof's older forms, sample by sample against what pprof's own tests expect of them."""

import gzip
import re
from pathlib import Path

import pytest

from traces.formats.pprof_otlp.memory_map import Mapping, place_name
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace

pytestmark = pytest.mark.long

SAMPLE = re.compile(r"\s+(-?\d+) +(-?\d+): ([\d ]*)")
LOCATION = re.compile(r"\s+(\d+): 0x([0-9a-f]+) (?:M=(\d+) )?(?:(.+) (\S*):(\d+):0 s=0)?\s*")
MAPPING = re.compile(r"(\d+): 0x([0-9a-f]+)/0x([0-9a-f]+)/0x([0-9a-f]+) (\S*).*")
MICROSECONDS = {"java.contention": 1_000}
"""pprof prints the unit that the file has; here times are nanoseconds."""
FILES = [
    "cppbench.contention",
    "cppbench.cpu",
    "cppbench.growth",
    "cppbench.heap",
    "go.crc32.cpu",
    "java.contention",
    "java.cpu",
    "java.heap",
]
Row = tuple[tuple[float, float], list[str]]


def text_of(file: Path) -> str:
    return gzip.decompress(file.read_bytes()).decode()


def rows_expected(text: str, factor: int) -> list[Row]:
    """Values and frames, innermost first, of each sample of the text that pprof prints."""
    mappings = {
        number: Mapping(int(start, 16), int(end, 16), int(offset, 16), file)
        for number, start, end, offset, file in MAPPING.findall(text.partition("Mappings")[2])
    }
    locations = {}
    for line in text.partition("Locations")[2].partition("Mappings")[0].splitlines():
        if match := LOCATION.fullmatch(line):
            ident, address, mapping, name = match.groups()[:4]
            locations[ident] = name or place_name(int(address, 16), mappings.get(mapping or ""))
    samples = (SAMPLE.fullmatch(line) for line in text.partition("Locations")[0].splitlines())
    return [
        ((float(match[1]), float(match[2]) * factor), [locations[ident] for ident in match[3].split()])
        for match in samples
        if match is not None
    ]


def rows_read(trace: Trace) -> list[Row]:
    profile = trace.profiles[0]
    assert profile.samples is not None
    found: list[Row] = []
    for leaf, first, second in zip(profile.samples.leaf.tolist(), *map(list, profile.samples.weights), strict=True):
        names, node = [], leaf
        while node >= 0:
            names.append(trace.frame_name(int(profile.tree.frame[node])))
            node = int(profile.tree.parent[node])
        found.append(((float(first), float(second)), names))
    return found


@pytest.mark.parametrize("name", FILES)
def test_every_sample_is_the_one_that_pprof_reads(name: str, shared: Path) -> None:
    folder = shared / "samples"
    trace = read_trace((folder / f"pprof.{name}.prof.gz").read_bytes(), name=name)
    check(trace)
    expected = rows_expected(text_of(folder / f"pprof.{name}.truth.txt.gz"), MICROSECONDS.get(name, 1))
    assert len(expected) >= 4
    assert rows_read(trace) == expected
