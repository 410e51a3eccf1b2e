"""callgrind's files as `callgrind_annotate` has them: costs of functions by themselves and with what they call."""

import re
from pathlib import Path

import pytest

from tests.oracles.figures import FIRST, HEAVIEST, SELF, TOTAL, Figures, differences
from tests.oracles.profiles import content, figures_of, printed, unpacked
from tests.oracles.tools import program
from traces.reader import read_trace

FILES = (
    "conformance/samples/callgrind/callgrind.example.log",
    "conformance/samples/callgrind/callgrind.multiple-event-types.log",
    "conformance/samples/callgrind/callgrind.name-compression.log",
    "fixtures/thumbnails.callgrind.out.gz",
    "samples/xdebug.mayflower-491.cachegrind.out.gz",
    "traces/callgrind.cc1.out.gz",
    "traces/callgrind.small-instr-cache.out.gz",
)
ROW = re.compile(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+(?:php:internal|.*?):(\S.*?)(?: \[[^]]*\])?")
EVENTS = re.compile(r"(?m)^events: (\S+)")
TENS = "_(10ns)"
ESTIMATE = 0.1
"""Of a total: call paths are estimates, and those too light for one of their own hang nowhere."""
TWICE = frozenset(
    {"php::call_user_func", *(f"Zend_Loader{name}" for name in ("::loadClass", "::loadFile", "_Autoloader::autoload"))}
    | {"Zend_Loader_Autoloader->_autoload"}
)
"""They call each other: callgrind_annotate adds a call inside a call again."""
pytestmark = pytest.mark.long


def by_annotate(file: Path, event: str) -> Figures:
    """What callgrind_annotate prints of the first event: by itself, and with what is called."""
    annotate = program("callgrind_annotate", "it comes with valgrind")
    figures = Figures()
    for which, inclusive in enumerate(("no", "yes")):
        options = ("--threshold=100", "--auto=no", f"--show={event}", f"--inclusive={inclusive}")
        text = printed(annotate, *options, str(file))
        for line in text.partition("file:function\n")[2].splitlines()[1:]:
            row = ROW.fullmatch(line)
            if row is None:
                break
            function, cost = figures.functions[row[2]], int(row[1].replace(",", "")) * (10 if TENS in event else 1)
            function[which] = function[SELF] + cost if which == SELF else max(function[TOTAL], cost)
    figures.busy = sum(own for own, _ in figures.functions.values())
    return figures


@pytest.mark.parametrize("name", FILES)
def test_functions_cost_what_callgrind_annotate_says(name: str, shared: Path, tmp_path: Path) -> None:
    file = unpacked(name, shared, tmp_path / "callgrind.out")
    trace = read_trace(content(name, shared), name=name)
    (profile,) = trace.profiles
    event = EVENTS.findall(file.read_text("utf-8", "replace"))[0]
    expected = by_annotate(file, event)
    found = figures_of(trace, profile, 0, trace.frame_name)
    by_self = [text for text in differences(expected, found, 1) if not text.startswith("total")]
    assert by_self == []
    everything = expected.busy
    straight = [f for f in expected.heaviest(TOTAL, HEAVIEST) if expected.of(f, TOTAL) <= everything and f not in TWICE]
    for function in straight[:FIRST]:
        assert found.of(function, TOTAL) == pytest.approx(expected.of(function, TOTAL), rel=ESTIMATE), function
