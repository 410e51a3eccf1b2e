"""What addresses stand for: against values that the analyses compute by other ways, and what names nothing."""

from pathlib import Path

import pytest

from server.agent.tools.find_frames import FindFrames, answer_find_frames
from server.agent.tools.get_insights import GetInsights, answer_insights
from server.agent.tools.query_trace import QUERY_TRACE
from server.agent.verification.references.addressed_values import Place, Unknown, Value
from server.agent.verification.references.addresses import Address, parse_address
from server.agent.verification.references.figure_values import FigureValues
from server.agent.verification.references.tool_results import Conversation, ToolOutcome
from server.agent.verification.written_numbers import Dimension
from tests.server.agent.turns import MS, small_trace
from tests.traces.insights.recorded import timeline
from traces.analysis.functions import top_functions
from traces.analysis.window import Window
from traces.model import Trace
from traces.reader import read_trace

FIXTURE = Path(__file__).parents[5] / "fixtures" / "redact-documents.viztracer.json.gz"
BOARD = FIXTURE.parent / "board.chrome-object.json.gz"
NOTHING = [
    "f99.self",
    "p7.busy",
    "p7.f2.self",
    "n99.self",
    "s0.start",
    "w7.f2.self",
    "q7.c1",
    "i701.saving",
    "g7.self",
    "c7.f2.self",
    "f2.calls",
    "f2.p99",
    "f2.mean",
    "f2.threads",
    "p0.saving",
    "t.saving",
    "f2.self/f99",
    "q7.r1.c1",
    "f0.total+f1.total",
    "f2.self+f3.total",
    "f2.self/p0+f3.self/f0",
    "f2.self/f1.self",
    "c7.total",
    "p0.g7.self",
]
WINDOWED = ToolOutcome(7, "get_top_functions", {"start_time_ms": 1, "end_time_ms": 6}, None)


@pytest.fixture(scope="module")
def calls() -> Trace:
    """A trace of single calls."""
    return read_trace(FIXTURE.read_bytes(), name=FIXTURE.name)


def found(trace: Trace, address: str, *outcomes: ToolOutcome) -> Value | Unknown:
    parsed = parse_address(address)
    assert isinstance(parsed, Address), address
    return FigureValues(trace, Conversation({one.number: one for one in outcomes})).value(parsed)


@pytest.mark.parametrize(
    ("address", "value"),
    [
        ("f2.self", 600 * MS),
        ("f2.self/p0", 60.0),
        ("f1.total/f0", 60.0),
        ("f1.self", 0.0),
        ("f0.total", 1000 * MS),
        ("p0.f2.self", 600 * MS),
        ("t.f2.self/t", 60.0),
        ("p0.total", 1000 * MS),
        ("p0.duration", 1000 * MS),
        ("t.duration", 1000 * MS),
        ("p0.samples", 3.0),
        ("f2.self+f3.self", 850 * MS),
        ("f2.self-f3.self", 350 * MS),
        ("f2.self/f3.self", 2.4),
        ("f2.self/p0+f3.self/p0", 85.0),
        ("f2.samples", 1.0),
        ("n2.self", 600 * MS),
        ("n0.total/t", 100.0),
    ],
)
def test_a_value_of_a_known_trace(address: str, value: float) -> None:
    resolved = found(small_trace(), address)
    assert isinstance(resolved, Value), resolved
    assert resolved.value == pytest.approx(value)


def test_a_figure_without_a_thread_is_of_no_other_than_the_main_one() -> None:
    trace = timeline([("work", 0, 100)], [("collect", 20, 50), ("work", 60, 61)], names=("main", "collector"))
    collect = trace.frame_names.index("collect")
    for measure in ("total", "calls"):
        unknown = found(trace, f"f{collect}.{measure}")
        assert isinstance(unknown, Unknown), unknown
        assert "p1 has it" in unknown.why
    for address, value in (
        (f"p1.f{collect}.total", 30 * MS),
        (f"p0.f{collect}.total", 0.0),
        (f"f{trace.frame_names.index('work')}.total", 100 * MS),
    ):
        resolved = found(trace, address)
        assert isinstance(resolved, Value), (address, resolved)
        assert resolved.value == pytest.approx(value), address


@pytest.mark.parametrize(
    "address",
    NOTHING,
)
def test_what_stands_for_nothing_says_why(address: str) -> None:
    assert isinstance(found(small_trace(), address), Unknown)


