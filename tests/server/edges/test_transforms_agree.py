"""One transform has the same figures on the command line, over HTTP, in the agent's tools, in pictures and in the
page's chart: of calls in time, of samples, and of sums without order."""

import json
import re
import struct
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from click.testing import CliRunner

from rendering.errors import InvalidOption
from server.agent.tools.contract.tool_errors import ToolRetry
from server.agent.tools.find_frames import FindFrames, answer_find_frames
from server.agent.tools.get_call_tree import CallTreeArguments, answer_call_tree
from server.agent.tools.get_top_functions import (
    CallersCallees,
    TopFunctions,
    answer_callers_callees,
    answer_top_functions,
)
from server.agent.tools.screenshots import FlamegraphArguments, SandwichArguments, answer_flamegraph, answer_sandwich
from server.agent.turn import Pictures
from server.edges.cli.command_values import Analysis, AnalyzeOptions, ServeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from server.edges.http.answers.function_answer import function_json
from server.edges.http.answers.function_list_answer import functions_json
from server.edges.http.view_bytes import Mode, ViewQuery, view_bytes
from server.edges.picture_query import FlamegraphQuery, SandwichQuery, draw_flamegraph, draw_sandwich, parsed
from traces.analysis.functions import top_functions
from traces.errors import InvalidQuestion, TraceError
from traces.model import Trace
from traces.reader import read_trace
from traces.transforms.vocabulary import parsed_transforms

EVENTED = "redact-documents.viztracer.json.gz"
RECORDINGS = (EVENTED, "search-index.cpuprofile.gz", "settlement.go-heap.pb.gz", "redact-documents.cprofile.prof")


def read(fixtures: Path, name: str) -> Trace:
    return read_trace((fixtures / name).read_bytes(), name=name)


def texts(trace: Trace) -> list[str]:
    """Transforms of functions that the trace has: the third by total, what it calls, and all of the kinds."""
    rows = top_functions(trace, sort_by="total", limit=6).rows
    one, other = rows[min(2, len(rows) - 1)].handle, rows[-1].handle
    part = trace.frame_name(rows[-1].frame)[:3].replace(",", "%2C")
    return [
        f"focus-function:{one},collapse-recursion",
        f"drop-function:{other},collapse-function-subtree:{one}",
        f"merge-function:{one},filter-samples:{part}",
        "drop-library",
    ]


def no_server(options: ServeOptions) -> int:
    raise AssertionError("no question starts a server")


def no_model(options: AnalyzeOptions, pictures: Pictures) -> Analysis:
    raise AssertionError("no question asks a model")


