"""A law over generated recordings: any transforms give the same figures in the page's chart and tables, in a picture,
in commands, over HTTP and in the agent's tools; what one of them refuses, all refuse."""

import json
import struct
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from rendering.errors import InvalidOption
from server.agent.tools.contract.tool_errors import ToolRetry
from server.agent.tools.get_call_tree import CallTreeArguments, answer_call_tree
from server.agent.tools.get_top_functions import TopFunctions, answer_top_functions
from server.agent.tools.screenshots import FlamegraphArguments, answer_flamegraph
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from server.edges.http.answers.function_list_answer import functions_json
from server.edges.http.answers.function_table_answer import table_bytes
from server.edges.http.view_bytes import ViewQuery, view_bytes
from server.edges.picture_query import FlamegraphQuery, draw_flamegraph
from tests.server.edges.test_transforms_agree import no_model, no_server
from traces.analysis.units import format_value
from traces.errors import TraceError
from traces.model import Trace
from traces.reader import read_trace
from traces.transforms.vocabulary import parsed_transforms

FRAMES = [
    ("main", "main.py"),
    ("read", "main.py"),
    ("dom", "/usr/lib/dom.so"),
    ("a, b", "b.py"),
    ("<i>\u202ex", "b.py"),
]
MOST_ROWS = 50
Stack = list[int]
Figures = dict[str, tuple[float, float]]
"""Self and total by handle."""

recordings = st.tuples(
    st.lists(
        st.tuples(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.integers(1, 9)), min_size=1, max_size=10
    ),
    st.sampled_from(["sampled", "evented"]),
)
functions = st.sampled_from([*(f"f{place}" for place in range(6)), "main", "*a*", "nobody", "a%2C b"])
transforms = st.one_of(
    st.builds(
        "{}:{}".format,
        st.sampled_from(
            ["focus-function", "drop-function", "hide", "merge", "merge-function", "collapse-function-subtree"]
        ),
        functions,
    ),
    functions.map("collapse-recursion:{}".format),
    st.integers(0, 12).map("focus-subtree:n{}".format),
    st.sampled_from(
        ["collapse-recursion", "drop-library", "filter-samples:LIB", "filter-samples:main.py", "explode:f1"]
    ),
)


def written(stacks: Sequence[tuple[Stack, int]], kind: str) -> bytes:
    """A recording in speedscope's format, of samples or of the calls that they amount to."""
    about: dict[str, Any] = {"type": kind, "name": "one", "unit": "milliseconds", "startValue": 0}
    about["endValue"] = sum(weight for _, weight in stacks)
    if kind == "sampled":
        about |= {"samples": [stack for stack, _ in stacks], "weights": [weight for _, weight in stacks]}
    else:
        about["events"] = events(stacks)
    frames = [{"name": name, "file": file} for name, file in FRAMES]
    schema = "https://www.speedscope.app/file-format-schema.json"
    return json.dumps({"$schema": schema, "shared": {"frames": frames}, "profiles": [about]}).encode()


def events(stacks: Sequence[tuple[Stack, int]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    opened: Stack = []
    at = 0
    for stack, weight in [*stacks, ([], 0)]:
        same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(opened, stack, strict=False))))
        found += [{"type": "C", "at": at, "frame": frame} for frame in reversed(opened[same:])]
        found += [{"type": "O", "at": at, "frame": frame} for frame in stack[same:]]
        opened, at = stack, at + weight
    return found


def command(*arguments: object) -> Result:
    cli = build_cli(CliEntryPoints(serve=no_server, analysis=no_model))
    return CliRunner().invoke(cli, [*map(str, arguments), "--json"])


def of_chart(trace: Trace, text: str) -> Figures:
    """What the boxes of the page's left heavy chart amount to: a box's self is what no box below it covers, and a
    function's total is that of its boxes without one of the same function above them."""
    query = ViewQuery(mode="left_heavy", transforms=parsed_transforms(text))
    data = view_bytes(trace, query, "identity")
    header = json.loads(data[8 : 8 + struct.unpack_from("<I", data, 4)[0]])
    columns = {
        one["name"]: np.frombuffer(data, one["dtype"], one["length"], one["offset"]) for one in header["columns"]
    }
    own: defaultdict[str, float] = defaultdict(float)
    total: defaultdict[str, float] = defaultdict(float)
    above: list[tuple[float, float, list[str]]] = []
    for first, last in zip(header["rowOffsets"], header["rowOffsets"][1:], strict=False):
        here = []
        for box in range(first, last):
            start, end = float(columns["start"][box]), float(columns["end"][box])
            stack = next((stack for left, right, stack in above if left <= start and end <= right), [])
            handle = f"f{columns['frame'][box]}"
            own[handle] += end - start
            if stack:
                own[stack[-1]] -= end - start
            if handle not in stack:
                total[handle] += end - start
            here.append((start, end, [*stack, handle]))
        above = here
    return {handle: (own[handle], total[handle]) for handle in total}