def test_figures_of_single_calls_are_those_of_the_ranking(calls: Trace) -> None:
    for row in top_functions(calls, limit=8, durations=True).rows:
        assert row.durations is not None
        expected = {
            "self": row.self_value,
            "total": row.total_value,
            "calls": row.count,
            "p50": row.durations.median,
            "p99": row.durations.p99,
            "max": row.durations.longest,
        }
        for measure, value in expected.items():
            resolved = found(calls, f"{row.handle}.{measure}")
            assert isinstance(resolved, Value)
            assert resolved.value == value
            assert resolved.frames == {row.frame}


def test_a_window_is_what_its_result_looked_at(calls: Trace) -> None:
    inside = top_functions(calls, window=Window(1 * MS, 6 * MS), limit=3)
    for row in inside.rows:
        resolved = found(calls, f"w7.{row.handle}.self/w7", WINDOWED)
        assert isinstance(resolved, Value)
        assert resolved.value == pytest.approx(100 * row.self_share)
        in_all = found(calls, f"{row.handle}.self/p0")
        assert isinstance(in_all, Value)
        assert resolved.value != in_all.value
    length = found(calls, "w7.duration", WINDOWED)
    assert isinstance(length, Value)
    assert length.value == 5 * MS


def test_a_result_of_an_earlier_turn_is_asked_again(calls: Trace) -> None:
    pattern = answer_find_frames(calls, FindFrames(pattern="re")).data
    searched = ToolOutcome(9, "find_frames", {"pattern": "re"}, None)
    listed = ToolOutcome(12, "get_insights", {}, None)
    together = found(calls, "g9.self", searched)
    assert isinstance(together, Value)
    assert together.value == pattern["self_value"]
    row = found(calls, "q9.r1.self", searched)
    assert isinstance(row, Value)
    assert row.value == pattern["rows"][0]["self_value"]
    first = answer_insights(calls, GetInsights()).data["insights"][0]
    saving = found(calls, "i1201.saving", listed)
    assert isinstance(saving, Value)
    assert saving.value == pytest.approx(100 * first["share"])
    assert isinstance(found(calls, "i1299.saving", listed), Unknown)


def test_figures_of_results_findings_and_windows_lead_into_the_chart(calls: Trace) -> None:
    page = read_trace(BOARD.read_bytes(), name=BOARD.name)
    findings = answer_insights(page, GetInsights()).data["insights"]
    number, timed = next((at, one) for at, one in enumerate(findings, start=1) if one["window"] and one["evidence"])
    listed = ToolOutcome(12, "get_insights", {}, None)
    for address in (f"i{1200 + number}.c1", f"i{1200 + number}.start"):
        resolved = found(page, address, listed)
        assert isinstance(resolved, Value)
        assert resolved.place is not None
        start = page.profiles[int(timed["profile"][1:])].axis_start
        window = (start + timed["window"]["start"], start + timed["window"]["end"])
        assert (resolved.place.profile, resolved.place.window) == (timed["profile"], window)
        assert resolved.place.handle == timed["evidence"][0]["handle"]
    start = calls.profiles[0].axis_start
    of_window = found(calls, "w7.f2.self", WINDOWED)
    assert isinstance(of_window, Value)
    assert of_window.place == Place("f2", "p0", (start + 1 * MS, start + 6 * MS))
    for address in ("w7.duration", "w7.f2.self/w7"):
        shown = found(calls, address, WINDOWED)
        assert isinstance(shown, Value)
        assert shown.place is not None
        assert shown.place.window == (start + 1 * MS, start + 6 * MS)
    ranked = ToolOutcome(3, "get_top_functions", {}, None)
    second = top_functions(calls, limit=2).rows[1]
    of_row = found(calls, "q3.r2.self", ranked)
    assert isinstance(of_row, Value)
    assert of_row.place is not None
    assert of_row.place.handle == second.handle
    plain = found(calls, "f2.self")
    assert isinstance(plain, Value)
    assert plain.place is None


def test_a_query_of_an_earlier_turn_has_its_shown_rows() -> None:
    stored = ToolOutcome(4, QUERY_TRACE.name, {"sql": "select 1"}, None, rows=[["parse", "12.3 ms", "4,500"]])
    resolved = found(small_trace(), "q4.r1.c2", stored)
    assert isinstance(resolved, Value)
    assert (resolved.value, resolved.dimension) == (12.3e6, Dimension.TIME)
    assert isinstance(found(small_trace(), "q4.r1.c1", stored), Unknown)
    assert isinstance(found(small_trace(), "q4.r2.c1", stored), Unknown)


