"""draw_chart: what a model without eyes reads of a chart."""

import pytest

from server.agent.tools.contract.tool_errors import ToolRetry
from tests.rendering.call_trees import Program, evented, sampled
from tests.server.agent.tool_context import ask_tool
from tests.server.agent.tools.written_outcomes import assert_answered, calls_of
from tests.traces.insights.recorded import timeline

PROGRAM: Program = [(("a", "b"), 4), (("a",), 2), (("a", "b"), 2), (("c",), 8)]


async def test_what_a_chart_leaves_out_is_noted() -> None:
    threads = [[("work", 0.0, 10.0 + k)] for k in range(30)]
    outcome = await ask_tool("draw_chart", {"kind": "activity"}, timeline(*threads, names=[f"t{k}" for k in range(30)]))
    (note,) = outcome.data["notes"]
    assert note.endswith("busiest of 30 profiles")
    assert outcome.text.splitlines()[:2] == ["activity over time, 1000×500 PNG", f"note: {note}"]
    assert outcome.text.splitlines()[-1] == 'p29 "t29" 100.0% busy'


async def test_durations_are_those_of_the_calls_of_one_function() -> None:
    outcome = await ask_tool("draw_chart", {"kind": "durations", "frame": "b"}, evented(PROGRAM))
    assert outcome.text.splitlines()[1] == "2 calls: least 2.00 µs, median 3.00 µs, p95 3.90 µs, longest 4.00 µs"
    assert (outcome.data["handle"], outcome.data["notes"]) == ("f1", [])
    with pytest.raises(ToolRetry, match="durations are of one function: name its frame"):
        await ask_tool("draw_chart", {"kind": "durations"}, evented(PROGRAM))
    with pytest.raises(ToolRetry, match="does not tell how long single calls took"):
        await ask_tool("draw_chart", {"kind": "durations", "frame": "b"}, sampled(PROGRAM))


async def test_a_counter_is_named_or_the_only_one() -> None:
    readings = [("heap", 1.0, 10.0), ("heap", 2.0, 30.0), ("heap", 3.0, 20.0)]
    one = timeline([("work", 0, 10)], counters=readings)
    outcome = await ask_tool("draw_chart", {"kind": "counter"}, one)
    assert outcome.text.splitlines()[1:] == ["3 readings from 10 to 30, 20 at the end"]
    two = timeline([("work", 0, 10)], counters=[*readings, ("handles", 1.0, 5.0)])
    with pytest.raises(ToolRetry, match='name a counter: "heap"'):
        await ask_tool("draw_chart", {"kind": "counter", "counter": "haep"}, two)
    with pytest.raises(ToolRetry, match="this trace has no counters"):
        await ask_tool("draw_chart", {"kind": "counter"}, evented(PROGRAM))


@pytest.mark.parametrize(("module", "call"), calls_of("draw_chart"))
async def test_an_outcome_is_as_it_is_written(module: str, call: str) -> None:
    await assert_answered(module, call)
