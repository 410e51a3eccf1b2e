"""The tools that reach beyond one trace: comparison, earlier findings, the plan, sources, arguments, charts."""

import json
import marshal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.tools.all_tools import TOOLS, offered_tools
from server.agent.tools.contract.kept_programs import programs_of
from server.agent.tools.contract.kept_with_trace import kept_program
from server.agent.tools.contract.tool_context import Asking
from server.agent.tools.contract.tool_errors import ToolFailed, ToolRetry
from server.agent.verification.facts import QUOTED
from tests.server.agent.tool_context import TracesInHand, ask_tool
from tests.server.agent.tools.test_tools_over_time import two_threads
from tests.server.agent.turns import HOSTILE, MS, small_trace
from traces.builder import TraceBuilder
from traces.model import Trace
from traces.reader import read_trace
from traces.stacks import StackTable


def run(name: str, parse_ms: int, *, extra: str | None = None) -> Trace:
    """main > parse for so long, main > draw 200 ms, and maybe main > extra 100 ms."""
    builder = TraceBuilder(name, "example")
    main, parse, draw = (
        builder.frame(word, "app.py", line) for word, line in (("main", 1), ("parse", 9), ("draw", 30))
    )
    paths, weights = [[main, parse], [main, draw]], [parse_ms * MS, 200 * MS]
    if extra is not None:
        paths, weights = [*paths, [main, builder.frame(extra, "app.py", 50)]], [*weights, 100 * MS]
    stacks = StackTable()
    times = np.concatenate([[0], np.cumsum(weights)[:-1]])
    builder.add_sampled("MainThread", stacks, stacks.leaves(paths), [np.array(weights)], time=times)
    return builder.build(content_key=f"{abs(hash((name, parse_ms, extra))):064x}"[:64], source_bytes=1)


async def test_what_got_slower_appeared_and_vanished_is_listed_with_a_picture() -> None:
    before, after = run("monday", 100, extra="old_way"), run("tuesday", 300, extra="new_way")
    outcome = await ask_tool("compare_traces", {"others": ["monday"], "absolute": True}, after, before)
    slower, appeared, vanished = (outcome.text.index(word) for word in ("slower", "appeared", "vanished"))
    assert slower < outcome.text.index('"parse"') < appeared < outcome.text.index('"new_way"') < vanished
    assert '"old_way"' in outcome.text[vanished:]
    rows = {row["name"]: row for row in outcome.data["rows"]}
    assert rows["parse"]["change"]["self_value"] == 200 * MS
    assert (rows["parse"]["handle"], rows["old_way"]["handle"]) == ("f1", None)
    assert outcome.picture is not None
    assert outcome.picture.startswith(b"\x89PNG")
    assert outcome.ui is not None
    assert outcome.ui["trace_id"] == "id-monday"


async def test_calls_of_frames_that_are_one_function_are_added_up() -> None:
    before, after = (sums(f"{name}.pstats", calls) for name, calls in (("old", (2, 3)), ("new", (4, 6))))
    outcome = await ask_tool("compare_traces", {"others": ["old.pstats"], "absolute": True}, after, before)
    (row,) = (one for one in outcome.data["rows"] if one["name"] == "<listcomp>")
    assert [row[side]["count"] for side in ("before", "after")] == [5, 10]
    assert "recorded_total" not in row["after"]


def sums(name: str, calls: tuple[int, int]) -> Trace:
    """Two comprehensions of one file, called so often, as Python's profiler writes them."""
    each = [(("app.py", line, "<listcomp>"), count) for line, count in enumerate(calls, start=1)]
    rows = {key: (count, count, 0.1 * count, 0.1 * count, {key: (0, 0, 0.0, 0.0)}) for key, count in each}
    return read_trace(marshal.dumps(rows), name=name)


async def test_another_profile_of_the_same_trace_can_be_compared() -> None:
    outcome = await ask_tool("compare_traces", {"others": ["p1"], "profile": "p0"}, two_threads())
    assert "no function changed" in outcome.text
    assert outcome.data["profile_before"] == "p1"


async def test_a_comparison_of_a_window_counts_it_from_the_start_of_each() -> None:
    before, after = run("monday", 100), run("tuesday", 300)
    asked = {"others": ["monday"], "absolute": True, "start_time_ms": 50, "end_time_ms": 200}
    outcome = await ask_tool("compare_traces", asked, after, before)
    rows = {row["name"]: row for row in outcome.data["rows"]}
    assert rows["parse"]["before"]["self_value"] == 50 * MS
    assert rows["parse"]["after"]["self_value"] == 150 * MS
    assert rows["draw"]["change"]["self_value"] == -100 * MS
    assert "in that window" in outcome.text
    assert outcome.picture is None  # it would show all of both
    many = await ask_tool("compare_traces", asked | {"runs": ["wednesday"]}, after, before, run("wednesday", 300))
    assert many.data["whole_of_runs"]["after"]["value"] == 150 * MS
    with pytest.raises(ToolRetry, match=r'"monday".*from 0 to 300 ms'):
        await ask_tool("compare_traces", {"others": ["monday"], "start_time_ms": 400}, after, before)


