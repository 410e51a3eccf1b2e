"""get_trace_summary and list_profiles: what this trace is, what is in it, what it can and cannot answer."""

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.protocol.wire_values import Table
from server.quoting import plain, quoted
from traces.analysis.summary import ProfileSummary, TraceSummary, recorded, summarise, time_shares
from traces.analysis.units import format_share, format_value
from traces.model import Trace
from traces.values import Clock, Order, ProfileKind, Role, Unit

LISTED_PROGRAMS = 12
"""Programs that are listed with the profiles, where there are several."""

LISTED_PROFILES = 6
"""Profiles named in the summary itself; list_profiles has the rest."""

PROFILE_FIELDS = frozenset(
    {
        "handle",
        "name",
        "pid",
        "tid",
        "kind",
        "unit",
        "duration",
        "total",
        "busy",
        "waiting",
        "idle",
        "unknown",
        "running",
        "runnable",
        "sleeping",
        "blocked",
        "idle_share",
        "stands_for_thread",
        "sample_count",
        "span_count",
        "values",
    }
    | {"order", "counts", "counted", "count", "clock", "waits", "role", "role_rule"}
    | {"quality", "interval_ns", "rate_hz", "regular_share", "cut_share", "unnamed_share", "only_running"}
)


class NoArguments(ToolArguments):
    pass


def summary_text(summary: TraceSummary) -> str:
    """The summary as the model reads it, a line a fact."""
    length = "" if summary.duration_ns is None else f", {format_value(summary.duration_ns, Unit.NANOSECONDS)} long"
    size = format_value(summary.source_bytes, Unit.BYTES)
    head = (
        f"{quoted(summary.name)}: {summary.format} trace, {size}{length}{recorded(summary)}, "
        f"measured in {summary.unit}, {len(summary.profiles)} profiles, {summary.frame_count} frames"
    )
    lines = [head, *(profile_line(profile) for profile in summary.profiles[:LISTED_PROFILES])]
    if (more := len(summary.profiles) - LISTED_PROFILES) > 0:
        lines.append(f"… {more} more profiles (list_profiles)")
    lines += [f"can answer: {answer}" for answer in summary.can_answer]
    lines += [f"cannot answer: {answer}" for answer in summary.cannot_answer]
    lines += [f"warning: {quoted(warning.text, 500)}{warning.often}" for warning in summary.warnings]
    return "\n".join(lines)


def profile_line(profile: ProfileSummary) -> str:
    """One profile on one line: handle, name, kind, sizes."""
    unit, is_timed = Unit(profile.unit), profile.order is Order.TIME
    parts = [
        f"{profile.handle} {quoted(profile.name, 80)}",
        str(profile.kind) if profile.order is Order.TIME else "sums per stack, without times",
        f"{format_value(profile.total, unit)} in all" if profile.busy is None or not is_timed else busy_text(profile),
    ]
    if profile.count is not None:
        parts.append(f"{profile.count} {profile.counted}")
    if profile.role is not Role.UNKNOWN:
        parts.append(f"role {profile.role}")
    if profile.clock is Clock.OWN:
        parts.append("on a clock of its own")
    if profile.quality.rate_hz:
        parts.append(f"{profile.quality.rate_hz:,.3g} samples a second")
    parts += time_shares(profile)
    if not profile.stands_for_thread:
        parts.append("another view of a thread whose spans say how busy it is")
    return ", ".join(parts)


def busy_text(profile: ProfileSummary) -> str:
    """How long it was busy, and by what that is known."""
    by = "by its spans" if profile.kind is ProfileKind.EVENTED else "by its samples"
    return f"{format_value(profile.busy or 0, Unit.NANOSECONDS)} busy {by}"


def _plain_values(summary: TraceSummary) -> dict[str, Any]:
    """The summary as JSON values only: enums become their text."""
    values: dict[str, Any] = json.loads(json.dumps(summary.as_json()))
    return values


def answer_summary(trace: Trace, _: NoArguments) -> Outcome:
    summary = summarise(trace)
    return Outcome(text=summary_text(summary), data=_plain_values(summary), warning=bool(summary.warnings))


