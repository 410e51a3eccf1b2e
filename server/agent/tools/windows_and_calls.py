"""get_hottest_windows and get_longest_calls: when it happened, and which single calls took long."""

from typing import Annotated, Any

from pydantic import Field

from server.agent.tools.contract.arguments import FrameArgument, MyCodeArgument, ProfilesArgument, Windowed
from server.agent.tools.contract.resolving import (
    NS_PER_MS,
    chosen_frame,
    chosen_selection,
    chosen_window,
    profile_choice,
)
from server.agent.tools.contract.tool import Outcome, Tool
from server.agent.tools.get_top_functions import ROW_FIELDS, amount, row_data
from server.quoting import place, quoted
from traces.analysis.hottest_windows import HotWindow, hottest_windows
from traces.analysis.longest import longest_spans
from traces.analysis.selection import Selection
from traces.analysis.time_axis import from_starts
from traces.analysis.units import format_share, format_value
from traces.model import Trace


class HottestWindows(Windowed):
    length_ms: Annotated[float | None, Field(gt=0, description="window length; default: a twentieth of all")] = None
    frame: FrameArgument | None = None
    limit: Annotated[int, Field(ge=1, le=20)] = 5
    profile: ProfilesArgument = None
    my_code: MyCodeArgument = False


def answer_hottest_windows(trace: Trace, arguments: HottestWindows) -> Outcome:
    profile = chosen_selection(trace, arguments.profile, my_code=arguments.my_code)
    frame, remark = (None, None) if arguments.frame is None else chosen_frame(trace, arguments.frame, profile)
    windows = hottest_windows(
        trace,
        profile=profile_choice(profile),
        length=arguments.length_ms and arguments.length_ms * (NS_PER_MS if profile.axis.is_time else 1),
        limit=arguments.limit,
        frame=frame,
        window=chosen_window(profile, arguments.start_time_ms, arguments.end_time_ms),
        frame_filter=profile.frame_filter,
    )
    of_what = "" if frame is None else f" of f{frame} {quoted(trace.frame_name(frame), 80)}"
    length, average = format_value(windows.length, windows.axis), format_value(windows.average, windows.unit)
    head = (
        f"hottest windows{of_what} in {profile.handle} {quoted(profile.name, 80)}, "
        f"each {length} long; {average} on average{_zero(profile)}"
    )
    lines = [head, *([f"note: {remark}"] if remark else [])]
    for row in windows.rows:
        heaviest = ", ".join(f"{f.handle} {quoted(f.name, 60)} {format_share(f.self_share)}" for f in row.functions)
        lines.append(
            f"{_moment(profile, row.start)} to {_moment(profile, row.end)}: "
            f"{amount(row.value, row.share, windows.unit)}; self: {heaviest}"
        )
    return Outcome(
        text="\n".join(lines if windows.rows else [*lines, "nothing happened there"]),
        data={
            "profile": profile.handle,
            "unit": windows.unit.value,
            "length": float(windows.length),
            "average": float(windows.average),
            "whole": float(windows.scope_total),
            "frame": None if frame is None else f"f{frame}",
            "rows": [_window_data(profile, row) for row in windows.rows],
        },
        warning=not windows.rows or remark is not None,
    )


def _window_data(profile: Selection, row: HotWindow) -> dict[str, Any]:
    return {
        "start": float(row.start - profile.axis_start),
        "end": float(row.end - profile.axis_start),
        "value": float(row.value),
        "share": float(row.share),
        "busy": None if row.busy is None else float(row.busy),
        "functions": [row_data(function) for function in row.functions],
    }


def _moment(profile: Selection, at: float) -> str:
    return format_value(at - profile.axis_start, profile.axis)


def _zero(profile: Selection) -> str:
    """Where the profile's clock has its zero on the trace's, which SQL uses, if it is another."""
    if not profile.axis.is_time or not profile.axis_start:
        return ""
    return f"; times from its start, {format_value(profile.axis_start, profile.axis)} in query_trace"