async def test_several_runs_are_tested_and_few_are_not() -> None:
    before = [run(f"before {index}", 100 + index) for index in range(5)]
    after = [run(f"after {index}", 200 + index) for index in range(5)]
    asked = {
        "others": [trace.name for trace in before],
        "runs": [trace.name for trace in after[1:]],
        "absolute": True,
    }
    outcome = await ask_tool("compare_traces", asked, after[0], *before, *after[1:])
    first = outcome.data["rows"][0]
    assert (first["name"], first["delta"], first["size"]) == ("parse", 1.0, "large")
    assert first["p"] == pytest.approx(2 / 252)
    few = {"others": ["before 0", "before 1"], "runs": ["after 1"]}
    outcome = await ask_tool("compare_traces", few, after[0], *before, *after[1:])
    assert "too few for any p-value" in outcome.text
    assert outcome.data["rows"][0]["p"] is None


async def test_a_trace_that_is_not_the_persons_is_not_there() -> None:
    with pytest.raises(ToolRetry, match='"monday"'):
        await ask_tool("compare_traces", {"others": ["mondy"]}, run("tuesday", 1), run("monday", 2))
    with pytest.raises(ToolRetry, match="none to compare with"):
        await ask_tool("compare_traces", {"others": ["monday"]}, run("tuesday", 1))


async def test_earlier_findings_are_searched_by_their_words() -> None:
    outcome = await ask_tool("search_findings", {"query": "hot parse"}, small_trace(), run("monday", 900))
    assert outcome.data["searched"] == 1
    assert outcome.data["rows"][0]["trace_id"] == "id-monday"
    assert "parse" in outcome.text
    nothing = await ask_tool("search_findings", {"query": "zebra"}, small_trace(), run("monday", 900))
    assert nothing.warning
    assert '"monday"' in nothing.text


async def test_another_recording_says_how_much_of_its_program_is_in_this_one() -> None:
    outcome = await ask_tool("search_findings", {"query": "parse"}, small_trace(), small_trace(), run("monday", 900))
    by_name = {row["trace"]: row for row in outcome.data["traces"]}
    assert by_name["small.json"]["overlap"] == 1.0
    assert by_name["small.json"]["share"] == outcome.data["share"] == 0.6
    assert by_name["small.json"]["heaviest"]["name"] == "parse_json"
    assert "(of this program)" in outcome.text


async def test_a_trace_from_before_programs_were_stored_is_looked_at_again() -> None:
    workers = InlineTraceWorkers()
    others = TracesInHand(workers, {"small.json": small_trace()})
    asking = Asking(trace=workers.hold(small_trace()), workers=workers, tool_context=others)
    known = [replace(one, summary={"format": "example"}) for one in await others.traces()]
    assert (await programs_of(asking, known))["id-small.json"] == kept_program(small_trace())
    gone = replace(known[0], trace_id="id-gone")
    assert await programs_of(asking, [gone]) == {}


async def test_usage_says_plan_used_and_left() -> None:
    outcome = await ask_tool("get_usage", {}, small_trace())
    assert "7 of 20 used, 13 left" in outcome.text
    assert "conversations: 3 used, no limit" in outcome.text


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    (folder / "src" / "json").mkdir(parents=True)
    (folder / "src" / "json" / "decoder.py").write_text("".join(f"line {n}\n" for n in range(1, 201)))
    (folder / "decoder.py").write_text("another\n")
    return folder


async def test_source_is_read_around_the_line_from_the_file_that_fits_best(sources: Path) -> None:
    outcome = await ask_tool("read_source", {"frame": "parse_json", "context_lines": 2}, small_trace(), sources=sources)
    assert outcome.data["file"] == "src/json/decoder.py"
    assert [line["number"] for line in outcome.data["lines"]] == [118, 119, 120, 121, 122]
    assert '>120: "line 120"' in outcome.text


