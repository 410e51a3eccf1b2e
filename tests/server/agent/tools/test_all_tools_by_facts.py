"""What the summary says can be answered is answered, and what it says cannot be is refused: by each tool and command,
over every recording that is at hand."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.arguments import validated
from server.agent.tools.contract.run_tool import named_tool
from server.agent.tools.contract.tool_errors import ToolRetry
from server.agent.turn import Pictures
from server.edges.cli.command_values import Analysis, AnalyzeOptions, ServeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from server.edges.http.answers.function_answer import function_json
from tests.conftest import FIXTURES, SHARED
from tests.server.agent.tool_context import ask_tool
from tests.traces.insights.recorded import sampled
from traces.analysis.functions import top_functions
from traces.analysis.summary import summarise
from traces.errors import TraceError
from traces.formats.detection import BY_NAME
from traces.invariants import check
from traces.model import Trace
from traces.reader import read_trace
from traces.values import Counts, ProfileKind

pytestmark = pytest.mark.anyio

MAX_BYTES = 4_000_000
"""A file beyond takes longer than it is worth."""
NO_TIMES = "it has no times|samples without times|has no times"
WHEN = "what happened when, and in which order"
ALWAYS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_trace_summary", {}),
    ("list_profiles", {}),
    ("get_insights", {}),
    ("get_top_functions", {}),
    ("get_call_tree", {}),
    ("generate_flamegraph_screenshot", {"mode": "time_order"}),
    ("generate_flamegraph_screenshot", {"mode": "left_heavy"}),
    ("draw_chart", {"kind": "self_time"}),
)
WINDOWED = ("get_top_functions", "get_call_tree", "get_callers_callees", "find_frames", "get_hottest_windows")
"""Tools that take a window; all of them refuse one in what has no times."""


ONE_OF_EACH = (
    "error-groups.pyspy.collapsed.txt",
    "invoices.jfr.gz",
    "redact-documents.cprofile.prof",
    "search-index.cpuprofile.gz",
    "session-cache.heapprofile.gz",
    "settlement.go-cpu.pb.gz",
    "thumbnails.uftrace.json.gz",
)
"""With times and without, of calls, samples, events and none: what every tool is asked about in the short suite."""


def _files() -> Iterator[Any]:
    """The repository's recordings; the shared ones among the tests that take long."""
    own = [*FIXTURES.iterdir(), *(FIXTURES / "sample").iterdir()]
    shared = [*(SHARED / "conformance" / "samples").rglob("*"), *(SHARED / "traces").rglob("*")]
    shared += (SHARED / "samples").rglob("*")
    for path in sorted(own):
        if path.is_file() and path.suffix not in {".md", ".json"}:
            yield pytest.param(path, id=path.name)
    for path in sorted(shared):
        if path.is_file() and path.stat().st_size < MAX_BYTES:
            yield pytest.param(path, id=str(path.relative_to(SHARED)), marks=pytest.mark.long)


FILES = list(_files())
OWN = [one for one in FILES if not one.marks]
FEW = [
    one if one.marks or one.id in ONE_OF_EACH else pytest.param(*one.values, id=one.id, marks=pytest.mark.long)
    for one in FILES
]


def recording(path: Path) -> Trace:
    try:
        return read_trace(path.read_bytes(), name=path.name)
    except TraceError:
        pytest.skip("this is no recording that is read")


@pytest.mark.parametrize("path", FEW)
async def test_tools_answer_what_the_facts_allow_and_refuse_the_rest(path: Path) -> None:
    trace = recording(path)
    check(trace)
    says_what_its_facts_are(trace)
    if not len(trace.frames):
        pytest.skip("no function was recorded: marks or levels alone")
    main = trace.profiles[trace.default_profile]
    heaviest = top_functions(trace, sort_by="total", limit=1).rows
    frame = f"f{heaviest[0].frame if heaviest else 0}"  # in a recording of no length no function took anything
    for name, arguments in ALWAYS:
        assert (await ask_tool(name, arguments, trace)).text
    assert (await ask_tool("get_callers_callees", {"frame": frame}, trace)).text
    ranked = (await ask_tool("get_top_functions", {"limit": 5}, trace)).data
    assert ranked["counted"] == main.count_name
    assert all((row["count"] is None) == (main.counts is Counts.NONE) for row in ranked["rows"])
    length = (main.axis_end - main.axis_start) / 1e6
    questions: list[tuple[str, dict[str, Any]]] = [("get_hottest_windows", {}), ("draw_chart", {"kind": "activity"})]
    if main.kind is ProfileKind.SAMPLED:
        questions.append(("get_longest_calls", {}))
    for name in WINDOWED:
        named = {"get_callers_callees": {"frame": frame}, "find_frames": {"pattern": "a"}}.get(name, {})
        questions.append((name, named | {"start_time_ms": 0.0, "end_time_ms": max(length / 2, 1e-6)}))
    if not main.has_times:
        for name, arguments in questions:
            if name == "draw_chart" and any(profile.has_times for profile in trace.profiles):
                continue
            with pytest.raises(ToolRetry, match=NO_TIMES):
                await ask_tool(name, arguments, trace)
    elif length > 0:
        for name, arguments in questions:
            assert (await ask_tool(name, arguments, trace)).text


@pytest.mark.parametrize("path", OWN)
def test_the_summary_says_of_a_recording_what_its_facts_are(path: Path) -> None:
    """Of shared recordings it is looked at where the tools are asked, as they are read then."""
    says_what_its_facts_are(recording(path))


