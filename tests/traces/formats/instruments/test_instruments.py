"""What Instruments copies as text: call trees with times, cycles or bytes."""

import pytest

from traces.errors import DamagedTrace, EmptyTrace
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace
from traces.values import Unit


def read(text: str) -> Trace:
    trace = read_trace(text.encode(), name="copy")
    check(trace)
    return trace


def sums(trace: Trace) -> list[tuple[str, float, float]]:
    """Name, self and total of each node."""
    tree = trace.profiles[0].tree
    names = [trace.frame_names[frame] for frame in tree.frame.tolist()]
    return list(zip(names, tree.self_values[0].tolist(), tree.total_values[0].tolist(), strict=True))


def test_what_callees_leave_of_a_figure_is_the_functions_own() -> None:
    trace = read(
        "Running Time\tSelf (ms)\t\tSymbol Name\r\n"
        "10.0ms  100.0%\t0\t \tstart\r\n"
        "10.0ms  100.0%\t4\t \t main\r\n"
        "6.0ms   60.0%\t6\t \t  draw (frame)\r\n"
        "\r\n"
    )
    assert trace.format == "instruments"
    assert sums(trace) == [
        ("start", 0, 10_000_000),
        ("main", 4_000_000, 10_000_000),
        ("draw (frame)", 6_000_000, 6_000_000),
    ]
    assert trace.profiles[0].unit is Unit.NANOSECONDS


def test_names_of_newer_versions_are_indented_from_the_first_line_on() -> None:
    trace = read(
        "Weight\tSelf Weight\tSymbol Names\n"
        "2 min  100.0%\t0 s\t   start\n"
        "30.00 s  \u20070.0%\t1 s\t    main\n"
        "1.00 ms 0.0%\t1 ms\t   exit\n"
    )
    assert sums(trace) == [("start", 90e9, 120e9), ("main", 30e9, 30e9), ("exit", 1e6, 1e6)]


def test_a_parent_takes_at_least_what_its_callees_take_and_cut_figures_are_counted() -> None:
    trace = read(
        "Weight\tSelf Weight\t\tSymbol Name\n"
        "1.90 Kc  100.0%\t-\t \ta\n"
        "1.80 Kc  99.0%\t-\t \t b\n"
        "700 cycles 1.0%\t-\t \t c\n"
    )
    assert sums(trace) == [("a", 0, 1700), ("b", 1000, 1000), ("c", 700, 700)]
    assert trace.profiles[0].values[0].name == "cycles"
    assert [(w.code, w.count) for w in trace.warnings] == [("fractions", 2)]


def test_allocations_are_bytes() -> None:
    trace = read("Bytes Used\tCount\t\tSymbol Name\n 2 KB   100.0%\t3\t \tmain\n 100 Bytes   5.0%\t1\t \t load\n")
    assert sums(trace) == [("main", 1948, 2048), ("load", 100, 100)]
    assert trace.profiles[0].unit is Unit.BYTES


def test_a_source_path_is_the_frames_file() -> None:
    trace = read("Running Time\tSelf\tSource Path\tSymbol Name\n1.0ms  100.0%\t1\t/src/main.c\tmain\n")
    assert trace.frame_file(0) == "/src/main.c"


def test_a_copy_of_nothing_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read("Running Time\tSelf (ms)\t\tSymbol Name\n")


@pytest.mark.parametrize(
    "lines",
    [
        "1.0ms 100.0%\t0\t \tmain\n1.0ms 100.0%\t0\t \t   deep",
        "1.0ms 100.0%\t0\t \t main",
        "1.0 parsec 100.0%\t0\t \tmain",
        "99999999999999999999ms 100.0%\t0\t \tmain",
        "999999999999999min 100.0%\t0\t \tmain",
        "1.0ms 100.0%\t0\t \tmain\n1.0 KB 100.0%\t0\t \t load",
    ],
)
def test_lines_that_contradict_each_other_are_refused(lines: str) -> None:
    with pytest.raises(DamagedTrace, match="instruments"):
        read("Running Time\tSelf (ms)\t\tSymbol Name\n" + lines)
