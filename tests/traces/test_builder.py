"""The builder: times and weights as columns, what is refused, what is counted, and the clock of the finished trace."""

from collections.abc import Callable

import numpy as np
import pytest

from traces.builder import LEAST_CONTRADICTION_NS, MAX_REASON, MAX_TIME_NS, TraceBuilder, fitted_running, too_long
from traces.errors import DamagedTrace, EmptyTrace
from traces.model import Trace
from traces.nesting import Nested, nest_slices
from traces.stacks import StackTable
from traces.values import Clock, Counts, Facts, Order, Unit, ValueType, Waits

BYTES = (ValueType("bytes", Unit.BYTES),)


def sampled(builder: TraceBuilder, weights: list[float], **more: object) -> int:
    table = StackTable()
    main, work = builder.frame("main"), builder.frame("work")
    leaves = table.leaves([[main, work], [], [main]][: len(weights)])
    return builder.add_sampled("thread", table, leaves, [np.array(weights)], **more)  # type: ignore[arg-type]


def nested(builder: TraceBuilder, *calls: tuple[int, int]) -> Nested:
    start, end = (np.array(column, np.int64) for column in zip(*calls, strict=True))
    return nest_slices(start, end, np.full(len(calls), builder.frame("work"), np.int32))


def marked(builder: TraceBuilder, *at: int) -> None:
    sampled(builder, [1])
    for time in at:
        builder.instant(0, time, "mark")


def built(builder: TraceBuilder) -> Trace:
    return builder.build(content_key="0" * 64, source_bytes=7)


def test_samples_without_times_lie_end_to_end_from_0() -> None:
    builder = TraceBuilder("a", "example")
    sampled(builder, [5, 3, 2.6])
    (profile,) = built(builder).profiles
    assert profile.samples is not None
    assert profile.samples.time.tolist() == [0, 5, 8]
    assert (profile.axis_start, profile.axis_end) == (0, 11)
    assert profile.samples.weights[0].tolist() == [5, 3, 3]
    assert profile.samples.weights[0].dtype == np.int64
    assert profile.samples.leaf.tolist()[1] == -1


def test_an_axis_that_is_not_given_goes_from_the_first_sample_to_the_end_of_the_last() -> None:
    builder = TraceBuilder("a", "example")
    time = np.array([100, 110, 130])
    sampled(builder, [5, 3, 2], time=time)
    sampled(builder, [5, 3, 2], time=time, axis_start=90, axis_end=200)
    sampled(builder, [5, 3, 2], time=time, values=BYTES, axis=Unit.NANOSECONDS)
    sampled(builder, [], time=time[:0])
    trace = built(builder)
    ends = [(one.axis_start, one.axis_end) for one in trace.profiles]
    assert ends == [(100, 132), (90, 200), (100, 130), (0, 0)]


def test_the_earliest_moment_becomes_0_and_sums_stay_where_they_are() -> None:
    builder = TraceBuilder("a", "example")
    sampled(builder, [5, 3, 2], time=np.array([100, 110, 130]))
    builder.add_evented("calls", nested(builder, (70, 95), (75, 80)))
    builder.instant(0, 120, "mark")
    builder.counter(0, 125, "level", 3.5)
    sums = Facts(order=Order.NONE, clock=Clock.NONE)
    sampled(builder, [5, 3, 2], facts=sums)
    trace = built(builder)
    first, calls, third = trace.profiles
    assert first.samples is not None
    assert calls.spans is not None
    assert first.samples.time.tolist() == [30, 40, 60]
    assert (calls.axis_start, calls.axis_end) == (0, 25)
    assert (calls.spans.start.tolist(), calls.spans.end.tolist()) == ([0, 5], [25, 10])
    assert (trace.instants.time.tolist(), trace.counters.time.tolist()) == ([50], [55])
    assert (third.axis_start, third.axis_end) == (0, 10)


def added(adds: Callable[[TraceBuilder], object]) -> Trace:
    builder = TraceBuilder("a.json", "example")
    adds(builder)
    return built(builder)


