"""A program is known again by the names of its own functions, in whatever way it was recorded."""

from pathlib import Path

import numpy as np
import pytest

from traces.analysis.fingerprint import SAME_PROGRAM, VALUES, fingerprint, overlap, own_functions
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.reader import read_trace
from traces.stacks import StackTable

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"


def of_functions(*names: str) -> Trace:
    builder = TraceBuilder("made", "example")
    stacks = StackTable()
    leaves = stacks.leaves([[builder.frame(name, "app.py", 1)] for name in names])
    builder.add_sampled("main", stacks, leaves, [np.ones(len(names), np.int64)])
    return builder.build(content_key="7" * 64, source_bytes=1)


def read(name: str) -> Trace:
    return read_trace((FIXTURES / name).read_bytes(), name=name)


def test_half_of_the_names_shared_is_about_a_third_of_all() -> None:
    one = of_functions(*(f"work_{at}" for at in range(40)))
    other = of_functions(*(f"work_{at}" for at in range(20, 60)))
    assert overlap(fingerprint(one), fingerprint(one)) == 1.0
    assert overlap(fingerprint(one), fingerprint(other)) == pytest.approx(1 / 3, abs=0.15)
    assert len(fingerprint(one)) == 8 * VALUES


def test_names_that_every_program_has_say_nothing() -> None:
    assert fingerprint(of_functions("main", "<module>", "(anonymous)", "run", "_start")) == ""
    assert overlap("", "") == 0.0
    assert own_functions(of_functions("main", "price", "price")) == {"price"}


@pytest.mark.long
def test_recordings_of_one_program_are_known_and_those_of_two_are_not() -> None:
    go, heap = read("settlement.go-cpu.pb.gz"), read("settlement.go-heap.pb.gz")
    node, v8 = read("search-index.cpuprofile.gz"), read("search-index.v8.log.gz")
    prints = [fingerprint(one) for one in (go, heap, node, v8)]
    same = {(a, b) for a in range(4) for b in range(a) if overlap(prints[a], prints[b]) >= SAME_PROGRAM}
    assert same == {(1, 0), (3, 2)}
