"""Windows by name: a tool takes the names that the model was given, and those of findings; nothing else."""

from dataclasses import replace
from typing import Any, cast

import pytest

from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.arguments import Windowed
from server.agent.tools.contract.named_windows import NamedWindow, named_windows
from server.agent.tools.contract.tool_errors import ToolRetry
from server.agent.tools.contract.window_argument import by_numbers, known_windows
from server.protocol.wire_values import ViewerState, Window
from server.testing.scripted import Line, ScriptedChat, ScriptedModels
from tests.server.agent.tool_context import ask_tool
from tests.server.agent.turns import stage
from tests.traces.insights.recorded import timeline
from traces.insights.registry import first_findings
from traces.model import Trace


def page() -> Trace:
    """Two long tasks that read alike, a handler in the first, and a load; the main thread begins at 0."""
    tasks = [("RunTask", 10, 20), ("RunTask", 1000.1, 1200), ("EventDispatch", 1010, 1190), ("RunTask", 1200.2, 1400)]
    idle = [("RunTask", 5000, 5001)]
    return timeline([*tasks, *idle], instants=[("navigationStart", 5), ("loadEventEnd", 900)])


def names(trace: Trace) -> list[str]:
    return [window.name for window in named_windows(trace, first_findings(trace))]


def test_no_two_windows_have_the_same_name() -> None:
    tasks = [("RunTask", 10_000.1, 10_100), ("RunTask", 10_100.2, 10_300), ("RunTask", 10_300.4, 10_400)]
    trace = timeline([("RunTask", 0, 1), *tasks, ("RunTask", 20_000, 20_001)])
    found = names(trace)
    assert len(set(found)) == len(found)
    assert {"the long task at 10.1 s", "the long task at 10.3 s"} <= set(found)


def test_alike_moments_are_numbered() -> None:
    tasks = [("RunTask", 100_000 + k * 60, 100_055 + k * 60) for k in range(3)]
    found = names(timeline([("RunTask", 0, 1), *tasks, ("RunTask", 200_000, 200_001)]))
    assert {"the long task at 100 s", "the long task at 100 s (2)", "the long task at 100 s (3)"} <= set(found)


@pytest.mark.parametrize("name", ["load", "LOAD", ' "load" ', "slow-handler", "the long task at 1.00 s"])
async def test_a_name_gives_what_its_numbers_give(name: str) -> None:
    trace = page()
    window = next(one for one in named_windows(trace, first_findings(trace)) if one.name in name.casefold())
    numbers = {"start_time_ms": window.start_ms, "end_time_ms": window.end_ms, "profile": window.profile}
    for tool in ("get_top_functions", "get_call_tree", "get_longest_calls", "generate_flamegraph_screenshot"):
        by_name, by_number = await ask_tool(tool, {"window": name}, trace), await ask_tool(tool, numbers, trace)
        assert by_name.data == by_number.data
        assert by_name.text == f"{window.line()}\n{by_number.text}"


async def test_every_tool_with_a_time_range_takes_a_name() -> None:
    timed = {tool.name for tool in TOOLS if "start_time_ms" in tool.arguments.model_fields}
    assert timed == {tool.name for tool in TOOLS if issubclass(tool.arguments, Windowed)}
    shown = await ask_tool("show_in_viewer", {"window": "load"}, page())
    assert shown.action is not None
    assert shown.action.window == Window(start=5e6, end=9e8)
    zoomed = await ask_tool("navigate", {"action": "zoom", "window": "load"}, page())
    assert zoomed.action is not None
    assert zoomed.action.window == shown.action.window


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"window": "lode"}, 'no window "lode"; there are load'),
        ({"window": "the long task"}, "the long task at 1.00 s"),
        ({"window": "load", "start_time_ms": 3}, "give either"),
        ({"window": "load", "profile": "p9"}, "no profile"),
        ({"window": "x" * 101}, "window: "),
    ],
)
async def test_what_is_no_name_is_refused_with_the_nearest(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ToolRetry) as refused:
        await ask_tool("get_top_functions", arguments, page())
    assert says in refused.value.text
    assert len(refused.value.text) < 500


async def test_a_trace_without_times_has_no_names() -> None:
    from tests.traces.insights.recorded import values
    from traces.values import Unit

    heap = values({"main": [5.0]}, [("allocated", Unit.BYTES)])
    with pytest.raises(ToolRetry, match="no stretch of this trace has a name"):
        await ask_tool("get_top_functions", {"window": "load"}, heap)


def test_another_profile_is_looked_at_in_the_same_moments() -> None:
    """Every profile counts from its own start."""
    trace = timeline([("RunTask", 0, 10), ("RunTask", 90, 200)], [("job", 30, 100)], names=["CrRendererMain", "worker"])
    main, worker = trace.profiles
    trace = replace(trace, profiles=(main, replace(worker, axis_start=30_000_000)))
    known = (NamedWindow("here", 20.0, 60.0, "p0"), NamedWindow("before", 5.0, 10.0, "p0"))
    arguments, line = by_numbers(trace, Windowed(window="here", profile="p1"), known)
    assert (arguments.start_time_ms, arguments.end_time_ms, arguments.profile) == (0.0, 30.0, "p1")
    assert line == "here: start_time_ms=0 end_time_ms=30 profile=p1"
    with pytest.raises(ToolRetry, match="p1 begins after before"):
        by_numbers(trace, Windowed(window="before", profile="p1"), known)


async def test_the_model_is_given_names_and_what_the_person_sees_is_one() -> None:
    call = Line(calls=(("get_top_functions", '{"window": "what is in view"}'),), finish_reason="tool_calls")
    chat = ScriptedChat(lines=[call, Line(text="Fine.")])
    scene = stage(ScriptedModels(chat), page(), viewer=ViewerState(window=Window(start=1e9, end=1.2e9)))
    await scene.agent.answer(scene.turn, scene.sink)
    assert "- load: start_time_ms=5 end_time_ms=900 profile=p0" in chat.requests[0].messages[0].text
    result = cast("str", chat.requests[1].messages[-1].text)
    assert result.startswith("q1: what is in view: start_time_ms=1000 end_time_ms=1200 profile=p0\n")


def test_known_windows_are_read_back_from_a_checkpoint() -> None:
    window = {"name": "load", "start_ms": 5.0, "end_ms": 900.0, "profile": "p0"}
    assert known_windows({"windows": [window]}) == (NamedWindow("load", 5.0, 900.0, "p0"),)
    assert known_windows({}) == ()