async def test_nothing_outside_the_source_folder_is_read(sources: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("the password\n")
    (sources / "leak.py").symlink_to(secret)
    (sources / "elsewhere").symlink_to(tmp_path)
    builder = TraceBuilder("t.json", "example")
    places = ["leak.py", "../secret.py", "/secret.py", str(secret), "elsewhere/secret.py", "file:///x/../secret.py", ""]
    frames = [builder.frame(f"f{index}", place, 1) for index, place in enumerate(places)]
    stacks = StackTable()
    builder.add_sampled("t", stacks, stacks.leaves([frames]), [np.array([1])], time=np.array([0]))
    trace = builder.build(content_key="6" * 64, source_bytes=1)
    for index in range(len(places)):
        with pytest.raises(ToolRetry, match=r"no file|does not say"):
            await ask_tool("read_source", {"frame": f"f{index}"}, trace, sources=sources)


async def test_a_file_too_large_to_be_source_is_left_out(sources: Path) -> None:
    (sources / "src" / "json" / "decoder.py").write_bytes(b"x" * (5 << 20))
    (sources / "decoder.py").unlink()
    with pytest.raises(ToolRetry, match="no file"):
        await ask_tool("read_source", {"frame": "parse_json"}, small_trace(), sources=sources)


async def test_a_calls_arguments_come_from_the_upload(tmp_path: Path) -> None:
    event = {"name": "GET", "ph": "X", "ts": 0, "dur": 5, "pid": 1, "tid": 1}
    file = tmp_path / "t.json"
    file.write_text(json.dumps({"traceEvents": [{**event, "args": {"url": "/orders", "note": HOSTILE}}]}))
    trace = read_trace(file.read_bytes(), name="t.json")
    outcome = await ask_tool("get_span_details", {"handle": "s0"}, trace, upload=file)
    assert '"url": "/orders"' in outcome.text
    assert outcome.data["duration"] == 5_000
    assert "evil" not in QUOTED.sub("", outcome.text)


@pytest.mark.parametrize("kind", ["activity", "self_time"])
async def test_a_chart_is_a_picture_with_its_words(kind: str) -> None:
    outcome = await ask_tool("draw_chart", {"kind": kind}, small_trace())
    assert outcome.picture is not None
    assert outcome.picture.startswith(b"\x89PNG")
    assert "p0" in outcome.text


async def test_durations_and_counters_are_drawn_and_name_what_is_missing() -> None:
    outcome = await ask_tool("draw_chart", {"kind": "durations", "frame": "handle"}, two_threads())
    assert "2 calls: least 40.0 ms, median 70.0 ms" in outcome.text
    with pytest.raises(ToolRetry, match="name its frame"):
        await ask_tool("draw_chart", {"kind": "durations"}, two_threads())
    with pytest.raises(ToolRetry, match="no counters"):
        await ask_tool("draw_chart", {"kind": "counter"}, two_threads())
    counted = read_trace(
        json.dumps(
            {
                "traceEvents": [
                    {"name": "work", "ph": "X", "ts": 0, "dur": 30, "pid": 1, "tid": 1},
                    *({"name": "heap", "ph": "C", "ts": at, "pid": 1, "args": {"used": at * 2}} for at in (0, 10, 20)),
                ]
            }
        ).encode(),
        name="t.json",
    )
    outcome = await ask_tool("draw_chart", {"kind": "counter"}, counted)
    assert "3 readings from 0 to 40, 40 at the end" in outcome.text


@pytest.mark.parametrize(
    ("arguments", "action"),
    [
        ({"action": "set_view", "view": "left_heavy"}, {"action": "set_view", "view": "left_heavy"}),
        ({"action": "zoom", "start_time_ms": 100, "end_time_ms": 200}, {"action": "zoom", "profile": "p0"}),
        ({"action": "zoom", "handle": "draw"}, {"action": "zoom", "handle": "f3"}),
        ({"action": "select", "handle": "n1"}, {"action": "select", "handle": "n1"}),
        ({"action": "highlight", "pattern": "json"}, {"action": "highlight", "pattern": "json"}),
        ({"action": "highlight"}, {"action": "highlight", "pattern": None}),
        ({"action": "compare", "other": "monday"}, {"action": "compare", "view": "diff", "trace_id": "id-monday"}),
    ],
)
async def test_navigate_asks_the_page_for_one_step(arguments: dict[str, object], action: dict[str, object]) -> None:
    outcome = await ask_tool("navigate", arguments, small_trace(), run("monday", 1))
    assert outcome.action is not None
    assert outcome.action.model_dump(include=set(action)) == action


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"action": "set_view"}, "view or a profile"),
        ({"action": "zoom"}, "start_time_ms"),
        ({"action": "select"}, "handle"),
        ({"action": "set_view", "view": "sandwich"}, "frame"),
        ({"action": "compare"}, "other"),
        ({"action": "compare", "other": "mondy"}, "monday"),
        ({"action": "open"}, "'set_view'"),
    ],
)
async def test_a_step_that_lacks_its_object_is_refused(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(ToolRetry) as refused:
        await ask_tool("navigate", arguments, small_trace(), run("monday", 1))
    assert words in str(refused.value)


def test_a_tool_is_offered_only_where_its_needs_are_met_and_the_plan_does_not_hide_it() -> None:
    alone = {tool.name for tool in offered_tools()}
    assert alone.isdisjoint({"search_findings", "get_usage", "read_source", "navigate", "show_in_viewer"})
    assert {"query_trace", "compare_traces"} <= alone
    assert "query_trace" not in {tool.name for tool in offered_tools(hidden={"query_trace"})}
    assert len({tool.name for tool in TOOLS}) == len(TOOLS)


async def test_without_anything_around_a_tool_says_so() -> None:
    from server.adapters.in_process.workers import InlineTraceWorkers
    from server.agent.tools.contract.run_tool import named_tool, run_tool

    workers = InlineTraceWorkers()
    tool = replace(named_tool("get_usage", TOOLS), needs=frozenset())
    with pytest.raises(ToolFailed, match="no other traces"):
        await run_tool(tool, {}, trace=workers.hold(small_trace()), workers=workers, seconds=5, characters=6_000)
