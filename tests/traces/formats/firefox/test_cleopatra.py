"""Firefox's first profiles: stacks of numbers, and a table of symbols."""

import json
from typing import Any

import pytest

from traces.analysis.functions import top_functions
from traces.errors import DamagedTrace, EmptyTrace
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace

SYMBOLS = {"0": "main", "1": "draw (in xul.dll)", "9": "(root)"}


def read(profile: Any) -> Trace:
    data = {"format": "profileJSONWithSymbolicationTable,1", "profileJSON": profile, "symbolicationTable": SYMBOLS}
    trace = read_trace(json.dumps(data).encode(), name="recorded")
    check(trace)
    assert trace.format == "cleopatra"
    return trace


def sample(time: float | None, *frames: int | str) -> dict[str, Any]:
    return {"frames": [9, *frames], "extraInfo": {} if time is None else {"time": time}}


def test_samples_last_until_the_next_one_and_have_the_names_of_the_table() -> None:
    trace = read([sample(10, 0, 1), sample(13, 0), sample(12, 0, "script.js:3"), sample(None, 0)])
    rows = {row.name: (row.self_value / 1e6, row.total_value / 1e6) for row in top_functions(trace).rows}
    assert rows == {"main": (1.5, 4.5), "draw (in xul.dll)": (2, 2), "script.js:3": (1, 1)}
    assert {(w.code, w.count) for w in trace.warnings} == {("no_time", 1), ("clock_backwards", 1)}


def test_a_later_form_has_threads() -> None:
    threads = [{"name": "GeckoMain", "tid": 1, "samples": [sample(1, 0), sample(2, 0)]}]
    threads.append({"name": "Compositor", "tid": 2, "samples": [{"frames": [{"location": "paint"}], "time": 1.5}]})
    trace = read({"threads": threads})
    assert [(p.name, p.tid) for p in trace.profiles] == [("GeckoMain", "1"), ("Compositor", "2")]


def test_what_has_no_samples_is_empty_and_what_is_no_profile_damaged() -> None:
    with pytest.raises(EmptyTrace):
        read([])
    with pytest.raises(DamagedTrace):
        read([{"frames": 3}])
    with pytest.raises(DamagedTrace):
        read([sample(1e300, 0)])
