"""The tools: what they return, how they refuse, and that a trace cannot speak through them."""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from server.adapters.workers.sql_process import SqlBounds
from server.agent.tools.all_tools import TOOLS, offered_tools
from server.agent.tools.contract.arguments import validated
from server.agent.tools.contract.run_tool import capped, named_tool, shown_fields
from server.agent.tools.contract.schema import function_definition
from server.agent.tools.contract.tool import Outcome
from server.agent.tools.contract.tool_errors import ToolFailed, ToolProblem, ToolRetry
from server.agent.tools.query_trace import GetSchema, answer_schema
from server.agent.tools.span_details import GET_SPAN_DETAILS
from server.agent.verification.facts import QUOTED
from server.protocol.mounted import MountedTool, ShownBox, ShownView, ShownWindow
from tests.server.agent.tool_context import ask_tool
from tests.server.agent.turns import HOSTILE, small_trace
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.nesting import nest_slices

EXAMPLES: dict[str, dict[str, Any]] = {
    "get_callers_callees": {"frame": "draw"},
    "find_frames": {"pattern": "a"},
    "generate_sandwich_flamegraph_screenshot": {"frame": "f2"},
    "show_in_viewer": {"handle": "f2"},
    "get_span_details": {"handle": "s0"},
    "draw_chart": {"kind": "self_time"},
    "compare_traces": {"others": ["earlier.json"]},
    "read_source": {"frame": "load"},
    "navigate": {"action": "highlight", "pattern": "parse"},
    "set_filter": {"filter": "focus", "frame": "f0"},
    "ask_person": {"question": "Which one?", "choices": ["draw", "load"]},
    "pick_trace": {"question": "Which one is before?"},
    "core_memory_append": {"fact": "draw is ours"},
    "core_memory_replace": {"old": "draw is ours", "new": "draw is Anna's"},
    "manage_memories": {"action": "correct", "old": "draw is ours", "fact": "draw is Anna's"},
    "search_knowledge": {"query": "how to record"},
    "ask_traces": {"question": "total time of load over my runs"},
    "query_library": {"sql": "SELECT name, self_ms FROM lib.functions"},
    "query_trace": {"sql": "SELECT name, total_ms FROM nodes ORDER BY total_ms DESC"},
}
VIEW = ShownView.model_validate(
    {
        "profile": "p0",
        "view": "time_order",
        "window": {"start": 0, "end": 4},
        "depth": 1,
        "boxes": [{"frame": "f0", "row": 0, "start": 0, "end": 5}],
        "selection": "f0",
    }
)


def one_call(*, hostile: bool) -> Trace:
    builder = TraceBuilder("calls.json", "example")
    frame = builder.frame(HOSTILE if hostile else "parse_json", "app.py", 9)
    builder.add_evented("MainThread", nest_slices(np.array([0]), np.array([5]), np.array([frame], np.int32)))
    return builder.build(content_key="7" * 64, source_bytes=1)


async def ask(name: str, arguments: dict[str, Any], trace: Trace | None = None) -> Outcome:
    """One tool's outcome over a trace (the small one), run the way a turn runs it; around it lies another of its kind
    and a folder with one of its files."""
    trace = trace or small_trace()
    with TemporaryDirectory() as folder:
        Path(folder, "app.py").write_text(f"# {HOSTILE}\n" * 20)
        return await ask_tool(
            name, arguments, trace, replace(trace, name="earlier.json"), sources=Path(folder), view=VIEW
        )


def test_all_schemas_together_stay_under_3500_tokens() -> None:
    unmounted = [tool for tool in TOOLS if not tool.needs & {"viewer", "view", "page"}]
    mounted = [tool for tool in TOOLS if tool not in unmounted]
    assert len(_as_sent([function_definition(tool) for tool in unmounted])) / 4 < 3_500
    assert len(_as_sent([function_definition(tool) for tool in mounted])) / 4 < 750
    """A token is taken for four characters, as the encoding itself cannot be had without a network."""


PLAIN = {"limit", "offset", "max_nodes", "end_time_ms", "regex", "width", "height", "context_lines"}
"""Arguments whose name says it all."""


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_description_says_when_to_use_a_tool_and_what_comes_back(tool: Any) -> None:
    when, _, what = tool.description.partition(": ")
    assert when.startswith("For ")
    assert len(when.split()) > 2 or "query_trace" in when
    assert len(what.split()) > 3
    properties = function_definition(tool)["function"]["parameters"]["properties"]
    assert not [
        name for name, field in properties.items() if not {"description", "enum"} & field.keys() | ({name} & PLAIN)
    ]


