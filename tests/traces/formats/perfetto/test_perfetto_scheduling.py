"""What threads did by the kernel's scheduling: states that add up, also in slices and in tables."""

from collections import Counter

import pytest

from tests.traces.formats.perfetto.scheduling_recordings import Sums, bundle, made_up, mark, switch, waking
from traces.analysis.longest import longest_spans
from traces.analysis.summary import summarise, time_shares
from traces.analysis.thread_time import thread_time
from traces.analysis.time_invariants import check_time
from traces.cache import decode, encode
from traces.export import sql_rows
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace
from traces.values import ThreadState


def read(data: bytes) -> Trace:
    trace = read_trace(data, name="recording")
    check(trace)
    check_time(trace)
    return decode(b"".join(bytes(part) for part in encode(trace)))


def sums(trace: Trace) -> Sums:
    states = trace.thread_states
    found: Sums = Counter()
    for profile, start, end, state in zip(
        states.profile.tolist(), states.start.tolist(), states.end.tolist(), states.state.tolist(), strict=True
    ):
        found[int(trace.profiles[profile].tid), ThreadState(state).name.lower()] += end - start
    return found


@pytest.mark.parametrize("in_columns", [False, True], ids=["events", "columns"])
@pytest.mark.parametrize("seed", range(3))
def test_threads_were_in_the_states_that_were_made_up(seed: int, *, in_columns: bool) -> None:
    data, expected = made_up(seed, threads=6, cpus=3, switches=300, in_columns=in_columns)
    trace = read(data)
    assert sums(trace) == expected
    for profile in trace.profiles:
        time = thread_time(trace, profile)
        assert time is not None
        assert time.busy + time.waiting + time.idle + time.unknown == time.length == trace.duration_ns
        if profile.tid:
            waits = expected[int(profile.tid), "runnable"] + expected[int(profile.tid), "blocked"]
            assert (time.busy, time.waiting) == (expected[int(profile.tid), "running"], waits)


def test_a_slice_is_split_by_what_its_thread_did() -> None:
    trace = read(
        bundle(
            0,
            switch(100, 7, "app", previous=0),
            mark(100, 7, "B|7|draw"),
            switch(200, 0, "swapper", previous=7, state=2),
            waking(260, 7),
            waking(265, 7),
            switch(270, 7, "app", previous=0),
            switch(300, 0, "swapper", previous=7, state=1),
            switch(400, 7, "app", previous=0),
            mark(420, 7, "E|7"),
            mark(420, 7, "B|7|open"),
            switch(500, 0, "swapper", previous=7, state=1),
        )
    )
    row = longest_spans(trace, profile=0).rows[0]
    assert (row.name, row.duration) == ("draw", 320)
    assert (row.running, row.runnable, row.sleeping, row.blocked) == (150, 10, 100, 60)
    columns = sql_rows.spans(trace)
    assert [columns[name].tolist()[:2] for name in ("running", "runnable", "sleeping", "blocked")] == [
        [150, -1], [10, -1], [100, -1], [60, -1],
    ]  # fmt: skip
    summary = summarise(trace)
    assert time_shares(summary.profiles[0])[:4] == [
        "150 ns of it on a processor", "10 ns runnable", "100 ns sleeping", "60 ns blocked",
    ]  # fmt: skip
    scheduled = next(p for p in summary.profiles if p.name == "app on processors")
    assert (scheduled.busy, scheduled.waiting, scheduled.idle) == (230, 70, 100)
    assert not scheduled.stands_for_thread


def test_a_thread_that_ended_is_in_no_state() -> None:
    trace = read(
        bundle(0, switch(100, 7, "app", previous=0), switch(200, 8, "b", previous=7, state=16), waking(300, 8))
    )
    assert sums(trace) == {(7, "running"): 100, (8, "running"): 100}


def test_a_file_without_scheduling_has_no_states() -> None:
    trace = read(bundle(0, mark(100, 7, "B|7|draw"), mark(300, 7, "E|7")))
    row = longest_spans(trace, profile=0).rows[0]
    assert (len(trace.thread_states), row.running, row.sleeping) == (0, None, None)
    assert summarise(trace).profiles[0].sleeping is None
