"""Java Flight Recorder's execution samples as `jfr print` has them: self and total of each method, in samples.

`jfr` reads chunks of version 1 and 2: recordings of Java 7 and 8 are compared with what their repository expects
(tests/traces/formats/jfr), not here.
"""

import re
from pathlib import Path

import pytest

from tests.oracles.figures import Figures, differences, misplaced
from tests.oracles.profiles import content, figures_of, printed, unpacked
from tests.oracles.tools import program
from traces.reader import read_trace

FILES = {
    "conformance/samples/java-flight-recorder/heavy.jfr": "jdk.ExecutionSample",
    "fixtures/invoices.jfr.gz": "jdk.ExecutionSample",
    "samples/jfr.jmc-allocation-fixed.jfr.gz": "com.oracle.jdk.ExecutionSample",
    "samples/jfr.jmc-metadata_new.jfr.gz": "jdk.ExecutionSample",
}
DEEPEST = "2048"
METHOD = re.compile(r"\s+(.+?)\.([^.()]+)\(.*?\)(?:\s+line: ?\d*)?")
pytestmark = pytest.mark.long


def by_jfr(file: Path, event: str) -> Figures:
    """What jfr prints of the stacks, innermost first, an event a sample."""
    jfr = program("jfr", "it comes with a JDK")
    figures = Figures()
    text = printed(jfr, "print", "--events", event, "--stack-depth", DEEPEST, str(file))
    for stack in re.findall(r"(?s)stackTrace = \[\n(.*?)\n  \]", text):
        names = []
        for line in stack.splitlines():
            method = METHOD.fullmatch(line)
            assert method is not None, line
            names.append(f"{method[1]}:{method[2]}")
        figures.functions[names[0]][0] += 1
        for name in set(names):
            figures.functions[name][1] += 1
        figures.busy += 1
    return figures


@pytest.mark.parametrize("name", FILES)
def test_methods_have_the_samples_that_jfr_prints(name: str, shared: Path, tmp_path: Path) -> None:
    expected = by_jfr(unpacked(name, shared, tmp_path / "recording.jfr"), FILES[name])
    trace = read_trace(content(name, shared), name=name)
    profile = next(p for p in trace.profiles if p.name == "Without native calls")
    found = figures_of(trace, profile, 0, trace.frame_name)
    assert expected.busy > 100
    assert list(differences(expected, found, 0)) == []
    assert misplaced(expected, found, 0) == []