def test_sql_says_its_limits_before_it_is_asked() -> None:
    bounds, description = SqlBounds(), named_tool("query_trace", TOOLS).description
    assert f"at most {bounds.rows:,} rows" in description
    assert f"{bounds.seconds:g} s" in description
    schema = answer_schema(small_trace(), GetSchema()).text.splitlines()[0]
    for limit in (f"{bounds.rows:,} rows", f"{bounds.seconds:g} s", "2 GB", "one SELECT"):
        assert limit in schema


def _as_sent(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
async def test_a_default_result_stays_under_1500_tokens_and_its_data_is_json(tool: Any) -> None:
    trace = one_call(hostile=False) if tool is GET_SPAN_DETAILS else None
    outcome = await ask(tool.name, EXAMPLES.get(tool.name, {}), trace)
    assert len(outcome.text) / 4 < 1_500
    assert outcome.text
    assert set(outcome.data) <= tool.fields
    json.dumps(outcome.data)


async def test_top_functions_say_self_and_total_with_handles_and_places() -> None:
    outcome = await ask("get_top_functions", {"sort_by": "self", "limit": 2})
    assert 'f2 "parse_json" "json/decoder.py:120" self 600 ms 60.0%, total 600 ms 60.0%' in outcome.text
    assert "2 more" in outcome.text
    assert outcome.data["rows"][0]["self_value"] == 600_000_000


async def test_a_window_is_given_in_milliseconds_from_the_start() -> None:
    outcome = await ask("get_top_functions", {"start_time_ms": 600, "end_time_ms": 850})
    assert [row["name"] for row in outcome.data["rows"] if row["self_value"]] == ["draw"]


async def test_the_call_tree_names_nodes_and_frames() -> None:
    outcome = await ask("get_call_tree", {"max_nodes": 2})
    assert "2 lighter nodes cut" in outcome.text
    assert [node["name"] for node in outcome.data["nodes"]] == ["main", "load"]
    assert outcome.data["nodes"][1]["parent"] == outcome.data["nodes"][0]["handle"]


@pytest.mark.parametrize("frame", ["draw", "f3", "#f3"])
async def test_a_frame_is_named_by_handle_or_by_name(frame: str) -> None:
    outcome = await ask("get_callers_callees", {"frame": frame})
    assert outcome.data["frame"]["name"] == "draw"
    assert [row["name"] for row in outcome.data["callers"]] == ["main"]


async def test_a_picture_comes_with_a_description_and_a_place_to_open_it() -> None:
    outcome = await ask("generate_flamegraph_screenshot", {"mode": "time_order", "width": 640})
    assert outcome.picture is not None
    assert outcome.picture.startswith(b"\x89PNG")
    assert "parse_json" in outcome.text
    assert outcome.ui is not None
    assert (outcome.ui["view"], outcome.ui["profile"]) == ("time_order", "p0")


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("get_top_functions", {"sort_by": "selff"}, "'self' or 'total'"),
        ("get_top_functions", {"sortBy": "self"}, "did you mean sort_by"),
        ("get_top_functions", {"limit": 10_000}, "limit"),
        ("get_top_functions", {"profile": "p9"}, 'p0 "MainThread"'),
        ("get_top_functions", {"start_time_ms": 5_000}, "runs from 0 to 1000 ms"),
        ("get_callers_callees", {"frame": "parsejson"}, 'f2 "parse_json"'),
        ("get_callers_callees", {"frame": "f99"}, "f0 to f3"),
        ("get_callers_callees", {}, "frame"),
        ("find_frames", {"pattern": "(", "regex": True}, "regular expression"),
        ("get_call_tree", {"root": "n99"}, "n0 to n3"),
        ("generate_flamegraph_screenshot", {"width": 100_000}, "width"),
        ("show_in_viewer", {}, "say what to show"),
    ],
)
async def test_a_refusal_names_the_nearest_valid_thing(name: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ToolRetry) as refused:
        await ask(name, arguments)
    assert words in str(refused.value)
    assert refused.value.code == "validation"


def test_an_unknown_tool_names_the_nearest() -> None:
    with pytest.raises(ToolRetry, match="get_call_tree"):
        named_tool("get_calltree", TOOLS)


async def test_a_name_that_nothing_matches_is_an_answer_with_the_nearest_names() -> None:
    outcome = await ask("find_frames", {"pattern": "parse_jsno"})
    assert outcome.data["rows"] == []
    assert outcome.data["nearest"] == [{"handle": "f2", "name": "parse_json"}]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
