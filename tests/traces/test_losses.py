"""What figures of calls are worth where a recorder lost some."""

from tests.traces.insights.recorded import sampled, timeline
from traces.losses import LOST_CALLS, lost_calls
from traces.model import Trace
from traces.restated import restated
from traces.values import TraceWarning


def with_warning(trace: Trace, code: str) -> Trace:
    return restated(trace, warnings=(TraceWarning(code, "what was lost"),))


def test_counts_and_own_time_of_calls_are_doubtful_where_some_were_lost_and_samples_are_not() -> None:
    calls = timeline([("main", 0, 10)])
    for code in ("lost", "overflow"):
        trace = with_warning(calls, code)
        assert lost_calls(trace, trace.profiles) == LOST_CALLS
        samples = with_warning(sampled({"main": 5}), code)
        assert lost_calls(samples, samples.profiles) == ""
    assert lost_calls(calls, calls.profiles) == lost_calls(with_warning(calls, "clamped"), calls.profiles) == ""


def test_a_warning_says_how_often_where_that_is_more_than_once() -> None:
    assert [TraceWarning("lost", "events were lost", count).often for count in (1, 2, 1_234)] == [
        "",
        " (2)",
        " (1,234)",
    ]
