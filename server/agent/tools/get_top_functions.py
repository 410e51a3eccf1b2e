"""get_top_functions and get_callers_callees: where the time (or weight) goes, by function."""

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field

from server.agent.tools.contract.arguments import (
    FrameArgument,
    MyCodeArgument,
    ProfilesArgument,
    TransformsArgument,
    Windowed,
)
from server.agent.tools.contract.resolving import (
    chosen_frame,
    chosen_selection,
    chosen_window,
    profile_choice,
    where_it_runs,
)
from server.agent.tools.contract.tool import Outcome, Tool
from server.agent.tools.contract.transforming import TRANSFORM_FIELDS, changed_for_tool
from server.protocol.wire_values import Table
from server.quoting import place, plain, quoted
from traces.analysis.functions import FunctionRow, top_functions
from traces.analysis.recorded_edges import Basis
from traces.analysis.sandwich import NeighbourRow, Sandwich, callers_callees
from traces.analysis.units import format_share, format_value
from traces.losses import lost_calls
from traces.model import Trace
from traces.values import Unit

ROW_FIELDS = frozenset(
    {"handle", "name", "file", "line", "self_value", "total_value", "self_share", "total_share", "count", "counted"}
    | {"durations", "calls", "least", "median", "p99", "longest"}
)


class TopFunctions(Windowed):
    sort_by: Literal["self", "total"] = "self"
    limit: Annotated[int, Field(ge=1, le=100)] = 15
    offset: Annotated[int, Field(ge=0)] = 0
    profile: ProfilesArgument = None
    my_code: MyCodeArgument = False
    transforms: Annotated[TransformsArgument, Field(description="focus:f1,hide:f2,merge:f3,collapse-recursion")] = None
    filter: Annotated[str | None, Field(description="only names containing this text")] = None
    value: Annotated[str | None, Field(description="another measured quantity, e.g. calls")] = None


def row_data(row: FunctionRow) -> dict[str, Any]:
    """A function row as JSON values."""
    return {
        "handle": row.handle,
        "name": row.name,
        "file": row.file,
        "line": row.line,
        "self_value": float(row.self_value),
        "total_value": float(row.total_value),
        "self_share": float(row.self_share),
        "total_share": float(row.total_share),
        "count": row.count,
    } | ({"durations": asdict(row.durations)} if row.durations is not None else {})


def amount(value: float, share: float, unit: Unit) -> str:
    """A value and its share: `1.23 ms 45.6%`."""
    return f"{format_value(value, unit)} {format_share(share)}"


def row_line(row: FunctionRow, unit: Unit, counted: str | None) -> str:
    """A function row on one line: handle, quoted name and place, self, total, count, and what single calls took."""
    calls = row.durations
    times = "" if row.count is None or counted is None else f", ×{row.count} {counted}"
    took = (
        ""
        if calls is None
        else ", a call " + "/".join(format_value(value, unit) for value in (calls.least, calls.median, calls.p99))
    )
    return (
        f"{row.handle} {quoted(row.name)}{place(row.file, row.line)} "
        f"self {amount(row.self_value, row.self_share, unit)}, "
        f"total {amount(row.total_value, row.total_share, unit)}{times}{took}"
    )


def answer_top_functions(trace: Trace, arguments: TopFunctions) -> Outcome:
    changed = changed_for_tool(trace, arguments.transforms, arguments.profile, value=arguments.value)
    trace = changed.trace
    profile = chosen_selection(trace, changed.profile_argument, my_code=arguments.my_code)
    window = chosen_window(profile, arguments.start_time_ms, arguments.end_time_ms)
    done, of_transforms = changed.inside(window, arguments.value).for_tool()
    table = top_functions(
        trace,
        profile=profile_choice(profile),
        sort_by=arguments.sort_by,
        limit=arguments.limit,
        offset=arguments.offset,
        window=window,
        pattern=arguments.filter,
        value=arguments.value,
        frame_filter=profile.frame_filter,
        durations=arguments.value is None,
    )
    unit = Unit(table.unit)
    head = (
        f"functions {arguments.offset + 1} to {arguments.offset + len(table.rows)} of {table.total_rows} "
        f"in {profile.handle} {quoted(profile.name, 80)} by {arguments.sort_by}"
        f"{f' of {quoted(arguments.value, 40)}' if arguments.value else ''}; "
        f"whole {format_value(table.scope_total, unit)}, idle left out"
        + (f", {format_value(table.hidden, unit)} of it in libraries alone" if table.hidden else "")
        + ("; a call: least/median/99th percentile" if any(row.durations for row in table.rows) else "")
    )
    lines = [head, *(row_line(row, unit, table.counted) for row in table.rows)]
    if not table.rows:
        lines = [f"no functions there: {table.total_rows} match in {profile.handle} {quoted(profile.name, 80)}"]
    elif (left := table.total_rows - arguments.offset - len(table.rows)) > 0:
        lines.append(f"… {left} more: offset={arguments.offset + len(table.rows)}, or filter")
    if lost := lost_calls(trace, profile.profiles):
        lines.append(lost)
    return Outcome(
        text="\n".join([*done, *lines]),
        data=of_transforms
        | {
            "profile": profile.handle,
            "unit": unit.value,
            "whole": float(table.scope_total),
            "sort_by": arguments.sort_by,
            "total_rows": table.total_rows,
            "hidden": float(table.hidden),
            "counted": table.counted,
            "rows": [row_data(row) for row in table.rows],
        },
        table=Table(
            columns=["handle", "name", "self", "self %", "total", "total %", table.counted or "count"],
            rows=[
                [
                    row.handle,
                    plain(row.name),
                    format_value(row.self_value, unit),
                    format_share(row.self_share),
                    format_value(row.total_value, unit),
                    format_share(row.total_share),
                    row.count,
                ]
                for row in table.rows
            ],
        ),
        warning=not table.rows,
    )


