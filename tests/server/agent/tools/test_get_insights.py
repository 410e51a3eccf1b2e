"""get_insights as data: what a program that asked gets of a finding."""

import pytest

from tests.server.agent.tool_context import ask_tool
from tests.server.agent.tools.written_outcomes import assert_answered, calls_of
from tests.traces.insights.recorded import timeline


async def test_a_finding_has_its_evidence_and_its_time_from_the_profiles_start() -> None:
    trace = timeline([("RunTask", 10, 61), ("RunTask", 90, 100)])
    outcome = await ask_tool("get_insights", {"name": "long-tasks"}, trace)
    (found,) = outcome.data["insights"]
    assert found["evidence"] == [{"handle": "s0", "name": "RunTask", "amount": "51.0 ms", "share": None}]
    start = trace.profiles[0].axis_start
    assert found["window"] == {"start": 10e6 - start, "end": 61e6 - start}
    assert (found["state"], found["severity"], found["profile"]) == ("fail", "medium", "p0")


@pytest.mark.parametrize(("module", "call"), calls_of("get_insights"))
async def test_an_outcome_is_as_it_is_written(module: str, call: str) -> None:
    await assert_answered(module, call)
