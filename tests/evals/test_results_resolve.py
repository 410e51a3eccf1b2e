"""Every tool's result over the traces of the evaluation resolves by the addresses that follow from it: by the data of
this turn, and by the stored call of an earlier one."""

import math
from collections.abc import Iterator
from typing import Any

import pytest

from evals.case import Case, read_cases
from evals.running import trace_of
from server.agent.tools.all_tools import TOOLS
from server.agent.tools.compare_traces import CompareTraces, compare_two
from server.agent.tools.contract.arguments import validated
from server.agent.tools.contract.run_tool import named_tool, shown_fields
from server.agent.tools.contract.tool_errors import ToolProblem
from server.agent.tools.query_trace import outcome_of
from server.agent.verification.references.addressed_values import Unknown, Value
from server.agent.verification.references.addresses import Address, parse_address
from server.agent.verification.references.figure_values import FigureValues
from server.agent.verification.references.result_figures import cells
from server.agent.verification.references.tool_results import Conversation, ToolOutcome
from server.ports.traces import SqlColumnType, SqlRows
from traces.analysis.functions import top_functions
from traces.errors import TraceError
from traces.model import Trace

pytestmark = pytest.mark.long

NUMBER = 7
NEVER_LATE = 1e9


def cases() -> list[Case]:
    """One of each trace."""
    return list({str(case.file or case.made): case for case in read_cases(None)}.values())


SCOPES: tuple[dict[str, Any], ...] = ({"profile": "all"}, {"my_code": True}, {"start_time_ms": 1, "end_time_ms": 50})


