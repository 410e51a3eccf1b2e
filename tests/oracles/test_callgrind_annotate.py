"""callgrind's files as `callgrind_annotate` has them: costs of functions by themselves and with what they call."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.oracles.figures import FIRST, HEAVIEST, SELF, TOTAL, Figures, differences
from tests.oracles.profiles import content, figures_of, printed, unpacked
from tests.oracles.tools import program
from traces.analysis.recorded_edges import Basis
from traces.analysis.sandwich import callers_callees
from traces.edges import EVERYONE
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
"""Of a total that is added up by call paths, which are estimates."""
CLOCKS = 1e-2
"""Of a total: what xdebug's callers have of a function is not what it and its callees have."""
TWICE = frozenset(
    {"php::call_user_func", *(f"Zend_Loader{name}" for name in ("::loadClass", "::loadFile", "_Autoloader::autoload"))}
    | {"Zend_Loader_Autoloader->_autoload"}
)
"""They call each other: callgrind_annotate adds a call inside a call again."""
NEIGHBOUR = re.compile(
    r"\s*([\d,]+) \(\s*[\d.]+%\)\s+([<>*])\s+(?:php:internal|.*?):(\S.*?)(?: \(([\d,]+)x\))?(?: \[[^]]*\])?"
)
"""A line of `--tree=both`: a caller, the function itself or a callee."""
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
    edges, names = trace.edges, trace.frame_names
    totals, itself = Counter[str](), Counter[str]()
    for row in np.flatnonzero((edges.value == 0) & (edges.total_value >= 0)).tolist():
        caller, callee, cost = edges.caller[row], edges.callee[row], edges.total_value[row].item()
        if caller in (EVERYONE, callee):
            (itself if caller == callee else totals)[names[callee]] += cost
    exact = [function for function in straight if function in totals and names.count(function) == 1]
    assert exact
    for function in exact:
        said = pytest.approx(expected.of(function, TOTAL), rel=CLOCKS if "xdebug" in name else 0)
        assert totals[function] + itself[function] == said, function


Between = dict[tuple[str, str], tuple[int, int]]


def neighbours_by_annotate(file: Path, event: str) -> tuple[Between, Between]:
    """What `--tree=both` prints as callers and as callees: cost and calls by caller and callee, names that several
    functions have added up."""
    annotate = program("callgrind_annotate", "it comes with valgrind")
    options = ("--threshold=100", "--auto=no", f"--show={event}", "--tree=both")
    text = printed(annotate, *options, str(file)).partition("file:function\n")[2]
    found: tuple[Between, Between] = {}, {}
    above: list[tuple[str, int, int]] = []
    function = ""
    for line in text.splitlines()[1:]:
        row = NEIGHBOUR.fullmatch(line)
        if row is None:
            continue
        cost = int(row[1].replace(",", "")) * (10 if TENS in event else 1)
        name, calls = row[3], int((row[4] or "0").replace(",", ""))
        if row[2] == "<":
            above.append((name, cost, calls))
        elif row[2] == ">":
            _add(found[1], (function, name), cost, calls)
        else:
            function = name
            for caller, paid, times in above:
                _add(found[0], (caller, name), paid, times)
            above = []
    return found


def _add(to: Between, pair: tuple[str, str], cost: int, calls: int) -> None:
    known = to.get(pair, (0, 0))
    to[pair] = known[0] + cost, known[1] + calls


@pytest.mark.parametrize("name", FILES)
def test_callers_and_callees_have_the_cost_and_calls_that_callgrind_annotate_says(
    name: str, shared: Path, tmp_path: Path
) -> None:
    file = unpacked(name, shared, tmp_path / "callgrind.out")
    trace = read_trace(content(name, shared), name=name)
    event = EVENTS.findall(file.read_text("utf-8", "replace"))[0]
    as_callers, as_callees = neighbours_by_annotate(file, event)
    found: tuple[Between, Between] = {}, {}
    for frame in range(len(trace.frames)):
        around = callers_callees(trace, frame, limit=10_000)
        assert around.basis is Basis.RECORDED
        for rows, to, is_caller in ((around.callers, found[0], True), (around.callees, found[1], False)):
            for row in rows:
                if row.handle:
                    pair = (row.name, around.frame.name) if is_caller else (around.frame.name, row.name)
                    _add(to, pair, round(row.value), row.calls or 0)
    for printed_pairs, ours in zip((as_callers, as_callees), found, strict=True):
        expected = {pair: sums for pair, sums in printed_pairs.items() if pair[0] != pair[1]}
        assert expected
        missing = {pair for pair in ours if pair[0] != pair[1]} - expected.keys()
        assert not missing or "xdebug" in name  # of whose calls it leaves the light ones out
        assert {pair: ours.get(pair) for pair in expected} == expected
