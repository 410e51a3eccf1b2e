"""pprof profiles as `go tool pprof -top` has them: flat and cumulative of each function, for every value of a file."""

import re
from pathlib import Path

import pytest

from tests.oracles.figures import Figures, differences, misplaced
from tests.oracles.profiles import PLACE, content, figures_of, printed, unpacked
from tests.oracles.tools import program
from traces.model import Trace
from traces.reader import read_trace
from traces.values import Unit

FILES = (
    "conformance/samples/pprof/simple.prof",
    "fixtures/search-index.node-wall.pb.gz",
    "fixtures/settlement.go-cpu.pb.gz",
    "fixtures/settlement.go-heap.pb.gz",
    *(
        f"samples/pprof.{name}.prof.gz"
        for name in (
            *("cppbench.contention", "cppbench.cpu", "cppbench.growth", "cppbench.heap", "go.crc32.cpu"),
            *("java.contention", "java.cpu", "java.heap", "large.cpu"),
        )
    ),
    "traces/go-compile-cpu.pb.gz",
    "traces/node-time-lines.pb.gz",
)
ROW = re.compile(r"\s*([\d.]+)\S*\s+\S+%?\s+\S+%\s+([\d.]+)\S*\s+\S+%?\s{2}(.+)")
SHOWN = {Unit.NANOSECONDS: "nanoseconds", Unit.BYTES: "bytes"}
pytestmark = pytest.mark.long


def by_pprof(go: str, file: Path, value: str, unit: Unit) -> Figures:
    """What pprof prints of one value."""
    options = ["-top", "-nodecount=1000000", "-nodefraction=0", "-edgefraction=0", "-symbolize=none", "-compact_labels"]
    if unit in SHOWN:
        options.append(f"-unit={SHOWN[unit]}")
    text = printed(go, "tool", "pprof", *options, f"-sample_index={value}", str(file))
    figures = Figures()
    for line in text.partition("flat%")[2].splitlines()[1:]:
        row = ROW.fullmatch(line)
        assert row is not None, line
        function = figures.functions[row[3].removesuffix(" (inline)").removesuffix(" (partial-inline)")]
        function[0] += float(row[1])
        function[1] += float(row[2])
        figures.busy += float(row[1])
    return figures


def pprof_name(trace: Trace, frame: int) -> str:
    """How pprof calls a function: without a name by the file that it is mapped from, if that is known."""
    name = trace.frame_name(frame)
    if name.startswith("0x"):
        return "<unknown>"
    place = PLACE.fullmatch(name)
    return f"[{place[1]}]" if place is not None else name


@pytest.mark.parametrize("name", FILES)
def test_functions_have_what_pprof_says(name: str, shared: Path, tmp_path: Path) -> None:
    go = program("go", "pprof is a tool of Go's")
    file = unpacked(name, shared, tmp_path / "profile")
    trace = read_trace(content(name, shared), name=name)
    (profile,) = trace.profiles
    for index, value in enumerate(profile.values):
        expected = by_pprof(go, file, value.name, value.unit)
        found = figures_of(trace, profile, index, lambda frame: pprof_name(trace, frame))
        assert list(differences(expected, found, 1)) == []
        assert misplaced(expected, found, 1) == []
