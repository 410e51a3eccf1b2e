"""Where handles are: every one of a trace has a profile, a path, and a moment where there is time."""

from pathlib import Path

import numpy as np
import pytest

from tests.conftest import FIXTURES
from traces.analysis.places import NoPlace, Place, places
from traces.analysis.view_layout import time_order
from traces.builder import TraceBuilder
from traces.handles import Kind, count_of
from traces.model import Trace
from traces.nesting import nest_slices
from traces.reader import read_trace
from traces.stacks import StackTable
from traces.values import Facts, Order

MS = 1_000_000
KINDS: tuple[Kind, ...] = ("frame", "node", "span")


@pytest.fixture(scope="module")
def two_threads() -> Trace:
    """`main` runs `load` for 1, then for 3 ms; `worker` runs it for 9 ms and `only` for none."""
    builder = TraceBuilder("two", "test")
    load, only = builder.frame("load", "a.js", 3), builder.frame("only")
    frames = np.array([load, load], np.int32)
    builder.add_evented("main", nest_slices(np.array([0, 5]) * MS, np.array([1, 8]) * MS, frames), pid="7", tid="7")
    worker = nest_slices(np.array([0, 9]) * MS, np.array([9, 9]) * MS, np.array([load, only], np.int32))
    builder.add_evented("worker", worker, pid="7", tid="8")
    builder.default_profile = 0
    return builder.build(content_key="0" * 64, source_bytes=1)


def place(trace: Trace, handle: str, scope: str | None = None) -> Place:
    (found,) = places(trace, [handle], scopes=[scope])
    assert isinstance(found, Place)
    return found


def test_a_function_is_at_its_longest_call_in_the_first_profile_or_in_the_one_that_is_asked_for(
    two_threads: Trace,
) -> None:
    first = place(two_threads, "f0")
    assert (first.profile, first.span, first.name, first.file, first.line) == ("p0", "s1", "load", "a.js", 3)
    assert first.window is not None
    assert (first.window.start, first.window.end) == (5 * MS, 8 * MS)
    asked = place(two_threads, "f0", "p1")
    assert (asked.profile, asked.span) == ("p1", "s2")


def test_what_occurs_elsewhere_alone_is_found_there_and_has_a_moment_without_a_length(two_threads: Trace) -> None:
    found = place(two_threads, "f1", "p0")
    assert found.profile == "p1"
    assert found.window is not None
    assert found.window.start == found.window.end == 9 * MS


@pytest.mark.parametrize("handle", ["f9", "n99", "s99", "p2", "x1", "", "f1f2", "f" + "9" * 40])
def test_what_names_nothing_says_so(two_threads: Trace, handle: str) -> None:
    (found,) = places(two_threads, [handle])
    assert isinstance(found, NoPlace)
    assert found.problem


def test_a_profile_without_time_has_places_without_a_window() -> None:
    builder = TraceBuilder("sums", "test")

    stacks = StackTable()
    leaf = stacks.leaves([[builder.frame("a"), builder.frame("b")]])
    builder.add_sampled("sums", stacks, leaf, [np.array([5])], facts=Facts(order=Order.NONE))
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    assert place(trace, "f1").window is None
    assert place(trace, "f1").depth == 1


@pytest.mark.parametrize(
    "name", ["board.chrome-object.json.gz", "settlement.go-cpu.pb.gz", "search-index.cpuprofile.gz"]
)
def test_every_function_and_many_paths_and_calls_of_a_recording_have_places(name: str) -> None:
    trace = read_trace(Path(FIXTURES, name).read_bytes(), name=name)
    handles = [f"{kind[0]}{i}" for kind in KINDS for i in range(0, count_of(trace, kind), 7)]
    found = places(trace, handles)
    assert all(isinstance(one, Place) for one in found)


def test_the_window_of_a_sampled_function_is_its_longest_box_with_the_heaviest_path() -> None:
    trace = read_trace(Path(FIXTURES, "search-index.cpuprofile.gz").read_bytes(), name="search-index.cpuprofile.gz")
    boxes = time_order(trace).boxes
    for frame in range(0, len(trace.frames), 5):
        found = place(trace, f"f{frame}")
        if found.window is None or found.node is None:
            continue
        mine = boxes.ref == int(found.node[1:])
        assert found.window.end - found.window.start == (boxes.end - boxes.start)[mine].max()
