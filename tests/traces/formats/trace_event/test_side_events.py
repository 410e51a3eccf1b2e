"""What stands beside slices in trace events: moments, levels, intervals, arrows, arguments, and when it was."""

import gzip
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.cache import decode, encode
from traces.errors import InvalidQuestion, UnknownHandle
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_arguments, read_trace

WORK = {"ph": "X", "name": "work", "ts": 0, "dur": 100, "pid": 1, "tid": 1}


def read(*events: dict[str, Any], **members: Any) -> Trace:
    """The trace of some events (thread 1 of process 1 unless they say so) beside one slice of 100 µs."""
    given = [WORK, *({"pid": 1, "tid": 1, "name": "n"} | event for event in events)]
    trace = read_trace(json.dumps({"traceEvents": given, **members}).encode(), name="t")
    check(trace)
    kept = decode(b"".join(encode(trace)))
    assert (kept.async_spans.start == trace.async_spans.start).all()
    assert (kept.recorded_at_ns, kept.utc_offset_minutes) == (trace.recorded_at_ns, trace.utc_offset_minutes)
    return trace


def named(trace: Trace, names: Any) -> list[str]:
    return [trace.strings[int(name)] for name in names]


def warned(trace: Trace) -> dict[str, int]:
    return {warning.code: warning.count for warning in trace.warnings}


def test_moments_belong_to_their_thread_and_come_in_order() -> None:
    trace = read(
        {"ph": "i", "name": "late", "ts": 9, "s": "t"},
        {"ph": "I", "name": "early", "ts": 2.5},
        {"ph": "R", "name": "elsewhere", "ts": 5, "tid": 7},
    )
    assert named(trace, trace.instants.name) == ["early", "elsewhere", "late"]
    assert trace.instants.time.tolist() == [2500, 5000, 9000]
    assert trace.instants.profile.tolist() == [0, -1, 0]
    assert not trace.warnings


def test_a_counter_is_one_series_a_number() -> None:
    trace = read(
        {"ph": "C", "name": "heap", "ts": 1, "args": {"used": 5}},
        {"ph": "C", "name": "cpu", "ts": 2, "args": {"user": 1.5, "system": 2}},
        {"ph": "C", "name": "nothing", "ts": 3, "args": {"word": "x"}},
    )
    rows = zip(named(trace, trace.counters.name), trace.counters.value.tolist(), strict=True)
    assert list(rows) == [("heap", 5), ("cpu.user", 1.5), ("cpu.system", 2)]
    assert warned(trace) == {"counter_without_level": 1}


def test_intervals_are_joined_by_category_id_and_name_and_may_overlap() -> None:
    trace = read(
        {"ph": "b", "cat": "net", "id": 1, "name": "fetch", "ts": 0},
        {"ph": "b", "cat": "net", "id": 2, "name": "fetch", "ts": 1},
        {"ph": "e", "cat": "net", "id": 1, "name": "fetch", "ts": 5},
        {"ph": "e", "cat": "net", "id": 2, "name": "fetch", "ts": 9},
        {"ph": "S", "cat": "old", "id": "0x3", "name": "load", "ts": 2},
        {"ph": "F", "cat": "old", "id": "0x3", "name": "load", "ts": 3, "tid": 2},
        {"ph": "e", "cat": "net", "id": 9, "name": "fetch", "ts": 9},
    )
    spans = trace.async_spans
    rows = zip(named(trace, spans.ident), spans.start.tolist(), spans.end.tolist(), strict=True)
    assert list(rows) == [("1", 0, 5000), ("2", 1000, 9000), ("0x3", 2000, 3000)]
    assert warned(trace) == {"half_interval": 1}
    assert trace.warnings[-1].text.endswith("were dropped: `fetch` on pid 1, tid 1 at 9.00 µs, without a beginning")


