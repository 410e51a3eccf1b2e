"""Encoding and decoding below one function, by a pair of names: every pair that there is."""

import pytest

from tests.traces.insights.recorded import sampled
from tests.traces.insights.test_detectors import Case
from tests.traces.insights.written_findings import assert_as_written, cases_of
from traces.insights.inlined_causes import DETECTORS
from traces.insights.insight import State
from traces.insights.registry import insight

PAIRS = (
    ("serialize", "deserialize"),
    ("serialise", "deserialise"),
    ("marshal", "unmarshal"),
    ("stringify", "parse"),
    ("pickle", "unpickle"),
    ("encode", "decode"),
    ("freeze", "thaw"),
    ("dump", "load"),
    ("dumps", "loads"),
    ("pack", "unpack"),
    ("toWire", "fromWire"),
)


@pytest.mark.parametrize(("there", "back"), PAIRS, ids=[there for there, _ in PAIRS])
def test_both_ways_of_a_format_below_one_caller_are_a_round_trip(there: str, back: str) -> None:
    found = insight(sampled({f"main;copy;{there}": 40, f"main;copy;{back}": 40, "main": 20}), "round-trip")
    assert found.state is State.FAIL
    assert found.share == pytest.approx(0.8)
    assert [one.name for one in found.evidence] == ["copy", there, back]


@pytest.mark.parametrize(("there", "back"), PAIRS, ids=[there for there, _ in PAIRS])
def test_one_way_alone_or_below_another_caller_is_none(there: str, back: str) -> None:
    alone = sampled({f"main;copy;{there}": 40, "main;copy": 40, "main": 20})
    apart = sampled({f"main;save;{there}": 40, f"main;open;{back}": 40, "main": 20})
    assert [insight(trace, "round-trip").state for trace in (alone, apart)] == [State.PASS] * 2


@pytest.mark.parametrize("case", cases_of(DETECTORS))
def test_each_finding_is_what_is_written_of_it(case: Case) -> None:
    assert_as_written(case)
