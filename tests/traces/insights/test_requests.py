"""Slow queries and accesses to files: on which threads they count, and how severe they are."""

import pytest

from tests.traces.insights.recorded import one_after_another, timeline
from tests.traces.insights.test_detectors import Case
from tests.traces.insights.written_findings import assert_as_written, cases_of
from traces.insights.insight import Severity, State
from traces.insights.registry import insight
from traces.insights.requests import DETECTORS


@pytest.mark.parametrize(("thread", "counts"), [("CrRendererMain", True), ("main", True), ("worker", False)])
def test_an_access_to_a_file_counts_on_the_thread_that_answers_people(thread: str, *, counts: bool) -> None:
    trace = timeline([("work", 0, 50), ("readFileSync", 1, 30)], name=thread)
    assert (insight(trace, "main-thread-access").state is State.FAIL) == counts


@pytest.mark.parametrize("thread", ["main", "worker"])
def test_a_slow_query_counts_on_every_thread(thread: str) -> None:
    trace = timeline([("handle", 0, 900), ("SELECT 1", 10, 610), ("SELECT 2", 620, 700)], name=thread)
    found = insight(trace, "slow-query")
    assert found.state is State.FAIL
    assert "took 600 ms from 10.0 ms on; 1 took 500 ms or more" in found.detail


def test_runs_on_end_with_their_last_call() -> None:
    trace = timeline([("handle", 0, 1000), *one_after_another("GET /item", 6, 100, gap=1, start=5)], name="worker")
    found = insight(trace, "sequential-calls")
    assert found.evidence[-1].handle == "s6"
    assert found.severity is Severity.MEDIUM
    assert found.window is not None
    assert (found.window.start, found.window.end) == (5e6, 610e6)


@pytest.mark.parametrize("case", cases_of(DETECTORS))
def test_each_finding_is_what_is_written_of_it(case: Case) -> None:
    assert_as_written(case)
