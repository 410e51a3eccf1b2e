"""Callgrind's lines and the groups of their functions: the kernels return what the plain references do."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from traces.kernels import cost_lines, cycles
from traces.kernels.cost_lines import CostLines, scan_costs, scan_costs_reference
from traces.kernels.cost_lines_reference import NotCosts
from traces.kernels.cycles import groups_of_calls, groups_of_calls_reference
from traces.kernels.library import kernels

FUZZED = Path(__file__).parents[3] / "fuzz" / "corpus" / "cost_lines"
NUMBERS = ["0", "1", "16", "400", "+3", "-2", "*", "1.5", "0x40", "123456789012345678.123456789", "9" * 18, "9" * 19]
NUMBERS += ["0.1", "99999999999999.25", "9007199254740993", "-", "1.", ".5", "+1.25", "-400"]
NAMES = ["(1) main", "(1)", "(2) work", "(2)", "(3)", "(03)", "(3) ", "plain", "", "???", "(4) a (b) c", "(1)x", "()"]
NAMES += ["(4095) a", "(4095)", "(4097) b", "(4101)", "(4103) c", "(99999999) d", "(99999999)"]
NAMES += ["(12345678901) far", "(12345678901)", "na\xefve", "\x85"]
KEYS = [
    "fn",
    "cfn",
    "fl",
    "fi",
    "fe",
    "ob",
    "cob",
    "cfi",
    "cfl",
    "jfi",
    "jfn",
    "jump",
    "jcnd",
    "xx",
    "cfn ",
    "fn\0",
    "cal",
    "",
]
HEADERS = [
    "events: Ir",
    "events: Ir Dr Dw",
    "events:",
    "positions: line",
    "positions: instr line",
    "thread: 1",
    "thread: 2",
]
HEADERS += ["thread:", "part: 2", "version: 1", "summary: 3 4", "# a comment", "# with: colon", "no colon", "", "\t"]

specification = st.builds("{}={}".format, st.sampled_from(KEYS), st.sampled_from(NAMES))
calls = st.builds("calls={} 0".format, st.sampled_from(NUMBERS))
costs = st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=5).map(" ".join)
called = st.builds("cfn={}\ncalls={}\n16 {}".format, st.sampled_from(NAMES), st.sampled_from(["1", "7"]), costs)
line = st.one_of(specification, calls, costs, called, st.sampled_from(HEADERS))
body = st.lists(line, max_size=40).map("\n".join)
texts = st.builds(
    "{}\n{}{}".format,
    st.sampled_from(["events: Ir Dr\nfn=(1) main", "events: Ir", ""]),
    body,
    st.sampled_from(["", "\n", "\r\n"]),
)


def outcome(scan: Callable[..., CostLines], data: bytes, most_parts: int = 4) -> Any:
    """Everything that came back, with the bits of every float, or the reason why nothing did."""
    try:
        found = scan(data, most_parts)
    except NotCosts as error:
        return error.reason
    rows = [
        (part.thread, part.events, *((c.dtype.str, c.shape, c.tobytes()) for c in columns(part)))
        for part in found.parts
    ]
    return rows, found.texts, found.unread, found.given_back


def columns(part: cost_lines.CostPart) -> tuple[np.ndarray[Any, Any], ...]:
    return part.name, part.file, part.object, part.own, part.times, part.caller, part.callee, part.paid


@pytest.fixture(autouse=True)
def compiled() -> None:
    if kernels() is None:
        pytest.skip("there are no kernels to compare")


@given(texts)
@example("events: Ir Dr\nfn=(1) main\n16 4 2\ncfn=(2) work\ncalls=3 0\n16 9 * \nfn=(2)\n+1 5 -1\n")
@example("events: Ir\nthread: 1\nfn=a\nthread: 2\nfn=a\nthread: 3\nfn=a\nthread: 4\nfn=a\nthread: 5\nfn=a\n")
@example("events: " + "e " * 257 + "\nfn=a\n")
@example("events: a b\nfn=f\n1 2 3\npart: 2\nevents: a\nfn=f\n")
@example("events: Time_(10ns) Memory_(bytes)\nfn=a\n1 2 -9\n1 -2\n3 4 -1 -1\n3 -4 x\n-1 2 3\n")
def test_kernel_and_reference_read_the_same(text: str) -> None:
    data = text.encode("latin-1")
    for gives_back in (False, True):
        scans = [partial(scan, gives_back=gives_back) for scan in (scan_costs, scan_costs_reference)]
        assert outcome(scans[0], data) == outcome(scans[1], data)


@given(st.binary(max_size=300))
def test_they_agree_on_any_bytes(data: bytes) -> None:
    data = b"events: Ir\nfn=f\n" + data
    assert outcome(scan_costs, data) == outcome(scan_costs_reference, data)


@pytest.mark.parametrize("file", sorted(FUZZED.iterdir()), ids=lambda file: file.name)
def test_they_agree_on_the_corpus_however_it_is_cut(file: Path) -> None:
    data = file.read_bytes()
    found = scan_costs(data, 4)
    assert sum(part.own.sum() for part in found.parts) > 0
    for end in (*range(0, len(data), 97), len(data)):
        assert outcome(scan_costs, data[:end]) == outcome(scan_costs_reference, data[:end])


def test_the_counter_comes_to_the_end_of_the_file() -> None:
    data = b"events: Ir\nfn=f\n1 2\n3 4"
    for scan in (scan_costs, scan_costs_reference):
        counter = memoryview(bytearray(8)).cast("q")
        scan(data, 4, counter)
        assert counter[0] == len(data)


edges = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40)


@given(edges)
def test_groups_of_calls_are_those_of_the_reference(pairs: list[tuple[int, int]]) -> None:
    callees = [[callee for caller, callee in pairs if caller == node] for node in range(10)]
    first = np.cumsum([0, *map(len, callees)])
    flat = np.array([one for some in callees for one in some], np.int32)
    assert groups_of_calls(first, flat).tolist() == groups_of_calls_reference(first, flat).tolist()


def test_functions_that_call_each_other_are_one_group_and_callees_come_first() -> None:
    first, callee = np.array([0, 1, 2, 4, 4]), np.array([1, 2, 0, 3], np.int32)
    assert cycles.groups_of_calls(first, callee).tolist() == [1, 1, 1, 0]
