"""Collections of garbage: from which length on one is felt, and from which it stops a service."""

import pytest

from tests.traces.insights.recorded import timeline
from tests.traces.insights.test_detectors import Case
from tests.traces.insights.written_findings import assert_as_written, cases_of
from traces.insights.insight import Severity, State
from traces.insights.registry import insight
from traces.insights.runtime import DETECTORS


@pytest.mark.parametrize(("lasted", "severity"), [(50, Severity.MEDIUM), (999, Severity.MEDIUM), (1000, Severity.HIGH)])
def test_a_pause_weighs_as_it_lasts(lasted: float, severity: Severity) -> None:
    trace = timeline([("RunTask", 0, 2000), ("MajorGC", 1, 1 + lasted), ("RunTask", 3000, 3100)], length=9000)
    found = insight(trace, "collection-pause")
    assert (found.state, found.severity) == (State.FAIL, severity)


@pytest.mark.parametrize("case", cases_of(DETECTORS))
def test_each_finding_is_what_is_written_of_it(case: Case) -> None:
    assert_as_written(case)
