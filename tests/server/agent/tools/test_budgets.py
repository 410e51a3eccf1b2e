"""Budgets hold for any trace: a result under its cap, a cut one that says how to narrow, a tree that reads back."""

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.agent.bounds import AgentBounds
from server.agent.tools.all_tools import TOOLS
from server.agent.tools.get_call_tree import CallTreeArguments, answer_call_tree
from server.agent.verification.facts import QUOTED
from tests.server.agent.tool_context import ask_tool
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.stacks import StackTable

NODE = re.compile(r"(\d+) (n\d+) (f\d+) (\"(?:[^\"\\]|\\.)*\")")
PATHS = st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=6), min_size=1, max_size=20)
NAMES = st.lists(st.text(max_size=12), min_size=8, max_size=8)


def trace_of(paths: list[list[int]], names: list[str]) -> Trace:
    builder = TraceBuilder("any.json", "example")
    frames = [builder.frame(f"{name}{index}", "a.py", index + 1) for index, name in enumerate(names)]
    stacks = StackTable()
    leaves = stacks.leaves([[frames[step] for step in path] for path in paths])
    builder.add_sampled("t", stacks, leaves, [np.arange(1, len(paths) + 1) * 1_000_000])
    return builder.build(content_key="8" * 64, source_bytes=1)


@settings(max_examples=60, deadline=None)
@given(PATHS, NAMES, st.integers(1, 12))
def test_a_budgeted_tree_reads_back_as_the_connected_part_it_is(
    paths: list[list[int]], names: list[str], budget: int
) -> None:
    trace = trace_of(paths, names)
    outcome = answer_call_tree(trace, CallTreeArguments(max_nodes=budget))
    nodes: list[dict[str, Any]] = outcome.data["nodes"]
    read = [NODE.match(line) for line in outcome.text.splitlines()]
    printed = [(int(one[1]), one[2], one[3]) for one in read if one is not None]
    assert printed == [(node["depth"], node["handle"], node["frame_handle"]) for node in nodes]
    assert len(printed) <= budget
    above: list[str] = []
    for (depth, handle, _), node in zip(printed, nodes, strict=True):
        del above[depth:]
        assert len(above) == depth, "every node stands below its parent"
        assert node["parent"] == (above[-1] if above else None)
        above.append(handle)
    every_node = answer_call_tree(trace, CallTreeArguments(max_nodes=200)).data["nodes"]
    assert outcome.data["cut_nodes"] == len(every_node) - len(nodes)
    if outcome.data["cut_nodes"]:
        assert "cut" in outcome.text
        kept, left = (
            {node["handle"] for node in nodes},
            [n for n in every_node if n["handle"] not in {m["handle"] for m in nodes}],
        )
        lightest = min(node["total_value"] for node in nodes)
        assert all(node["parent"] not in kept or node["total_value"] <= lightest for node in left)


@cache
def wide() -> Trace:
    """1,000 functions with long names on 100 threads: more than every tool may list."""
    builder = TraceBuilder("wide.json", "example")
    frames = [
        builder.frame(f"Some.Namespace.{'x' * 90}.function_{i}", f"src/{'y' * 60}/{i}.cs", i) for i in range(1_000)
    ]
    for thread in range(100):
        stacks = StackTable()
        chosen = frames[thread % 20 :: 20]
        leaves = stacks.leaves([chosen[:30], *([frames[0], frame] for frame in chosen)])
        builder.add_sampled(f"thread {thread} {'z' * 60}", stacks, leaves, [np.full(len(leaves), 1_000_000)])
    return builder.build(content_key="9" * 64, source_bytes=1)


MOST: dict[str, dict[str, Any]] = {
    "get_top_functions": {"limit": 100},
    "get_call_tree": {"max_nodes": 200},
    "get_callers_callees": {"frame": "f0", "limit": 50},
    "find_frames": {"pattern": "function", "limit": 100},
    "list_profiles": {"limit": 100},
    "get_hottest_windows": {"limit": 20},
    "get_longest_calls": {"limit": 50},
    "query_trace": {"sql": "SELECT * FROM nodes LIMIT 500"},
    "compare_traces": {"others": ["p1"], "limit": 50},
    "draw_chart": {"kind": "self_time"},
    "generate_sandwich_flamegraph_screenshot": {"frame": "f0"},
}


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if not tool.needs], ids=lambda tool: tool.name)
async def test_the_most_one_can_ask_for_stays_under_the_cap_and_says_how_to_narrow(tool: Any) -> None:
    if tool.name == "get_span_details":
        return
    outcome = await ask_tool(tool.name, MOST.get(tool.name, {}), wide())
    cap = AgentBounds().result_characters
    assert len(outcome.text) <= cap + 200
    if len(outcome.text) > cap:
        assert "cut at" in outcome.text
        assert outcome.text.endswith(tool.narrow)


def test_every_tool_says_how_to_ask_for_less() -> None:
    assert all(tool.narrow and QUOTED.search(tool.narrow) is None for tool in TOOLS)
