"""perf.data as `perf report` has it: what each thread and each mapped file cost by itself.

Functions are not compared by name: `perf report` would name addresses by the symbols of the machine it runs on.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.oracles.profiles import content, printed, unpacked
from tests.oracles.tools import program
from traces.model import Profile, Trace
from traces.reader import read_trace

FILES = {
    "fixtures/thumbnails.perf-data.gz": "CPU time",
    "samples/perf-data.sleep.compressed.pipe.data.gz": "cycles:P",
}
"""The others are of a kernel whose records perf 6.1 does not know ("incompatible file format")."""
ROW = re.compile(r"\s*(\d+)\s+(\d+):\S*\s+(\S.*?)\s*")
pytestmark = pytest.mark.long
Costs = Counter[tuple[str, str]]


def by_perf(file: Path) -> Costs:
    perf = program("perf", "it comes with Linux")
    options = ("--stdio", "-g", "none", "--no-children", "-F", "period,pid,dso", "--kallsyms", "/dev/null")
    text = printed(perf, "report", *options, "-i", str(file))
    rows = [ROW.fullmatch(line) for line in text.splitlines() if line and not line.startswith("#")]
    costs = Costs()
    for row in rows:
        assert row is not None
        costs[row[2], "[kernel]" if row[3].startswith("[") else row[3]] += int(row[1])
    return costs


def ours(trace: Trace, profile: Profile, value: str) -> Costs:
    own = profile.tree.self_values[[v.name for v in profile.values].index(value)]
    costs = Costs()
    for frame, cost in zip(profile.tree.frame.tolist(), own.tolist(), strict=True):
        file = (trace.frame_file(frame) or "").rpartition("/")[2]
        costs[profile.tid, "[kernel]" if file.startswith("[") or not file else file] += round(cost)
    return +costs


@pytest.mark.parametrize("name", FILES)
def test_threads_and_files_cost_what_perf_says(name: str, shared: Path, tmp_path: Path) -> None:
    expected = by_perf(unpacked(name, shared, tmp_path / "perf.data"))
    trace = read_trace(content(name, shared), name=name)
    found = sum((ours(trace, profile, FILES[name]) for profile in trace.profiles), Costs())
    assert expected.total() > 0
    assert found == expected