def test_a_local_id_belongs_to_its_process_a_global_one_to_all() -> None:
    trace = read(
        {"ph": "b", "id2": {"local": "0x1"}, "ts": 0},
        {"ph": "e", "id2": {"local": "0x1"}, "ts": 5, "pid": 2},
        {"ph": "b", "id2": {"global": "0x7"}, "ts": 1},
        {"ph": "e", "id2": {"global": "0x7"}, "ts": 6, "pid": 2},
    )
    assert named(trace, trace.async_spans.ident) == ["0x7"]
    assert warned(trace) == {"half_interval": 2}


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from("be"), st.integers(0, 2)), max_size=14))
def test_an_end_closes_the_innermost_open_interval_of_its_kind(steps: list[tuple[str, int]]) -> None:
    opened: dict[int, list[int]] = {}
    expected: list[tuple[int, int]] = []
    for at, (phase, ident) in enumerate(steps):
        if phase == "b":
            opened.setdefault(ident, []).append(at * 1000)
        elif opened.get(ident):
            expected.append((opened[ident].pop(), at * 1000))
    trace = read(*({"ph": phase, "id": ident, "ts": at} for at, (phase, ident) in enumerate(steps)))
    spans = trace.async_spans
    assert sorted(zip(spans.start.tolist(), spans.end.tolist(), strict=True)) == sorted(expected)
    assert warned(trace).get("half_interval", 0) == len(steps) - 2 * len(expected)


def test_arrows_go_from_each_step_of_a_flow_to_the_next() -> None:
    trace = read(
        {"ph": "s", "id": 1, "name": "post", "ts": 1},
        {"ph": "t", "id": 1, "name": "post", "ts": 4, "tid": 2},
        {"ph": "f", "id": 1, "name": "post", "ts": 6, "bp": "e"},
        {"ph": "s", "id": 1, "name": "post", "ts": 8},
        {"ph": "s", "id": 1, "name": "post", "ts": 8.5},
        {"ph": "f", "id": 5, "name": "post", "ts": 9},
    )
    flows = trace.flows
    assert list(zip(flows.from_time.tolist(), flows.to_time.tolist(), strict=True)) == [(1000, 4000), (4000, 6000)]
    assert flows.from_profile.tolist() == [0, -1]
    assert warned(trace) == {"half_flow": 1}


def test_arguments_are_read_from_the_file_when_they_are_asked_for() -> None:
    events = [
        WORK | {"args": {"url": "a.js", "size": [1, 2]}},
        WORK | {"name": "inner", "ts": 5, "dur": 10, "args": {}},
        {"ph": "B", "name": "begun", "ts": 20, "pid": 1, "tid": 1, "args": {"n": 7}},
        {"ph": "E", "name": "begun", "ts": 30, "pid": 1, "tid": 1, "args": {"n": 8}},
        {"ph": "i", "name": "other", "ts": 1, "pid": 1, "tid": 1, "args": {"n": 9}},
    ]
    data = gzip.compress(json.dumps(events, indent=1).encode("utf-16"))
    trace = read_trace(data, name="t")
    found = read_arguments(data, trace, ["s0", "s1", "s2"])
    assert found == {"s0": {"url": "a.js", "size": [1, 2]}, "s1": None, "s2": {"n": 7}}
    with pytest.raises(UnknownHandle, match="s0 to s2"):
        read_arguments(data, trace, ["s3"])
    with pytest.raises(InvalidQuestion, match="not the file"):
        read_arguments(data + b"x", trace, ["s0"])


NOON = 1_740_830_400_250_000_000


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"startTime": "2025-03-01T12:00:00.250Z"}, (NOON, None)),  # written in UTC: what clocks showed is not said
        ({"startTime": "2025-03-01T17:30:00.250+05:30"}, (NOON, 330)),
        ({"startTime": "2025-03-01T12:00:00"}, (None, None)),  # whose noon is not said
        ({"startTime": "0001-01-01T00:00:00+10:00"}, (None, 600)),
        ({"startTime": "yesterday"}, (None, None)),
        ({"startTime": 5}, (None, None)),
        ({}, (None, None)),
    ],
)
def test_when_it_was_recorded_is_known_where_the_file_says_it(metadata: Any, expected: tuple[int, int]) -> None:
    trace = read(metadata=metadata)
    assert (trace.recorded_at_ns, trace.utc_offset_minutes) == expected


@pytest.mark.parametrize(
    ("base", "expected"), [(NOON, NOON + 20_000), ("then", None), (-(10**18), None), (1 << 63, None)]
)
def test_times_that_count_from_a_base_say_when_it_was(base: Any, expected: int | None) -> None:
    events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}}, WORK | {"ts": 20}]
    data = json.dumps({"baseTimeNanoseconds": base, "traceEvents": events}).encode()
    assert read_trace(data, name="t").recorded_at_ns == expected