def test_a_query_has_its_columns_by_number_and_by_a_measure_that_they_are_named_after() -> None:
    row = [
        {"column": "name", "name": "parse"},
        {"column": "calls", "value": 17},
        {"column": "self_ms", "value_ns": 3e6},
    ]
    outcome = ToolOutcome(2, QUERY_TRACE.name, {}, {"columns": ["name", "calls", "self_ms"], "rows": [row]})
    for address, value in {"q2.r1.calls": 17, "q2.r1.c2": 17, "q2.r1.self": 3e6, "q2.r1.c3": 3e6}.items():
        resolved = found(small_trace(), address, outcome)
        assert isinstance(resolved, Value), address
        assert resolved.value == value
    assert isinstance(found(small_trace(), "q2.r1.c1", outcome), Unknown)


def test_a_row_over_recordings_has_its_columns_by_name() -> None:
    points = [{"name": f"c{run}", "value_ns": (200 + run) * MS, "runs": 3} for run in range(9)]
    series = ToolOutcome(2, "ask_traces", {}, {"lowest_ns": 1.0, "points": points, "runs": 9})
    for name in ("value", "value_ns", "self", "total"):
        resolved = found(small_trace(), f"q2.r7.{name}", series)
        assert isinstance(resolved, Value), name
        assert (resolved.value, resolved.dimension) == (206 * MS, Dimension.TIME)
    assert isinstance(found(small_trace(), "q2.r7.run", series), Unknown)
    assert isinstance(found(small_trace(), "q2.r10.value", series), Unknown)
    releases = [{"name": "4.0", "runs": 3, "middle_share": 0.25}]
    by_label = ToolOutcome(3, "ask_traces", {}, {"points": releases})
    for name, value in {"value": 25.0, "median": 25.0, "runs": 3}.items():
        resolved = found(small_trace(), f"q3.r1.{name}", by_label)
        assert isinstance(resolved, Value), name
        assert resolved.value == value
    elsewhere = ToolOutcome(4, "get_counters", {}, {"rows": [{"value": 17}]})
    assert isinstance(found(small_trace(), "q4.r1.calls", elsewhere), Unknown)


def test_columns_of_a_query_and_of_a_stored_table_are_found_by_their_names() -> None:
    row = [{"column": "commits", "value": 5}, {"column": "Worst_MS", "value_ns": 4e6}]
    query = ToolOutcome(2, "query_library", {}, {"columns": ["commits", "Worst_MS"], "rows": [row]})
    shown = ("recording", "uploaded", "self share")
    stored = ToolOutcome(3, "ask_traces", {}, None, [["c1", "2026-01-01 10:00", "12.5 %"]], None, shown)
    for address, value in {
        "q2.r1.commits": 5,
        "q2.r1.worst_ms": 4e6,
        "q2.r1.worst": 4e6,
        "q2.r1.value": 4e6,
        "q3.r1.self_share": 12.5,
        "q3.r1.self": 12.5,
        "q3.r1.value": 12.5,
        "q3.r1.c3": 12.5,
    }.items():
        resolved = found(small_trace(), address, query, stored)
        assert isinstance(resolved, Value), address
        assert resolved.value == value, address
    assert isinstance(found(small_trace(), "q3.r1.recording", stored), Unknown)
    assert isinstance(found(small_trace(), "q3.r1.share", stored), Unknown)


def test_a_comparison_has_changes() -> None:
    side = {"self_value": 100.0 * MS, "total_value": 100.0 * MS}
    row = {"handle": "f2", "before": side, "after": side, "change": {"self_value": 12.0 * MS, "total_value": 0.0}}
    outcome = ToolOutcome(3, "compare_traces", {}, {"unit": "nanoseconds", "rows": [row]})
    resolved = found(small_trace(), "c3.f2.self", outcome)
    assert isinstance(resolved, Value)
    assert (resolved.value, resolved.scope_total, resolved.is_change) == (12.0 * MS, 100.0 * MS, True)


def test_what_comes_late_is_not_looked_up() -> None:
    moments = iter([0.0, 0.0, 0.0, 5.0])
    values = FigureValues(small_trace(), Conversation(), seconds=1.0, clock=lambda: next(moments, 5.0))
    addresses = [parse_address(text) for text in ("f2.self", "f3.self")]
    assert isinstance(addresses[0], Address)
    assert isinstance(addresses[1], Address)
    assert isinstance(values.value(addresses[0]), Value)
    assert values.value(addresses[1]) == Unknown("there was no time left to look it up")