async def test_a_hostile_name_stays_inside_its_quotes(tool: Any) -> None:
    trace = one_call(hostile=True) if tool is GET_SPAN_DETAILS else small_trace(hostile=True)
    outcome = await ask(tool.name, EXAMPLES.get(tool.name, {}), trace)
    assert "\nand say" not in outcome.text
    assert "\u202e" not in outcome.text
    assert "abcdef" not in outcome.text, "secrets in addresses are masked"
    unquoted = QUOTED.sub("", outcome.text)
    assert "ignore" not in unquoted
    assert "evil" not in unquoted


async def test_a_hostile_name_is_found_and_quoted() -> None:
    outcome = await ask("find_frames", {"pattern": "evil"}, small_trace(hostile=True))
    assert outcome.data["rows"][0]["name"] == HOSTILE
    assert len(outcome.text.splitlines()) == 2


def test_the_viewer_tool_is_offered_only_when_mounted() -> None:
    assert "show_in_viewer" not in [tool.name for tool in offered_tools(())]
    assert "show_in_viewer" in [tool.name for tool in offered_tools(("show_in_viewer",))]


def test_tools_that_wait_are_offered_where_the_page_answers_and_the_turn_can_wait() -> None:
    answering = [MountedTool(name=name, version=1) for name in ("navigate", "ask_person")]
    seeing = MountedTool(name="read_view", version=1, context=VIEW.model_dump(mode="json"))
    for mounted, can_wait, names in (
        (answering, True, {"navigate", "ask_person"}),
        (answering, False, {"navigate"}),
        (["ask_person", "read_view"], True, set()),
        ([seeing], False, {"read_view"}),
        ([MountedTool(name="read_view", version=1)], True, set()),
        ([MountedTool(name="ask_person", version=2)], True, set()),
    ):
        offered = offered_tools(mounted, can_wait=can_wait)
        assert {tool.name for tool in offered if tool.needs & {"viewer", "view", "page"}} == names


async def test_what_is_on_screen_is_said_with_the_trace_s_names() -> None:
    view = VIEW.model_copy(update={"window": ShownWindow(start=0, end=500_000_000), "selection": "f2"})
    boxes = (ShownBox(frame="f2", row=2, start=0, end=600_000_000), ShownBox(frame="f99", row=2, start=0, end=5))
    outcome = await ask_tool("read_view", {}, small_trace(), view=view.model_copy(update={"boxes": boxes}))
    assert 'time_order of p0 "MainThread", start_time_ms=0 end_time_ms=500' in outcome.text
    assert 'selected f2 "parse_json"' in outcome.text
    assert 'f2 "parse_json" "json/decoder.py:120" row 2: 500 ms, 100.0% of what is shown' in outcome.text
    assert [box["handle"] for box in outcome.data["boxes"]] == ["f2"]


@pytest.mark.parametrize(
    ("arguments", "transform"),
    [
        ({"filter": "hide", "frame": "draw"}, "drop-function:f3"),
        ({"filter": "only", "text": "a,b%"}, "filter-samples:a%2Cb%25"),
        ({"filter": "none"}, ""),
    ],
)
async def test_a_filter_is_a_transform_of_the_page(arguments: dict[str, Any], transform: str) -> None:
    outcome = await ask("set_filter", arguments)
    assert outcome.action is not None
    assert (outcome.action.action, outcome.action.filter) == ("set_filter", transform)


@pytest.mark.parametrize("arguments", [{"filter": "focus"}, {"filter": "only"}])
async def test_a_filter_without_what_it_is_about_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolRetry, match="needs"):
        await ask("set_filter", arguments)


def test_a_long_result_is_cut_at_a_line_and_says_how_to_narrow() -> None:
    text, cut = capped("\n".join(f"line {n}" for n in range(1000)), 100, "use limit")
    assert cut
    assert text.splitlines()[-1].startswith("… 98")
    assert text.endswith("use limit")
    assert capped("short", 100, "use limit") == ("short", False)


def test_fields_that_are_not_declared_never_pass() -> None:
    data = {"rows": [{"name": "a", "secret": 1, "inner": {"name": "b", "secret": 2}}], "secret": 3}
    assert shown_fields(data, frozenset({"rows", "name", "inner"})) == {"rows": [{"name": "a", "inner": {"name": "b"}}]}


def test_problems_travel_between_processes() -> None:
    import pickle

    for problem in (ToolRetry("mend it"), ToolFailed("no", "timeout")):
        copy = pickle.loads(pickle.dumps(problem))
        assert (type(copy), str(copy), copy.code) == (type(problem), str(problem), problem.code)
        assert isinstance(copy, ToolProblem)


def test_arguments_may_come_as_text() -> None:
    assert validated(named_tool("get_top_functions", TOOLS), {"limit": "7"}).model_dump()["limit"] == 7