def says_what_its_facts_are(trace: Trace) -> None:
    summary, known = summarise(trace), BY_NAME[trace.format]
    timed = any(profile.has_times for profile in trace.profiles)
    assert any(answer == WHEN for answer in summary.can_answer) == timed
    assert any(answer.startswith(WHEN) for answer in summary.cannot_answer) != timed
    assert (summary.duration_ns is None) != timed
    for profile, row in zip(trace.profiles, summary.profiles, strict=True):
        assert (profile.order, profile.counts, profile.waits) in {(f.order, f.counts, f.waits) for f in known.facts}
        if not profile.has_times:
            assert (row.idle_share, row.quality.interval_ns, row.quality.rate_hz) == (None, None, None)
    assert known.lines or not (trace.frames.line >= 0).any()
    assert known.threads or not any(profile.tid for profile in trace.profiles)
    recorded = [p.spans for p in trace.profiles if p.spans is not None and p.spans.args_length.any()]
    assert known.arguments or not recorded


def no_server(options: ServeOptions) -> int:
    raise AssertionError("no question starts a server")


def no_model(options: AnalyzeOptions, pictures: Pictures) -> Analysis:
    raise AssertionError("no question asks a model")


MOMENTS = (
    ("windows",),
    ("spans",),
    ("functions", "--start-ms", "0", "--end-ms", "1"),
    ("summary", "--start-ms", "0", "--end-ms", "1"),
    ("tree", "--start-ms", "0", "--end-ms", "1"),
    ("find", "a", "--start-ms", "0", "--end-ms", "1"),
)


@pytest.mark.parametrize("question", MOMENTS, ids=lambda question: question[0])
@pytest.mark.parametrize(
    ("name", "answered"),
    [
        ("redact-documents.cprofile.prof", False),
        ("settlement.go-cpu.pb.gz", False),
        ("thumbnails.callgrind.out.gz", False),
        ("error-groups.pyspy.collapsed.txt", False),
        ("search-index.cpuprofile.gz", True),
        ("invoices.jfr.gz", True),
        ("thumbnails.linux-perf.txt.gz", True),
    ],
)
def test_commands_answer_what_the_facts_allow_and_refuse_the_rest(
    fixtures: Path, question: tuple[str, ...], name: str, answered: bool
) -> None:
    cli = build_cli(CliEntryPoints(serve=no_server, analysis=no_model))
    command, *options = question
    result = CliRunner().invoke(cli, [command, str(fixtures / name), *options])
    assert result.exit_code == (0 if answered else 2), result.output
    assert ("sums per stack: it has no times" in result.output) is not answered


async def test_callers_of_what_only_another_thread_runs_are_those_there(fixtures: Path) -> None:
    file = fixtures / "sample/order-service.speedscope.json.gz"
    outcome = await ask_tool("get_callers_callees", {"frame": "to_csv"}, read_trace(file.read_bytes(), name=file.name))
    assert outcome.data["profile"] == "p2"
    assert "it does not run in p3: this is p2" in outcome.text
    assert outcome.data["frame"]["total_value"] > 0


async def test_a_function_is_found_by_the_end_of_its_name_where_only_one_ends_so() -> None:
    trace = sampled({"runtime.main;main.render;runtime.memmove": 70, "runtime.main;main.read;os.read": 30})
    outcome = await ask_tool("get_callers_callees", {"frame": "memmove"}, trace)
    assert outcome.data["frame"]["name"] == "runtime.memmove"
    assert 'was taken for "runtime.memmove"' in outcome.text
    with pytest.raises(ToolRetry, match="no frame is named"):  # runtime.main and main.* are several, or end otherwise
        await ask_tool("get_callers_callees", {"frame": "move"}, trace)


def test_an_expression_is_no_text_for_people() -> None:
    find = named_tool("find_frames", TOOLS)
    arguments = validated(find, {"pattern": "(?<![a-z])lock", "regex": True})
    assert find.doing(arguments) == "Searching frames by an expression"


async def test_callers_of_a_call_graph_have_what_the_file_has_and_paths_are_called_estimates(fixtures: Path) -> None:
    file = fixtures / "redact-documents.cprofile.prof"
    trace = read_trace(file.read_bytes(), name=file.name)
    exact = await ask_tool("get_callers_callees", {"frame": "luhn_sum"}, trace)
    assert "what each has is exact: the file has it" in exact.text
    assert 'f57 "looks_like_card"' in exact.text
    assert "303 ms 100.0%, 7,279 calls" in exact.text
    assert (exact.data["basis"], exact.data["callers"][0]["direct_calls"]) == ("recorded", 7_279)
    itself = await ask_tool("get_callers_callees", {"frame": "_parse_sub"}, trace)
    assert "it is recursive: through what it calls" in itself.text
    part = await ask_tool("get_callers_callees", {"frame": "luhn_sum", "transforms": "merge-function:f0"}, trace)
    assert "what each has is estimated: the file has no call paths" in part.text
    assert (part.data["basis"], part.data["callers"][0]["direct_calls"]) == ("estimated", None)
    over_http = function_json(trace, exact.data["frame"]["handle"], None, None)
    assert (over_http["basis"], over_http["callers"][0]["calls"]) == ("recorded", 7_279)
    rows = await ask_tool(
        "query_trace",
        {"sql": "SELECT calls, total_ms FROM edges WHERE callee_name = 'luhn_sum' AND caller_name = 'looks_like_card'"},
        trace,
    )
    assert [cell["value"] for cell in rows.data["rows"][0][:1]] == [7_279]
    assert rows.data["rows"][0][1]["value_ns"] == pytest.approx(exact.data["callers"][0]["value"])
