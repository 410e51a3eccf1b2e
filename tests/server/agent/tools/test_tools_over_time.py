"""The tools over several profiles, over one's own code, and over time."""

from typing import Any

import numpy as np
import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.bounds import AgentBounds
from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.run_tool import named_tool, run_tool
from server.agent.tools.contract.tool import Outcome
from server.agent.tools.contract.tool_errors import ToolRetry
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.nesting import nest_slices

MS = 1_000_000


def two_threads() -> Trace:
    """On each of two threads handle (100 ms) > json.loads (a library's, 60 ms) > hook (20 ms); a second later 40 ms."""
    builder = TraceBuilder("two.json", "example")
    handle = builder.frame("handle", "app.py", 1)
    loads = builder.frame("json.loads", "/usr/lib/python3.11/json/__init__.py", 300)
    hook = builder.frame("hook", "app.py", 9)
    for name in ("one", "two"):
        start, duration = np.array([0, 10, 20, 1000]) * MS, np.array([100, 60, 20, 40]) * MS
        frames = np.array([handle, loads, hook, handle], np.int32)
        builder.add_evented(name, nest_slices(start, start + duration, frames))
    return builder.build(content_key="5" * 64, source_bytes=4_200)


async def ask(name: str, arguments: dict[str, Any]) -> Outcome:
    workers, bounds = InlineTraceWorkers(), AgentBounds()
    outcome, _ = await run_tool(
        named_tool(name, TOOLS),
        arguments,
        trace=workers.hold(two_threads()),
        workers=workers,
        seconds=bounds.tool_seconds,
        characters=bounds.result_characters,
    )
    return outcome


async def test_all_profiles_are_added_up() -> None:
    one, every = await ask("get_top_functions", {}), await ask("get_top_functions", {"profile": "all"})
    assert every.data["profile"] == "all"
    assert every.data["whole"] == 2 * one.data["whole"] == 280 * MS


async def test_what_libraries_take_goes_to_the_own_code_that_called_them() -> None:
    outcome = await ask("get_top_functions", {"my_code": True})
    assert [(row["name"], row["self_value"] / MS) for row in outcome.data["rows"]] == [("handle", 120), ("hook", 20)]
    tree = await ask("get_call_tree", {"my_code": True, "profile": "all"})
    assert [node["name"] for node in tree.data["nodes"]] == ["handle", "hook"]
    around = await ask("get_callers_callees", {"my_code": True, "frame": "hook"})
    assert [row["name"] for row in around.data["callers"]] == ["handle"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_top_functions", {}),
        ("get_call_tree", {}),
        ("get_callers_callees", {"frame": "hook"}),
        ("find_frames", {"pattern": "h"}),
        ("get_hottest_windows", {"length_ms": 10}),
        ("get_longest_calls", {}),
        ("compare_traces", {"others": ["p1"]}),
    ],
)
async def test_every_question_takes_a_window_all_profiles_and_only_my_code(
    tool: str, arguments: dict[str, Any]
) -> None:
    unscoped = await ask(tool, arguments)
    for scope in ({"start_time_ms": 0, "end_time_ms": 15}, {"profile": "all"}, {"my_code": True}):
        assert (await ask(tool, arguments | scope)).data != unscoped.data, scope


async def test_functions_of_evented_profiles_say_what_single_calls_took() -> None:
    outcome = await ask("get_top_functions", {"filter": "handle"})
    assert "a call 40.0 ms/70.0 ms/100 ms" in outcome.text
    assert outcome.data["rows"][0]["durations"]["p99"] == 100 * MS


async def test_the_hottest_window_says_when_and_what() -> None:
    outcome = await ask("get_hottest_windows", {"length_ms": 100, "limit": 1})
    assert "0 ns to 100 ms: 100 ms 71.4%; self: " in outcome.text
    assert outcome.data["rows"][0]["functions"][0]["name"] == "handle"
    of_hook = await ask("get_hottest_windows", {"length_ms": 20, "frame": "hook", "profile": "all"})
    assert [(row["start"] / MS, row["value"] / MS) for row in of_hook.data["rows"]] == [(20, 40)]


async def test_the_longest_calls_come_with_their_handles() -> None:
    outcome = await ask("get_longest_calls", {"outermost": True, "profile": "all", "limit": 3})
    assert [(row["handle"], row["duration"] / MS) for row in outcome.data["rows"]] == [
        ("s0", 100),
        ("s4", 100),
        ("s3", 40),
    ]
    assert "3 of 4" not in outcome.text
    assert "longest calls of 4 in all" in outcome.text


async def test_a_window_too_short_to_count_is_refused_with_the_shortest_there_is() -> None:
    with pytest.raises(ToolRetry, match="longer than"):
        await ask("get_hottest_windows", {"length_ms": 0.000001})