def of_rows(rows: Sequence[dict[str, Any]], own: str, total: str) -> Figures:
    return {row["handle"]: (row[own], row[total]) for row in rows}


def of_table(trace: Trace, text: str) -> Figures:
    """The page's function table."""
    table = json.loads(table_bytes(trace, None, None, text, "identity"))
    ids, columns = table["frames"]["ids"], table["columns"]
    handles = [f"f{ids[place]}" for place in columns["frame"]]
    return dict(zip(handles, zip(columns["self"], columns["total"], strict=True), strict=True))


def refusal(ask: Callable[[], object]) -> str | None:
    """Why something is refused; None where it is not."""
    try:
        ask()
    except InvalidOption as refused:
        return refused.message
    except (ToolRetry, TraceError) as refused:
        return str(refused)
    return None


@pytest.mark.long
@settings(max_examples=60, deadline=None, derandomize=True)
@given(recordings, st.lists(transforms, min_size=1, max_size=4))
def test_any_transforms_give_the_same_figures_everywhere(
    tmp_path_factory: pytest.TempPathFactory, recording: tuple[list[tuple[Stack, int]], str], chosen: list[str]
) -> None:
    file = tmp_path_factory.mktemp("law") / "any.speedscope.json"
    file.write_bytes(written(*recording))
    trace = read_trace(file.read_bytes(), name=file.name)
    text = ",".join(chosen)
    asked: list[Callable[[], object]] = [
        lambda: functions_json(trace, None, text, sort_by="self", limit=MOST_ROWS, offset=0),
        lambda: of_table(trace, text),
        lambda: of_chart(trace, text),
        lambda: draw_flamegraph(trace, FlamegraphQuery(mode="left_heavy", transforms=text)),
        lambda: answer_top_functions(trace, TopFunctions(transforms=text)),
        lambda: answer_call_tree(trace, CallTreeArguments(transforms=text)),
        lambda: answer_flamegraph(trace, FlamegraphArguments(transforms=text)),
    ]
    reasons = {refusal(ask) for ask in asked}
    assert None not in reasons or len(reasons) == 1, (text, reasons)
    done = command("functions", file, "--transforms", text, "--limit", MOST_ROWS)
    if None not in reasons:  # of two that are wrong either may be named
        assert done.exit_code != 0
        assert any(str(reason)[:40] in done.stderr for reason in reasons), (reasons, done.stderr)
        return

    listed = json.loads(done.stdout)
    figures = of_rows(listed["rows"], "self_value", "total_value")
    over_http = functions_json(trace, None, text, sort_by="self", limit=MOST_ROWS, offset=0)
    assert of_rows(over_http["rows"], "selfValue", "totalValue") == figures
    assert over_http["transforms"] == listed["transforms"]
    tool = answer_top_functions(trace, TopFunctions(transforms=text, limit=MOST_ROWS)).data
    assert of_rows(tool["rows"], "self_value", "total_value") == figures
    assert of_table(trace, text) == figures
    assert {handle: pytest.approx(pair) for handle, pair in of_chart(trace, text).items()} == figures
    assert tool["left"] == listed["whole"] == sum(own for own, _ in figures.values())

    tree = json.loads(command("tree", file, "--transforms", text, "--max-nodes", 200).stdout)["nodes"]
    nodes = answer_call_tree(trace, CallTreeArguments(transforms=text, max_nodes=200)).data["nodes"]
    assert [(one["handle"], one["total_value"]) for one in nodes] == [
        (one["handle"], one["total_value"]) for one in tree
    ]
    assert sum(one["total_value"] for one in tree if one["depth"] == 0) == listed["whole"]

    drawn = draw_flamegraph(trace, FlamegraphQuery(mode="left_heavy", transforms=text)).description
    assert (answer_flamegraph(trace, FlamegraphArguments(transforms=text)).ui or {})["description"] == drawn
    for handle, (own, _) in list(figures.items())[:1]:
        assert own == 0 or f"[{handle}] {own / listed['whole']:.1%} ({format_value(own, listed['unit'])})" in drawn

    # Inverted, a tree begins with each function by what it spent itself.
    upside_down = f"{text},invert"
    spent = {handle: own for handle, (own, _) in figures.items() if own}
    inverted = json.loads(command("tree", file, "--transforms", upside_down, "--max-nodes", 200).stdout)["nodes"]
    assert {one["frame"]: one["total_value"] for one in inverted if one["depth"] == 0} == spent
    looked = answer_call_tree(trace, CallTreeArguments(transforms=upside_down, max_nodes=200)).data["nodes"]
    assert {one["frame_handle"]: one["total_value"] for one in looked if one["depth"] == 0} == spent
    assert sum(own for own, _ in of_chart(trace, upside_down).values()) == pytest.approx(listed["whole"])