PROCESS = re.compile(r"(.+?) \(pid [^,()]+(?:, tid [^,()]+\)$|\), )")
"""A profile's name that begins with its program: `cc1 (pid 7, tid 8)`, `Renderer (pid 7), CrRendererMain`."""


class ListProfiles(ToolArguments):
    limit: Annotated[int, Field(ge=1, le=100)] = 30
    offset: Annotated[int, Field(ge=0)] = 0


def _processes(profiles: Sequence[ProfileSummary]) -> list[dict[str, Any]]:
    """How long the threads of each program were busy, in ns, and their part of all; programs by name, the busiest
    first. None where the names of profiles do not say of which program they are."""
    busy: dict[str, list[int]] = {}
    for profile in profiles:
        if profile.busy is not None and profile.stands_for_thread:
            found = PROCESS.match(profile.name)
            if found is None:
                return []
            busy.setdefault(found[1], []).append(profile.busy)
    everything = sum(map(sum, busy.values()))
    rows = [
        {
            "name": name,
            "unit": Unit.NANOSECONDS.value,
            "profiles": len(each),
            "busy": sum(each),
            "share": sum(each) / everything if everything else 0.0,
        }
        for name, each in busy.items()
    ]
    return sorted(rows, key=lambda row: -float(row["busy"]))


def _program_line(row: dict[str, Any]) -> str:
    busy, part = format_value(row["busy"], Unit.NANOSECONDS), format_share(row["share"])
    return f"program {quoted(row['name'], 80)}: {row['profiles']} profiles, {busy} busy in all, {part} of the work"


def answer_profiles(trace: Trace, arguments: ListProfiles) -> Outcome:
    summary = summarise(trace)
    profiles = summary.profiles[arguments.offset : arguments.offset + arguments.limit]
    left = len(summary.profiles) - arguments.offset - len(profiles)
    lines = [
        f"{len(summary.profiles)} profiles; the main one is p{trace.default_profile}",
        *map(profile_line, profiles),
    ]
    if left > 0:
        lines.append(f"… {left} more: offset={arguments.offset + len(profiles)}")
    programs = _processes(summary.profiles)
    if len(programs) > 1:
        lines += [_program_line(one) for one in programs[:LISTED_PROGRAMS]]
    rows = _plain_values(summary)["profiles"][arguments.offset : arguments.offset + arguments.limit]
    return Outcome(
        text="\n".join(lines),
        data={
            "profiles": rows,
            "processes": programs[:LISTED_PROGRAMS],
            "total_profiles": len(summary.profiles),
            "default_profile": f"p{trace.default_profile}",
        },
        table=Table(
            columns=["handle", "name", "kind", "busy", "idle"],
            rows=[
                [
                    p.handle,
                    plain(p.name),
                    str(p.kind),
                    format_value(p.total, Unit(p.unit)) if p.busy is None else format_value(p.busy, Unit.NANOSECONDS),
                    format_share(p.idle_share or 0.0),
                ]
                for p in profiles
            ],
        ),
    )


GET_TRACE_SUMMARY = Tool(
    name="get_trace_summary",
    description="For a trace you know nothing of: its kind, unit, duration, profiles, warnings, what it can and "
    "cannot answer.",
    arguments=NoArguments,
    answer=answer_summary,
    doing=lambda _: "Reading the trace's summary",
    fields=PROFILE_FIELDS
    | {
        "format",
        "source_bytes",
        "duration_ns",
        "frame_count",
        "default_profile",
        "profiles",
        "warnings",
        "code",
        "text",
        "count",
    }
    | {"can_answer", "cannot_answer", "recorded_at_ns", "recorded_for_ns", "utc_offset_minutes"}
    | {"instant_count", "counter_count", "async_count", "flow_count"},
    narrow="list_profiles pages through the profiles",
)

LIST_PROFILES = Tool(
    name="list_profiles",
    description="For other threads or quantities: every profile with its handle, kind, busy and idle amount.",
    arguments=ListProfiles,
    answer=answer_profiles,
    doing=lambda _: "Listing the profiles",
    fields=PROFILE_FIELDS | {"profiles", "processes", "share", "total_profiles", "default_profile"},
    narrow="use limit and offset",
)