class LongestCalls(Windowed):
    filter: Annotated[str | None, Field(description="only names containing this text")] = None
    outermost: Annotated[bool, Field(description="only calls without a caller (tasks)")] = False
    limit: Annotated[int, Field(ge=1, le=50)] = 10
    profile: ProfilesArgument = None
    my_code: MyCodeArgument = False


def answer_longest_calls(trace: Trace, arguments: LongestCalls) -> Outcome:
    profile = chosen_selection(trace, arguments.profile, my_code=arguments.my_code)
    found = longest_spans(
        trace,
        profile=profile_choice(profile),
        limit=arguments.limit,
        window=chosen_window(profile, arguments.start_time_ms, arguments.end_time_ms),
        pattern=arguments.filter,
        outermost=arguments.outermost,
        frame_filter=profile.frame_filter,
    )
    what = "calls" if found.exact else "stretches of samples (one may be several calls)"
    lines = [f"longest {what} of {found.total_rows} in {profile.handle} {quoted(profile.name, 80)}"]
    starts = [from_starts(profile.profiles, row.profile, row.start) for row in found.rows]
    for row, (start, in_recording) in zip(found.rows, starts, strict=True):
        own = "" if row.self_value is None else f", self {format_value(row.self_value, found.unit)}"
        own += "" if row.running is None else f", {format_value(row.running, found.unit)} of it on a processor"
        others = {"runnable": row.runnable, "sleeping": row.sleeping, "blocked": row.blocked}
        own += "".join(f", {format_value(spent, found.unit)} {name}" for name, spent in others.items() if spent)
        lines.append(
            f"{row.handle} f{row.frame} {quoted(row.name, 80)}{place(row.file, row.line)} "
            f"{format_value(row.duration, found.unit)}{own}, from {format_value(start, profile.axis)}"
            + ("" if in_recording is None else f" ({format_value(in_recording, profile.axis)} of the recording)")
            + f", depth {row.depth}, {row.profile}"
        )
    return Outcome(
        text="\n".join(lines),
        data={
            "profile": profile.handle,
            "unit": found.unit.value,
            "total_rows": found.total_rows,
            "exact": found.exact,
            "rows": [
                {
                    "handle": row.handle,
                    "frame": f"f{row.frame}",
                    "name": row.name,
                    "file": row.file,
                    "line": row.line,
                    "profile": row.profile,
                    "start": start,
                    "end": start + float(row.end - row.start),
                    "recording_start_ns": in_recording,
                    "duration": float(row.duration),
                    "self_value": row.self_value,
                    "running": row.running,
                    "runnable": row.runnable,
                    "sleeping": row.sleeping,
                    "blocked": row.blocked,
                    "depth": row.depth,
                }
                for row, (start, in_recording) in zip(found.rows, starts, strict=True)
            ],
        },
        warning=not found.rows,
    )


GET_HOTTEST_WINDOWS = Tool(
    name="get_hottest_windows",
    description="For when it happened: the windows with most, or most of one function, and their heaviest functions.",
    arguments=HottestWindows,
    answer=answer_hottest_windows,
    doing=lambda a: "Looking for the hottest moments" + (f" of {a.frame[:60]}" if a.frame else ""),
    fields=ROW_FIELDS
    | {"profile", "unit", "length", "average", "whole", "frame", "rows"}
    | {"start", "end", "value", "share", "busy", "functions"},
    narrow="use a smaller limit",
)

GET_LONGEST_CALLS = Tool(
    name="get_longest_calls",
    description="For single slow calls and stalls: the longest with start, duration, handle; in sampled profiles "
    "the longest stretches.",
    arguments=LongestCalls,
    answer=answer_longest_calls,
    doing=lambda _: "Looking for the longest calls",
    fields=frozenset({"profile", "unit", "total_rows", "exact", "rows", "handle", "frame", "name", "file", "line"})
    | {
        "start",
        "end",
        "recording_start_ns",
        "duration",
        "self_value",
        "running",
        "runnable",
        "sleeping",
        "blocked",
        "depth",
    },
    narrow="use a smaller limit or a filter",
)