def calls_of(trace: Trace, scope_of_case: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Questions of the trace alone that a turn asks, each in one profile and in another scope: over all, without
    libraries, or in a window."""
    heaviest = top_functions(trace, limit=1).rows
    frame = {"frame": heaviest[0].handle} if heaviest else None
    yield from (("get_trace_summary", {}), ("get_insights", {}), ("list_profiles", {}))
    for scope in ({}, scope_of_case):
        yield "get_top_functions", scope
        yield "get_top_functions", {"sort_by": "total"} | scope
        yield "get_call_tree", scope
        yield "find_frames", {"pattern": "e"} | scope
        yield "get_hottest_windows", scope
        yield "get_longest_calls", scope
        if frame:
            yield "get_callers_callees", frame | scope
    if frame:
        yield "get_hottest_windows", frame
        yield "draw_chart", {"kind": "durations"} | frame


class Resolved:
    """Addresses of one result, by its data or by its stored call."""

    def __init__(self, trace: Trace, tool: str, arguments: dict[str, Any], data: dict[str, Any] | None) -> None:
        self._of = f"{trace.name}: {tool} {arguments}{'' if data else ', stored'}"
        outcome = ToolOutcome(NUMBER, tool, arguments, data)
        self._values = FigureValues(trace, Conversation({NUMBER: outcome}), seconds=NEVER_LATE)

    def value(self, address: str) -> Value | Unknown:
        parsed = parse_address(address)
        assert isinstance(parsed, Address), address
        return self._values.value(parsed)

    def must_be(self, address: str, expected: float) -> None:
        found = self.value(address)
        assert isinstance(found, Value), f"{self._of}: {address} is {found}"
        right = math.isclose(found.value, expected, rel_tol=1e-6, abs_tol=max(1e-6, found.half_digit))
        assert right, f"{self._of}: {address} is {found.value}, the result has {expected}"


def check_cells(resolved: Resolved, data: dict[str, Any]) -> int:
    every = cells(data)
    for place, cell in enumerate(every, 1):
        resolved.must_be(f"q{NUMBER}.c{place}", cell.value)
    return len(every)


def check_rows(resolved: Resolved, data: dict[str, Any]) -> int:
    """Figures of handles in the scope of the result, and of rows by their place."""
    count = 0
    for place, row in enumerate(data.get("rows") or [], 1):
        handle = str(row.get("handle") or "-")
        for key, measure in (("self_value", "self"), ("total_value", "total"), ("duration", "duration")):
            if row.get(key) is not None:
                count += 1
                resolved.must_be(f"q{NUMBER}.r{place}.{measure}", row[key])
                if (handle[0], measure) in (("f", "self"), ("f", "total"), ("s", "duration")):
                    scope = f"w{NUMBER}." if handle[0] == "f" else ""
                    resolved.must_be(f"{scope}{handle}.{measure}", row[key])
        if handle[0] == "f" and row.get("count") and data.get("counted") in ("calls", "samples"):
            resolved.must_be(f"w{NUMBER}.{handle}.{data['counted']}", row["count"])
    return count


def check_nodes(resolved: Resolved, data: dict[str, Any], *, is_of_one_profile: bool) -> None:
    """Call paths: those over several profiles, or without some functions, may have no address."""
    for node in data.get("nodes") or []:
        address = f"w{NUMBER}.{node['handle']}.total"
        if is_of_one_profile or not isinstance(resolved.value(address), Unknown):
            resolved.must_be(address, node["total_value"])


def check_findings_and_profiles(resolved: Resolved, data: dict[str, Any]) -> None:
    for place, finding in enumerate(data.get("insights") or [], 1):
        if finding.get("share") is not None:
            resolved.must_be(f"i{100 * NUMBER + place}.saving", 100 * finding["share"])
    for profile in data.get("profiles") or []:
        for measure in ("busy", "waiting", "idle"):
            if profile.get(measure) is not None:
                resolved.must_be(f"{profile['handle']}.{measure}", profile[measure])


@pytest.mark.parametrize(
    ("case", "scope"),
    [pytest.param(case, SCOPES[place % 3], id=case.name) for place, case in enumerate(cases())],
)
def test_every_result_resolves_by_the_addresses_that_follow_from_it(case: Case, scope: dict[str, Any]) -> None:
    trace = trace_of(case)
    count = 0
    for name, arguments in calls_of(trace, scope):
        tool = named_tool(name, TOOLS)
        assert tool.answer is not None
        try:
            data = shown_fields(tool.answer(trace, validated(tool, arguments)).data, tool.fields)
        except (ToolProblem, TraceError):  # a recording without times, an empty window
            continue
        for known in (data, None):
            resolved = Resolved(trace, name, arguments, known)
            count += check_cells(resolved, data) + check_rows(resolved, data)
            check_nodes(resolved, data, is_of_one_profile=not {"profile", "my_code"} & arguments.keys())
            check_findings_and_profiles(resolved, data)
    assert count > 20


def test_a_query_and_a_comparison_resolve_too() -> None:
    of_two = [trace_of(case) for case in cases() if case.name in ("csv-export", "log-words")]
    found = SqlRows(
        columns=(
            SqlColumnType("name", "VARCHAR"),
            SqlColumnType("calls", "BIGINT"),
            SqlColumnType("self_ms", "DOUBLE"),
        ),
        rows=(("parse", 12, 3.5), ("read", 4, 1.25)),
        more=False,
    )
    data = outcome_of(found).data
    resolved = Resolved(of_two[0], "query_trace", {"sql": "SELECT 1"}, data)
    resolved.must_be(f"q{NUMBER}.r2.calls", 4)
    resolved.must_be(f"q{NUMBER}.r1.c3", 3.5e6)
    assert check_cells(resolved, data) > 4

    arguments = {"others": ["before"]}
    data = compare_two(of_two[0], CompareTraces(others=["before"]), of_two[1]).data
    resolved = Resolved(of_two[0], "compare_traces", arguments, data)
    changed = [row for row in data["rows"] if str(row.get("handle"))[:1] == "f"]
    assert changed
    for row in changed:
        resolved.must_be(f"c{NUMBER}.{row['handle']}.self", row["change"]["self_value"])
    assert check_cells(resolved, data) > 10