@pytest.mark.parametrize(
    ("adds", "reason"),
    [
        (lambda builder: sampled(builder, [1, -1]), "a sample has a negative weight."),
        (lambda builder: sampled(builder, [1, float("nan")]), "a time or weight is not a finite number."),
        (lambda builder: sampled(builder, [1, 1], time=np.array([2, 1])), "its samples are not in time order."),
        (lambda builder: sampled(builder, [1], time=np.array([MAX_TIME_NS + 1])), "a time is out of range."),
        (lambda builder: sampled(builder, [1], time=np.array([-MAX_TIME_NS - 1])), "a time is out of range."),
        (lambda builder: marked(builder, 5, MAX_TIME_NS * 2), "a time is out of range."),
        (lambda builder: marked(builder, 5, -MAX_TIME_NS * 2), "a time is out of range."),
    ],
)
def test_what_no_profile_can_hold_is_damage(adds: Callable[[TraceBuilder], object], reason: str) -> None:
    with pytest.raises(DamagedTrace) as damage:
        added(adds)
    assert str(damage.value) == f"a.json: this example file is damaged: {reason} Record or export it again."


def test_times_at_the_bound_and_equal_times_are_none() -> None:
    builder = TraceBuilder("a", "example")
    sampled(builder, [0, 0], time=np.array([MAX_TIME_NS, MAX_TIME_NS]))
    assert built(builder).profiles[0].axis_end == 0


def test_a_long_reason_is_given_by_its_two_ends() -> None:
    builder = TraceBuilder("a", "example")
    assert "…" not in str(builder.damaged("x" * MAX_REASON))
    builder.breaks_off = "It breaks off: "
    text = str(builder.damaged("b" + "x" * MAX_REASON + "e"))
    half = MAX_REASON // 2 - 1
    assert f"It breaks off: b{'x' * half} … {'x' * half}e Record" in text


def test_warnings_of_one_code_add_up_and_of_nothing_there_is_none() -> None:
    builder = TraceBuilder("a", "example")
    sampled(builder, [1])
    builder.warn("lost", "lost once")
    builder.warn("lost", "lost again", 4)
    builder.warn("cut", "cut", 0)
    builder.warn("cut", "cut", -1)
    (warning,) = built(builder).warnings
    assert (warning.code, warning.text, warning.count) == ("lost", "lost again", 5)


def test_the_first_moment_that_a_file_gives_is_when_it_was_recorded() -> None:
    def recorded(*given: tuple[int | None, int | None]) -> tuple[int | None, int | None]:
        builder = TraceBuilder("a", "example")
        sampled(builder, [1])
        for at, offset in given:
            builder.recorded(at, utc_offset_minutes=offset)
        trace = built(builder)
        return trace.recorded_at_ns, trace.utc_offset_minutes

    assert recorded((None, None), (5, 60), (6, 90)) == (5, 60)
    assert recorded((0, 1_440), (7, None)) == (7, None)
    assert recorded((-1, -1_439)) == (None, -1_439)
    assert recorded((1 << 63, -1_440)) == (None, None)
    assert recorded(((1 << 63) - 1, 0)) == ((1 << 63) - 1, 0)


def test_a_file_that_holds_nothing_is_empty_and_one_with_a_moment_on_a_thread_is_not() -> None:
    builder = TraceBuilder("a.json", "example")
    with pytest.raises(EmptyTrace, match=r"a.json: this example file holds neither samples nor spans"):
        built(builder)
    builder.instant(-1, 5, "mark")
    with pytest.raises(EmptyTrace):
        built(builder)
    sampled(builder, [], time=np.zeros(0))
    assert built(builder).instants.time.tolist() == [5]


def test_frames_are_one_by_name_and_place_and_keep_their_first_category() -> None:
    builder = TraceBuilder("a", "example")
    first = builder.frame("work", "a.py", 3, 4, "user")
    assert builder.frame("work", "a.py", 3, 4, "other") == first
    assert len({first, builder.frame("work", "a.py", 3), builder.frame("work", "a.py"), builder.frame("work")}) == 4