class CallersCallees(Windowed):
    frame: FrameArgument
    profile: ProfilesArgument = None
    limit: Annotated[int, Field(ge=1, le=50)] = 12
    my_code: MyCodeArgument = False
    transforms: TransformsArgument = None


def answer_callers_callees(trace: Trace, arguments: CallersCallees) -> Outcome:
    changed = changed_for_tool(trace, arguments.transforms, arguments.profile)
    trace = changed.trace
    profile = chosen_selection(trace, changed.profile_argument, my_code=arguments.my_code)
    frame, remark = chosen_frame(trace, arguments.frame, profile)
    is_open = arguments.profile is None and not changed.transforms
    if is_open and arguments.start_time_ms is None and arguments.end_time_ms is None:
        profile, elsewhere = where_it_runs(trace, frame, profile)
        remark = "; ".join(one for one in (remark, elsewhere) if one) or None
    window = chosen_window(profile, arguments.start_time_ms, arguments.end_time_ms)
    done, of_transforms = changed.inside(window).for_tool()
    sandwich = callers_callees(
        trace,
        frame,
        profile=profile_choice(profile),
        limit=arguments.limit,
        window=window,
        frame_filter=profile.frame_filter,
    )
    unit = profile.unit
    lines = [row_line(sandwich.frame, unit, sandwich.counted) + f" in {profile.handle}"]
    if remark:
        lines.append(f"note: {remark}")
    if sandwich.basis is Basis.RECORDED:
        lines.append("what each has is exact: the file has it")
    elif sandwich.basis is Basis.ESTIMATED:
        lines.append("what each has is estimated: the file has no call paths")
    if sandwich.recursive:
        lines.append(_recursion(sandwich))
    for title, rows, more in (
        ("callers", sandwich.callers, sandwich.more_callers),
        ("callees", sandwich.callees, sandwich.more_callees),
    ):
        lines.append(
            f"{title}, with what flows through each and its share of this function's total:" if rows else f"no {title}"
        )
        lines += [
            f"  {row.handle or '-'} {quoted(row.name)}{place(row.file, row.line)} {amount(row.value, row.share, unit)}"
            + ("" if row.calls is None else f", {row.calls:,} {'call' if row.calls == 1 else 'calls'}")
            for row in rows
        ]
        if more:
            lines.append(f"  … {more} more {title}: use a higher limit")
    return Outcome(
        text="\n".join([*done, *lines]),
        data=of_transforms
        | {
            "profile": profile.handle,
            "unit": unit.value,
            "counted": sandwich.counted,
            "frame": row_data(sandwich.frame),
            "callers": [_neighbour_data(row) for row in sandwich.callers],
            "callees": [_neighbour_data(row) for row in sandwich.callees],
            "more_callers": sandwich.more_callers,
            "more_callees": sandwich.more_callees,
            "recursive": sandwich.recursive,
            "calls_itself": sandwich.calls_itself,
            "basis": sandwich.basis.value,
            "remark": remark,
        },
        ui={"handle": sandwich.frame.handle, "view": "sandwich", "profile": profile.handle},
        warning=remark is not None,
    )


def _recursion(sandwich: Sandwich) -> str:
    if sandwich.basis is not Basis.RECORDED:
        return "it is recursive: callers are those of its outermost call, callees those of its innermost"
    itself = f"{sandwich.calls_itself:,} of its calls are its own" if sandwich.calls_itself else "through what it calls"
    return f"it is recursive: {itself}"


def _neighbour_data(row: NeighbourRow) -> dict[str, Any]:
    return {
        "handle": row.handle,
        "name": row.name,
        "file": row.file,
        "line": row.line,
        "value": float(row.value),
        "share": float(row.share),
        "direct_calls": row.calls,
    }


GET_TOP_FUNCTIONS = Tool(
    name="get_top_functions",
    description="For where time (or weight) goes: functions by self or total with shares, counts, durations of "
    "single calls, file:line, handles. Recursion counts once, idle is left out.",
    arguments=TopFunctions,
    answer=answer_top_functions,
    doing=lambda a: f"Ranking functions by {a.sort_by} time" + (f" in {a.profile[:40]}" if a.profile else ""),
    fields=ROW_FIELDS | TRANSFORM_FIELDS | {"profile", "unit", "whole", "sort_by", "total_rows", "rows", "hidden"},
    narrow="use a smaller limit, offset, filter or a window",
)

GET_CALLERS_CALLEES = Tool(
    name="get_callers_callees",
    description="For who calls a function and what it calls: both, with the time through each.",
    arguments=CallersCallees,
    answer=answer_callers_callees,
    doing=lambda a: f"Looking up callers and callees of {a.frame[:60]}",
    fields=ROW_FIELDS
    | TRANSFORM_FIELDS
    | {"profile", "unit", "frame", "callers", "callees", "remark"}
    | {"value", "share", "direct_calls", "more_callers", "more_callees", "recursive", "calls_itself", "basis"},
    narrow="use a smaller limit",
)
