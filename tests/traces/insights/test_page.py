"""Scripts that force layout, whatever called them; and a page whose layout no script forced."""

import pytest

from tests.traces.insights.recorded import timeline
from tests.traces.insights.test_detectors import Case
from tests.traces.insights.written_findings import assert_as_written, cases_of
from traces.insights.insight import Severity, State
from traces.insights.page import DETECTORS, LAYOUT, SCRIPT
from traces.insights.registry import insight


@pytest.mark.parametrize("script", list(SCRIPT))
def test_layout_in_any_script_is_forced(script: str) -> None:
    trace = timeline([("RunTask", 0, 100), (script, 1, 90), ("Layout", 2, 82), ("RunTask", 200, 210)], length=1000)
    found = insight(trace, "forced-reflow")
    assert (found.state, [one.value for one in found.evidence]) == (State.FAIL, ["100 ms", "80.0 ms"])


@pytest.mark.parametrize("layout", LAYOUT)
def test_layout_of_any_kind_outside_of_scripts_is_not_forced(layout: str) -> None:
    trace = timeline([("RunTask", 0, 100), (layout, 1, 90), ("RunTask", 200, 210)], length=1000)
    assert insight(trace, "forced-reflow").state is State.PASS
    assert insight(trace, "layout-thrashing").state is State.PASS


def test_scripts_are_those_that_the_timeline_of_chrome_names() -> None:
    """front_end/models/trace/handlers of chrome-devtools-frontend."""
    animated = {"FireAnimationFrame", "TimerFire", "EventDispatch"}
    assert set(SCRIPT) == {"FunctionCall", "EvaluateScript", "v8.evaluateModule", "v8.run"} | animated


@pytest.mark.parametrize(("lasts", "severity"), [(299, Severity.MEDIUM), (300, Severity.HIGH)])
def test_ten_times_the_bound_is_severe(lasts: float, severity: Severity) -> None:
    trace = timeline([("RunTask", 0, 500), ("FunctionCall", 1, 400), ("Layout", 2, 2 + lasts), ("RunTask", 600, 610)])
    assert insight(trace, "forced-reflow").severity is severity


@pytest.mark.parametrize("case", cases_of(DETECTORS))
def test_each_finding_is_what_is_written_of_it(case: Case) -> None:
    assert_as_written(case)