def test_profiles_are_known_by_number_and_the_one_marked_main_has_its_role() -> None:
    builder = TraceBuilder("a", "example")
    places = [builder.add_evented(name, nested(builder, (0, 9))) for name in ("one", "two")]
    assert (places, builder.profile_count) == ([0, 1], 2)
    assert [builder.name_of(at) for at in (-1, 0, 1)] == ["", "one", "two"]
    builder.mark_main([1])
    assert [one.role.value for one in built(builder).profiles] == ["unknown", "main"]


def test_a_timeline_counts_calls_with_what_the_file_has_of_each() -> None:
    builder = TraceBuilder("a", "example")
    calls = nested(builder, (20, 30), (0, 10), (0, 50))
    offsets, lengths = np.array([7, 8, 9]), np.array([1, 2, 3], np.int32)
    running = np.array([4, 5, -1])
    builder.add_evented("t", calls, args_offset=offsets, args_length=lengths, running=running)
    builder.add_evented("u", nested(builder, (0, 9)), unit=Unit.BYTES)
    timed, other = built(builder).profiles
    assert timed.spans is not None
    assert timed.spans.start.tolist() == [0, 0, 20]
    order = [2, 1, 0]
    assert timed.spans.args_offset.tolist() == offsets[order].tolist()
    assert timed.spans.args_length.tolist() == lengths[order].tolist()
    assert timed.spans.running.tolist() == running[order].tolist()
    assert (timed.counts, timed.facts.waits, timed.facts.clock) == (Counts.CALLS, Waits.BOTH, Clock.TRACE)
    assert (other.facts.order, other.facts.clock, other.values[0].name) == (Order.NONE, Clock.NONE, "weight")


def test_calls_that_outlast_their_parents_are_cut_and_counted() -> None:
    builder = TraceBuilder("a", "example")
    builder.add_evented("t", nested(builder, (0, 10), (5, 15)))
    trace = built(builder)
    assert trace.profiles[0].spans is not None
    assert trace.profiles[0].spans.end.tolist() == [10, 10]
    assert [(one.code, one.count) for one in trace.warnings] == [("clamped", 1)]


def test_time_on_a_processor_is_cut_where_it_contradicts_the_clock() -> None:
    long, slack = LEAST_CONTRADICTION_NS * 100, LEAST_CONTRADICTION_NS * 10
    running = np.array([5, slack + long, slack + long + 1, LEAST_CONTRADICTION_NS, LEAST_CONTRADICTION_NS + 11, 5])
    start = np.array([3, 3, 3, 3, 3, 10])
    end = start + np.array([10, long, long, 10, 10, 10])
    assert too_long(running, end - start).tolist() == [False, False, True, False, True, False]
    fitted = fitted_running(running, start, end, np.array([5], np.int32))
    assert fitted.tolist() == [5, slack + long, long, LEAST_CONTRADICTION_NS, 10, -1]


def test_a_weight_column_is_for_one_value() -> None:
    with pytest.raises(ValueError, match="longer than"):
        sampled(TraceBuilder("a", "example"), [1], values=(*BYTES, *BYTES))


def test_stacks_that_are_too_deep_are_cut_and_counted() -> None:
    builder = TraceBuilder("a", "example")
    table = StackTable()
    deep = table.leaves([[builder.frame("walk")] * 65_540])
    builder.add_sampled("thread", table, deep, [np.array([1])])
    start = np.arange(65_540)
    builder.add_evented("calls", nest_slices(start, 200_000 - start, np.zeros(len(start), np.int32)))
    (warning,) = built(builder).warnings
    assert (warning.code, warning.text) == ("too_deep", "stacks deeper than 65,535 frames were cut")
    assert warning.count > 1


def test_a_large_profile_among_small_ones_has_its_own_tree() -> None:
    builder = TraceBuilder("a", "example")
    sampled(builder, [1, 1, 1])
    table = StackTable()
    leaf = table.leaves([[builder.frame(f"f{k}")] for k in range(3)])
    count = 100_000
    builder.add_sampled("many", table, np.resize(leaf, count), [np.ones(count)])
    sampled(builder, [1, 1, 1])
    trace = built(builder)
    assert [len(one.tree) for one in trace.profiles] == [2, 3, 2]
    assert [one.node_base for one in trace.profiles] == [0, 2, 5]
    assert trace.profiles[1].tree.self_values[0].sum() == count