def command(*arguments: object) -> Any:
    cli = build_cli(CliEntryPoints(serve=no_server, analysis=no_model))
    result = CliRunner().invoke(cli, [*map(str, arguments), "--json"])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def view(trace: Trace, mode: Mode, text: str, **asked: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header of the page's chart, and its main boxes' columns."""
    data = view_bytes(trace, ViewQuery(mode=mode, transforms=parsed_transforms(text), **asked), "identity")
    header: dict[str, Any] = json.loads(data[8 : 8 + struct.unpack_from("<I", data, 4)[0]])
    columns = {
        one["name"]: np.frombuffer(data, one["dtype"], one["length"], one["offset"]) for one in header["columns"]
    }
    return header, columns


@pytest.mark.parametrize("name", RECORDINGS)
def test_every_surface_has_the_same_figures(fixtures: Path, name: str) -> None:
    trace = read(fixtures, name)
    for text in texts(trace):
        listed = command("functions", fixtures / name, "--transforms", text, "--limit", 5)
        figures = [(row["handle"], row["self_value"], row["total_value"]) for row in listed["rows"]]
        assert figures, text
        over_http = functions_json(trace, None, text, sort_by="self", limit=5, offset=0)
        assert [(r["handle"], r["selfValue"], r["totalValue"]) for r in over_http["rows"]] == figures
        assert over_http["transforms"] == listed["transforms"]
        tool = answer_top_functions(trace, TopFunctions(transforms=text, limit=5)).data
        assert [(r["handle"], r["self_value"], r["total_value"]) for r in tool["rows"]] == figures
        assert tool["whole"] == listed["whole"] == tool["left"]

        header, columns = view(trace, "left_heavy", text)
        assert header["transforms"] == listed["transforms"]
        roots = header["rowOffsets"][1]
        assert (columns["end"] - columns["start"])[:roots].sum() == pytest.approx(listed["whole"], rel=1e-12)

        tree = command("tree", fixtures / name, "--transforms", text, "--max-nodes", 30)
        asked = answer_call_tree(trace, CallTreeArguments(transforms=text, max_nodes=30)).data
        assert [(n["handle"], n["total_value"]) for n in tree["nodes"]] == [
            (n["handle"], n["total_value"]) for n in asked["nodes"]
        ]
        totals = dict(zip((f"n{ref}" for ref in columns["ref"]), columns["end"] - columns["start"], strict=True))
        for node in tree["nodes"]:
            assert totals[node["handle"]] == pytest.approx(node["total_value"], rel=1e-9)

        drawn = draw_flamegraph(trace, FlamegraphQuery(mode="left_heavy", transforms=text)).description
        seen = answer_flamegraph(trace, FlamegraphArguments(transforms=text))
        assert (seen.ui or {})["description"] == drawn
        heaviest = listed["rows"][0]
        share = re.search(rf"\[{heaviest['handle']}\] [<\d.%]+ \(([^)]+)\)", drawn)
        assert share is not None, drawn


@pytest.mark.parametrize("name", RECORDINGS)
def test_callers_are_those_of_the_changed_tree_everywhere(fixtures: Path, name: str) -> None:
    trace = read(fixtures, name)
    rows = top_functions(trace, sort_by="total", limit=6).rows
    frame, text = rows[-1].handle, f"merge-function:{rows[min(2, len(rows) - 1)].handle}"
    listed = command("callers", fixtures / name, frame, "--transforms", text)
    callers = [(row["handle"], row["value"]) for row in listed["callers"]]
    asked = answer_callers_callees(trace, CallersCallees(frame=frame, transforms=text)).data
    assert [(row["handle"], row["value"]) for row in asked["callers"]] == callers
    over_http = function_json(trace, frame, None, text)
    assert [(row["handle"], row["value"]) for row in over_http["callers"]] == callers[:8]
    drawn = draw_sandwich(trace, SandwichQuery(frame=frame, transforms=text)).description
    looked = answer_sandwich(trace, SandwichArguments(frame=frame, transforms=text)).ui or {}
    assert looked["description"] == drawn
    header, _ = view(trace, "sandwich", text, frame=int(frame[1:]))
    assert header["transforms"]["text"] == text
    found = answer_find_frames(trace, FindFrames(pattern=trace.frame_name(rows[-1].frame)[:60], transforms=text)).data
    total = next(row["total_value"] for row in found["rows"] if row["handle"] == frame)
    assert total == listed["frame"]["total_value"]


@pytest.mark.parametrize("name", RECORDINGS)
def test_an_inverted_chart_has_the_inverted_tree_and_no_order_in_time(fixtures: Path, name: str) -> None:
    trace = read(fixtures, name)
    header, columns = view(trace, "time_order", "invert")
    assert header["mode"] == "left_heavy"
    roots = header["rowOffsets"][1]
    own = {row.frame: row.self_value for row in top_functions(trace, limit=10_000).rows if row.self_value}
    widths = dict(zip(columns["frame"][:roots].tolist(), (columns["end"] - columns["start"])[:roots], strict=True))
    assert widths == pytest.approx(own, rel=1e-9)
    tree = command("tree", fixtures / name, "--invert", "--max-nodes", 12)
    totals = dict(zip((f"n{ref}" for ref in columns["ref"]), columns["end"] - columns["start"], strict=True))
    for node in tree["nodes"]:
        if node["depth"] == 0:
            assert widths[int(node["frame"][1:])] == pytest.approx(node["total_value"], rel=1e-9)
        assert node["handle"] in totals
    picture = draw_flamegraph(trace, FlamegraphQuery(mode="time_order", transforms="invert"))
    assert any("drawn left heavy" in note for note in picture.notes)


def test_a_window_is_of_what_the_transforms_leave(fixtures: Path) -> None:
    trace = read(fixtures, EVENTED)
    end = trace.profiles[0].axis_end
    listed = command("functions", fixtures / EVENTED, "--hide", "luhn_sum", "--start-ms", 2, "--end-ms", 5)
    seen = TopFunctions(transforms="hide:luhn_sum", start_time_ms=2, end_time_ms=5, limit=100)
    tool = answer_top_functions(trace, seen).data
    assert (tool["whole"], tool["left"]) == (listed["whole"], listed["transforms"]["left"])
    assert 0 < tool["left"] == tool["whole"] < 3_000_000 < end
    upside_down = parsed(
        FlamegraphQuery,
        [("mode", "left_heavy"), ("startMs", "2"), ("endMs", "5"), ("transforms", "hide:luhn_sum,invert")],
    )
    picture = draw_flamegraph(trace, upside_down)
    assert "invert" in picture.notes[0]
    rows = {row["handle"]: row["self_value"] for row in tool["rows"]}
    inverted = answer_call_tree(
        trace, CallTreeArguments(transforms="hide:luhn_sum,invert", start_time_ms=2, end_time_ms=5)
    ).data
    for node in inverted["nodes"]:
        if node["depth"] == 0:
            assert rows[node["frame_handle"]] == node["total_value"]


def test_nothing_left_is_said_by_each(fixtures: Path) -> None:
    trace = read(fixtures, EVENTED)
    text = "drop-function:f0"
    for mode in get_args(Mode):
        header, columns = view(trace, mode, text, **({"frame": 1} if mode == "sandwich" else {}))
        assert header["transforms"]["left"] == 0
        assert len(columns["start"]) == 0
    picture = draw_flamegraph(trace, FlamegraphQuery(transforms=text))
    assert any("nothing is left" in note for note in picture.notes)
    assert "nothing is left" in answer_top_functions(trace, TopFunctions(transforms=text)).text
    assert "nothing is left" in answer_call_tree(trace, CallTreeArguments(transforms=text)).text
    assert functions_json(trace, None, text, sort_by="self", limit=5, offset=0)["rows"] == []


@pytest.mark.parametrize("text", ["explode:f1", "drop-function:nobody", "focus:n99999999", "invert,drop-library"])
def test_what_cannot_be_done_is_refused_by_each_with_the_reason(fixtures: Path, text: str) -> None:
    trace = read(fixtures, EVENTED)
    with pytest.raises(InvalidOption) as refused:
        draw_flamegraph(trace, FlamegraphQuery(transforms=text))
    assert refused.value.field == "transforms"
    with pytest.raises((ToolRetry, TraceError)) as wrong:
        answer_top_functions(trace, TopFunctions(transforms=text))
    assert str(wrong.value) == refused.value.message


def test_inverting_functions_is_refused(fixtures: Path) -> None:
    trace = read(fixtures, EVENTED)
    with pytest.raises(InvalidQuestion, match="makes no difference"):
        functions_json(trace, None, "invert", sort_by="self", limit=5, offset=0)
    with pytest.raises(InvalidQuestion, match="makes no difference"):
        answer_find_frames(trace, FindFrames(pattern="a", transforms="invert"))
    with pytest.raises((InvalidOption, ToolRetry), match="leave invert out"):
        draw_sandwich(trace, SandwichQuery(frame="f1", transforms="invert"))


def test_names_of_any_kind_stay_names(tmp_path: Path) -> None:
    """Ten thousand characters, HTML, bidi and commas: by handle, by part, and quoted where they are shown."""
    names = ["m" * 10_000, "<img src=x onerror=alert(1)>", "a\u202egnp.exe", "f(a, b, c)"]
    file = tmp_path / "names.txt"
    file.write_text("".join(f"main;{name};leaf 3\n" for name in names), encoding="utf-8")
    trace = read_trace(file.read_bytes(), name=file.name)
    comma = next(f"f{i}" for i, name in enumerate(trace.frame_names) if name.startswith("f(a"))
    for argument in (comma, "f(a%2C b%2C c)", "*%2C b%2C*"):
        table = functions_json(trace, None, f"drop-function:{argument}", sort_by="self", limit=9, offset=0)
        assert table["whole"] == 9
    for index in range(len(trace.frames)):
        text = answer_top_functions(trace, TopFunctions(transforms=f"merge:f{index}")).text
        assert len(text.splitlines()[0]) < 300
        assert "\u202e" not in text
        draw_flamegraph(trace, FlamegraphQuery(transforms=f"merge:f{index}", format="svg"))
